"""Loops from the last row to the first ask for rows, and bits stay."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.print import print_program
from retrograd.ir.terms import Program
from retrograd.transforms.loops.row_prefetch import prefetch_rows
from retrograd.transforms.passes import Pass
from tests.backends.llvm.native import compiled, native, reference, same
from tests.transforms.support import after, outcome, program, renamed

ASK = Pass("prefetch-rows", "", prefetch_rows)
READ = """\
    row: f64[1] = slice(x, i; spec="ia")
    t: f64 = reduce_sum(row; axes=(0,), keepdims=false)"""
INNER = """\
    t: f64 = for j < width with (s: f64 = 0.0):
        e: f64 = index(x, {}, j; checked=false, span=none)
        u: f64 = fma(e, s, e)
        yield u"""
BESIDE = '    more: f64[1] = slice(x, i; spec="ia")'


def rows(read: str = READ, order: str = " descending", more: str = "") -> Program:
    return program(
        "(x: f64[2], n: i64, width: i64) -> (f64)",
        f"""
total: f64 = for i < n with (sum: f64 = 1.0){order}:
{read}
{more}
    next: f64 = fma(sum, 0.5, t)
    yield next
return total
""",
    )


@pytest.mark.parametrize(
    "source", [rows(), rows(INNER.format("i")), rows(INNER.format("i"), more=BESIDE)]
)
def test_rows_are_asked_for_once(source: Program) -> None:
    done = after(source, ASK)
    assert print_program(done).count("prefetch(x, ") == 3
    for shape in ((5, 3), (1, 1), (0, 2)):
        given = (np.random.default_rng(3).normal(size=shape), *shape)
        assert outcome(done, given) == outcome(source, given)
        assert same(native(compiled(renamed(done)), given), reference(renamed(source), given))


OWN = """\
    own: f64[2] = copy(x)
    t: f64 = index(own, i, 0; checked=false, span=none)"""
LEFT = {
    "upwards": rows(order=""),
    "the same row": rows(INNER.format("0")),
    "an array of the iteration's own": rows(OWN),
    "no loop and no array": rows("    t: f64 = index(x, i, 0; checked=false, span=none)"),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_alone(name: str) -> None:
    assert after(LEFT[name], ASK) == LEFT[name]
