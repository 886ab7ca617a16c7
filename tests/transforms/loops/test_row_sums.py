"""Short sums of rows are loops that are jammed, and bits stay."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.ir.terms import Program
from retrograd.transforms.loops.row_sums import loop_row_sums
from retrograd.transforms.loops.unroll_and_jam import jam_loops
from retrograd.transforms.passes import Pass
from tests.backends.llvm.native import compiled, native, reference, same
from tests.transforms.support import after, outcome, program, renamed

LOOPS = Pass("row-sums", "", loop_row_sums)
JAM = Pass("jam", "", jam_loops)
SQUARES = """\
    row: f64[1] = slice(c, i; spec="ia")
    away: f64[1] = sub(p, row)
    square: f64[1] = mul(away, away)
    t: f64 = reduce_sum(square; axes=(0,), keepdims=false)"""
COLUMNS = """\
    row: f64[1] = slice(c, i; spec="ai")
    half: f64 = mul(2.0, 0.25)
    scaled: f64[1] = mul(row, half)
    t: f64 = reduce_sum(scaled; axes=(0,), keepdims=false)"""


def sums(body: str = SQUARES, vector: str = "p", count: str = "n", value: str = "t") -> Program:
    """Sums of the rows of a matrix; `p` is its first row, so it is known to be as long."""
    return program(
        "(c: f64[2], q: f64[1], n: i64) -> (f64[1])",
        f"""
p: f64[1] = slice(c, 0; spec="ia")
zero: f64[1] = zeros({count}; dtype="f64")
y: f64[1] = for i < {count} with (old: f64[1] = zero):
{body.replace("sub(p,", f"sub({vector},")}
    new: f64[1] = update(old, {value}, i; checked=false, span=none)
    yield new
return y
""",
    )


SHAPES = ((9, 16), (17, 31), (8, 32), (10, 1), (3, 5), (40, 9), (1, 0), (12, 6))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("body", [SQUARES, COLUMNS])
@pytest.mark.parametrize("shape", SHAPES)
def test_bits_stay(body: str, shape: tuple[int, int]) -> None:
    source = sums(body)
    made = after(source, LOOPS)
    assert made != source
    matrix = np.random.default_rng(4).normal(size=shape)
    matrix[0] = -0.0
    given = (matrix, matrix[0], shape[body == COLUMNS])
    want = outcome(source, given)
    for done in (made, after(made, JAM)):
        assert outcome(done, given) == want
        assert same(native(compiled(renamed(done)), given), reference(renamed(source), given))


def test_a_row_of_a_known_length_has_one_loop() -> None:
    text = print_program(sums()).replace('slice(c, 0; spec="ia")', "full(0.5, 20)")
    made = "  matrix: f64[2] = full(0.5, n, 20)\n  zero:"
    source = parse_program(text.replace("  zero:", made).replace("slice(c", "slice(matrix"))
    done = print_program(after(source, LOOPS))
    assert "for j" in done
    assert "if " not in done


TWICE = SQUARES + "\n    s: f64 = reduce_sum(away; axes=(0,), keepdims=false)"
LEFT = {
    "another length": sums(vector="q"),
    "two sums": sums(TWICE),
    "an element besides": sums(
        SQUARES + "\n    s: f64 = index(away, 0; checked=false, span=none)", value="s"
    ),
    "dear terms": sums(SQUARES.replace("mul(away, away)", "exp(away)")),
    "a length beyond 32": sums(
        """\
    v: f64[1] = full(0.5, 40)
    t: f64 = reduce_sum(v; axes=(0,), keepdims=false)"""
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_alone(name: str) -> None:
    assert after(LEFT[name], LOOPS) == LEFT[name]
