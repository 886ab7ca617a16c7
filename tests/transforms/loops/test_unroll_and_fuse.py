"""Iterations of loops over arrays that go through their elements together: bits stay."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.print import print_program
from retrograd.ir.terms import Program
from retrograd.transforms.loops.unroll_and_fuse import unroll_and_fuse
from retrograd.transforms.passes import Pass
from tests.transforms.loops.support import check, vectors
from tests.transforms.support import after, program

ITERATIONS = Pass("iterations", "", unroll_and_fuse)
SIZES = (0, 1, 5, 31, 32, 33, 70)
TRIPS = (-1, 0, 1, 3, 4, 5, 8, 11)

HORNER = """
start: f64[1] = mul(x, 1.5)
y: f64[1] = for i < n with (old: f64[1] = start):
    k: i64 = mod(i, 3)
    c: f64 = index(w, k; checked=false, span=none)
    new: f64[1] = fma(old, x, c)
    yield new
return y
"""
TAPED = """
start: f64[1] = mul(x, 1.5)
y: f64[1] = for i < n with (old: f64[1] = start):
    new: f64[1] = mul(old, x)
    push(old; site="s")
    yield new
zero: f64[1] = mul(x, 0.0)
g: f64[1], t: f64[1] = for j < n with (bar: f64[1] = y, added: f64[1] = zero) descending:
    was: f64[1] = pop(; site="s", types=("f64[1]",))
    less: f64[1] = mul(bar, x)
    term: f64[1] = mul(bar, was)
    more: f64[1] = accumulate(added, term)
    yield less, more
r: f64[1] = add(g, t)
return r
"""
SUMS = """
clear: f64[1] = zeros(m; dtype="f64")
start: f64[1] = mul(x, 1.5)
y: f64[1], t: f64[1], u: f64 = for i < n with (a: f64[1] = start, b: f64[1] = clear, c: f64 = 0.5):
    s: f64 = reduce_sum(a; axes=(0,), keepdims=false)
    k: i64 = mod(i, 3)
    d: f64 = add(c, s)
    e: f64[1] = update(b, d, k; checked=false, span=none)
    h: f64[1] = mul(a, 0.5)
    p: bool[1] = lt(h, 0.1)
    q: f64[1] = select(p, h, a)
    yield q, e, d
v: f64[1] = mul(y, u)
return v
"""


def source(body: str) -> Program:
    return program("(x: f64[1], w: f64[1], n: i64, m: i64) -> (f64[1])", body)


@pytest.mark.parametrize("body", [HORNER, TAPED, SUMS])
def test_bits_stay(body: str) -> None:
    w = np.array([0.5, -1.25, 0.0])
    sizes = SIZES if body != SUMS else SIZES[1:]
    runs = [(x * 0.7, w, n, 3) for m in sizes for x in vectors(m)[:2] for n in TRIPS]
    if body == SUMS:
        runs = [(x, w, n, 3) for x, w, n, _ in runs]
    text = print_program(check(source(body), runs))
    assert "floordiv(" in text


def test_four_iterations_stand_side_by_side() -> None:
    text = print_program(after(source(TAPED), ITERATIONS))
    assert [text.count(f" {op}(") for op in ("accumulate", "pop")] == [5, 5]
    forward = text.split("push(")[0]
    # four products, the number of the first iteration, and what was there before
    assert forward.count("mul(") == 4 + 1 + 2


DEAR = HORNER.replace("fma(old, x, c)", "exp(old)")
MIXED = HORNER.replace(
    "    new: f64[1] = fma(old, x, c)",
    "    all: f64 = reduce_sum(old; axes=(0,), keepdims=false)\n    new: f64[1] = mul(old, all)",
)
LATE = """
start: f64[1] = mul(x, 1.5)
y: f64[1] = for i < n with (old: f64[1] = start):
    was: f64[1] = copy(old)
    push(was; site="s")
    new: f64[1] = accumulate(old, x)
    yield new
return y
"""
HANDED_ON = """
b: f64[1] = mul(x, 0.5)
c: f64[1] = mul(x, 0.25)
d: f64[1] = mul(x, 2.0)
u: f64[1], v: f64[1], y: f64[1] = for i < n with (p: f64[1] = b, q: f64[1] = c, r: f64[1] = d):
    push(p; held=(0,), site="s")
    more: f64[1] = accumulate(r, x)
    yield more, p, q
return y
"""
OTHER = HORNER.replace("fma(old, x, c)", "add(old, w)")
MATRIX = HORNER.replace("fma(old, x, c)", "copy(old)")
FEW = HORNER.replace("i < n", "i < 3")


@pytest.mark.parametrize("body", [DEAR, MIXED, LATE, HANDED_ON, OTHER, MATRIX, FEW])
def test_others_stay_as_they_are(body: str) -> None:
    made = source(body)
    assert after(made, ITERATIONS) == made
