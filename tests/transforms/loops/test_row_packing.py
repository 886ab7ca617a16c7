"""Rows that jammed nests read again and again are read from a packed copy, and bits stay."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.print import print_program
from retrograd.ir.terms import Program
from retrograd.transforms.loops.row_packing import pack_rows
from retrograd.transforms.loops.unroll_and_jam import jam_loops
from retrograd.transforms.passes import Pass
from tests.backends.llvm.native import compiled, native, reference, same
from tests.transforms.support import after, outcome, program, renamed

PACKING = Pass("packing", "", pack_rows)
JAM = Pass("jam", "", jam_loops)

PRODUCTS = """\
zero: f64[2] = zeros(n, k; dtype="f64")
y: f64[2] = for p < n with (old: f64[2] = zero):
    new: f64[2] = for i < k with (row: f64[2] = old):
        s: f64 = for j < d with (t: f64 = 0.0):
            a: f64 = index(x, p, j; checked=false, span=none)
            b: f64 = index(c, i, j; checked=false, span=none)
            ab: f64 = mul(a, b)
            u: f64 = add(t, ab)
            yield u
        next: f64[2] = update(row, s, p, i; checked=false, span=none)
        yield next
    yield new
return y
"""


def products(body: str = PRODUCTS) -> Program:
    """The product of a matrix and the transpose of another, in loops."""
    return program("(x: f64[2], c: f64[2], n: i64, k: i64, d: i64) -> (f64[2])", body)


SHAPES = (
    (16, 9, 5), (15, 9, 5), (40, 16, 12), (17, 3, 4), (16, 0, 3), (20, 8, 0), (0, 8, 3),
    (16, 300, 200), (16, 257, 256),
)  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("shape", SHAPES)
def test_bits_stay(shape: tuple[int, int, int]) -> None:
    n, k, d = shape
    source = products()
    made = after(source, PACKING)
    draw = np.random.default_rng(4)
    x, c = draw.normal(size=(n, d)), draw.normal(size=(k, d))
    x[:1], c[:1], c[-1:, -1:] = -0.0, np.inf, np.nan
    given = (x, c, n, k, d)
    done = after(made, JAM)
    found = native(compiled(renamed(done)), given)
    if n * k * d > 10_000:  # the interpreter would take too long
        assert same(found, native(compiled(renamed(source)), given))
        return
    assert outcome(done, given) == outcome(made, given) == outcome(source, given)
    assert same(found, reference(renamed(source), given))


def test_the_nest_stands_twice_and_reads_columns_where_that_pays() -> None:
    text = print_program(after(products(), PACKING))
    pays, plain = text.split("else:")
    assert "ge(n, 16)" in pays
    assert "65536" in pays
    assert "index(c, i" not in pays.split("for p")[1]
    assert "index(c, i" in plain


def test_a_known_number_of_iterations_is_not_asked_for() -> None:
    few = products(PRODUCTS.replace("p < n", "p < 15"))
    assert after(few, PACKING) == few


MOVED = PRODUCTS.replace(
    "    new: f64[2] = for i", "    e: f64[2] = full(0.5, k, d)\n    new: f64[2] = for i"
).replace("index(c,", "index(e,")
LEFT = {
    "made in the loop around": products(MOVED),
    "no loop around": products(
        PRODUCTS.replace("for p < n with (old: f64[2] = zero):", "if true:")
        .replace("    yield new\n", "    yield new\n  else:\n    yield zero\n")
        .replace("= old)", "= zero)")
        .replace("x, p,", "x, 0,")
        .replace("s, p,", "s, 0,")
    ),
    "columns": products(PRODUCTS.replace("index(c, i, j", "index(c, j, i")),
    "an index that may come round": products(
        PRODUCTS.replace("index(c, i, j; checked=false", "index(c, i, j; checked=true")
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_alone(name: str) -> None:
    assert after(LEFT[name], PACKING) == LEFT[name]
