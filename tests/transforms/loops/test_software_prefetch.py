"""Blocks of iterations ask for the memory that their reverse writes to, and for nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from benchmarks.programs.constructs import csr_product
from retrograd.ir.terms import Program
from retrograd.transforms.loops.software_prefetch import prefetch_cotangents
from retrograd.transforms.passes import Pass
from tests.backends.llvm.native import compiled, native, reference
from tests.transforms.support import after, ops, outcome, program, renamed

PREFETCH = Pass("prefetch", "", prefetch_cotangents)
HEAD = "(x: f64[2], starts: i64[1], rows: i64) -> (f64, f64[2])"


def block(
    read: str = "first, k", written: str = "first2, k2", most: str = "imin(rows, 64)",
    step: str = "add(j2, 1)", inner: str = "3", carried: str = "e: f64 = c", begin: str = "",
) -> Program:  # fmt: skip
    """Sums elements of x in blocks of rows, and adds to the same places of a new array."""
    kept = carried.split(":")[0]
    return program(
        HEAD,
        f"""
n: i64 = dim(x; axis=0)
m: i64 = dim(x; axis=1)
zero: f64[2] = zeros(n, m; dtype="f64")
total: f64, bar: f64[2] = for b < 2 with (sum: f64 = 0.0, old: f64[2] = zero):
    left: i64 = {most}
    s: f64 = for i < left with (c: f64 = sum):
        first: i64 = index(starts, i; checked=true, span=none)
        d: f64 = for j < 3 with ({carried}):
            k: i64 = add(j, 1)
            v: f64 = index(x, {read}; checked=true, span=none)
            w: f64 = add({kept}, v)
            yield w
        yield d
    new: f64[2] = for i2 < left with (f: f64[2] = old) descending:
        first2: i64 = index(starts, i2; checked=true, span=none)
{begin or f"        g: f64[2] = for j2 < {inner} with (h: f64[2] = f):"}
            k2: i64 = {step}
            u: f64[2] = add_at(h, s, {written})
            yield u
        yield g
    yield s, new
return total, bar
""",
    )


X = np.arange(20.0).reshape(4, 5)


def test_the_first_loop_asks() -> None:
    source = block()
    done = after(source, PREFETCH)
    assert ops(done).count("prefetch") == 1
    for starts in ([0, 2, 1], [3, 3], []):
        args = (X, np.array(starts, dtype=np.int64), len(starts))
        assert outcome(done, args) == outcome(source, args)
        got, want = native(compiled(renamed(done)), args), reference(renamed(source), args)
        for one, other in zip(got, want, strict=True):
            np.testing.assert_array_equal(one, other)


LEFT = {
    "another column": block(step="add(j2, 2)"),
    "every second column": block(read="first, j", written="first2, k2", step="mul(j2, 2)"),
    "along the other axis": block(read="k, first", written="k2, first2"),
    "more iterations": block(inner="2"),
    "not short": block(most="imax(rows, 64)"),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_alone(name: str) -> None:
    assert after(LEFT[name], PREFETCH) == LEFT[name]


def test_an_array_of_the_later_loop_is_not_there_yet() -> None:
    """Each iteration of it adds to an array that it has made."""
    made = """\
        own: f64[2] = copy(f)
        g: f64[2] = for j2 < 3 with (h: f64[2] = own):"""
    source = block(begin=made)
    assert after(source, PREFETCH) == source


def test_an_inner_loop_without_a_sum_is_left_alone() -> None:
    """It could run in lanes."""
    text = """
zero: f64[1] = zeros(9; dtype="f64")
left: i64 = imin(rows, 64)
s: f64[1] = for i < left with (c: f64[1] = zero):
    d: f64[1] = for j < 3 with (e: f64[1] = c):
        v: f64 = index(x, i, j; checked=false, span=none)
        w: f64[1] = update(e, v, j; checked=false, span=none)
        yield w
    yield d
new: f64[2] = for i2 < left with (f: f64[2] = x) descending:
    g: f64[2] = for j2 < 3 with (h: f64[2] = f):
        u: f64[2] = update(h, 1.0, i2, j2; checked=false, span=none)
        yield u
    yield g
r: f64 = index(s, 0; checked=true, span=none)
return r, new
"""
    source = program("(x: f64[2], starts: i64[1], rows: i64) -> (f64, f64[2])", text)
    assert after(source, PREFETCH) == source


@pytest.mark.parametrize("rows", [0, 1, 64, 150])
def test_a_sparse_product(rows: int) -> None:
    rng = np.random.default_rng(rows)
    starts = np.concatenate(([0], np.cumsum(rng.integers(0, 5, rows))))
    values, columns = rng.normal(size=starts[-1]), rng.integers(-7, 7, starts[-1])
    args = (values, rng.normal(size=7), starts, columns)
    plain = rg.grad(csr_product, argnums=(0, 1))(*args)
    paid = rg.grad(csr_product, argnums=(0, 1), memory="1MB")(*args)
    for one, other in zip(plain, paid, strict=True):
        np.testing.assert_array_equal(one, other)
