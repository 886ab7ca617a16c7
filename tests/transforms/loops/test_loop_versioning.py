"""Loops have a version in which no index comes round, and bits and errors stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.ir.print import print_program
from retrograd.ir.terms import Program
from retrograd.transforms.loops.loop_versioning import version_loops
from retrograd.transforms.passes import Pass
from tests.backends.llvm.native import compiled, native, reference, same
from tests.transforms.support import after, ops, outcome, program, renamed

VERSIONS = Pass("versions", "", version_loops)
HEAD = "(x: f64[1], y: f64[1], n: i64, r: i64) -> (f64, f64[1])"
X = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
FAR = 2**63 - 1


def summed(index: str, more: str = "", extent: str = "m", order: str = "") -> Program:
    """Adds elements of x, and writes to the same places of y."""
    return program(
        HEAD,
        f"""
m: i64 = dim(x; axis=0)
s: f64, z: f64[1] = for i < n with (a: f64 = 0.0, b: f64[1] = y){order}:
    j: i64 = {index}
    k: i64 = wrap(j, {extent})
    v: f64 = index(x, k; checked=true, span=none)
    t: f64 = add(a, v)
    {more or "d: f64[1] = update(b, t, k; checked=true, span=none)"}
    yield t, d
return s, z
""",
    )


FORWARDS = summed("add(i, r)")
BACKWARDS = summed("sub(r, i)")


@pytest.mark.parametrize("source", [FORWARDS, BACKWARDS, summed("add(r, i)", order=" descending")])
@pytest.mark.parametrize("n", [-FAR, -1, 0, 1, 3, 5, 6])
@pytest.mark.parametrize("r", [-FAR - 1, -6, -5, -1, 0, 2, 4, 5, FAR - 2, FAR])
def test_bits_and_errors_stay(source: Program, n: int, r: int) -> None:
    done = after(source, VERSIONS)
    assert ops(done).count("wrap") == 1
    assert ops(done).count("for") == 2
    args = (X, X + 0.5, n, r)
    assert outcome(done, args) == outcome(source, args)


@pytest.mark.parametrize("source", [FORWARDS, BACKWARDS])
def test_native_code(source: Program) -> None:
    done = compiled(renamed(after(source, VERSIONS)))
    for n, r in ((3, 2), (3, 1), (4, -2), (9, 0), (2, FAR), (0, -FAR)):
        args = (X, X + 0.5, n, r)
        got, want = native(done, args), reference(renamed(source), args)
        assert same(got, want)


def test_of_another_array_the_check_stays() -> None:
    """The place is within x; y may be shorter."""
    done, args = after(FORWARDS, VERSIONS), (X, X[:2] + 0.0, 3, 1)
    assert outcome(done, args) == outcome(FORWARDS, args)
    assert print_program(done).count("checked=true") == 3


LEFT = {
    "it moves by two": summed("add(r, r)", "d: f64[1] = copy(b)"),
    "the extent changes": summed("add(i, r)", extent="i"),
    "the place is read": program(
        "(x: i64[1], n: i64) -> (i64)",
        """
m: i64 = dim(x; axis=0)
s: i64 = for i < n with (a: i64 = 0):
    j: i64 = add(a, i)
    k: i64 = wrap(j, m)
    v: i64 = index(x, k; checked=true, span=none)
    yield v
return s
""",
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_alone(name: str) -> None:
    assert after(LEFT[name], VERSIONS) == LEFT[name]


def shifted(x: Any, k: int, n: int) -> Any:
    total = 0.0
    for i in range(n):
        total += x[k + i] * x[i]
    return total


@pytest.mark.parametrize("k", [0, 3, -4, -8])
def test_users_see_the_same(k: int) -> None:
    x = np.linspace(1.0, 2.0, 8)
    assert rg.jit(shifted)(x, k, 4) == pytest.approx(shifted(x, k, 4), rel=1e-14)
    plain, paid = rg.grad(shifted)(x, k, 4), rg.grad(shifted, memory="1MB")(x, k, 4)
    np.testing.assert_array_equal(plain, paid)


def test_an_index_that_leaves_the_array() -> None:
    x = np.linspace(1.0, 2.0, 8)
    for f in (rg.jit(shifted), rg.grad(shifted)):
        with pytest.raises(IndexError, match="index 8 is out of bounds for axis 0 with size 8"):
            f(x, 5, 4)
