"""Faults of native code and of the reverse sweep on programs in text form, one program for each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.backends.llvm.lifetimes import ALL, text
from tests.backends.llvm.native import Raised, agree, compiled, native, parsed
from tests.transforms import forms
from tests.transforms.ad.vjp.support import check_gradient

X = np.array([0.5, -1.0, 2.0])

LIFETIMES = {
    "an array is only read": "the body copied what the loop lent to it, and the copy leaked",
    "a view is only read": "the copy of a view that a loop reads leaked",
    "a view is read where its base dies": "a branch freed the base before the view was read",
    "base and view are both handed to a branch": "the same, with the base as a result",
    "an inner loop lends what the outer one carries": "a copy was taken for the carried array",
    "views of views": "the base of a view among the results leaked",
    "a number is broadcast": "the array of a number that is broadcast leaked",
    "a view is reshaped": "the copy that reshaping a view takes leaked",
}


@pytest.mark.parametrize("name", LIFETIMES)
def test_arrays_are_freed_once_and_in_time(name: str) -> None:
    for args in ALL[name][1]:
        agree(parsed(text(name)), args)


def test_extents_that_overflow() -> None:
    """The number of bytes wrapped to zero, and the array was handed out."""
    with pytest.raises(MemoryError):
        rg.jit(lambda n: np.zeros(n))(2**61)
    with pytest.raises(MemoryError):
        rg.jit(lambda n: np.zeros((n, n)))(2**33)


def test_memory_error_names_the_line() -> None:
    """It came without a place."""
    with pytest.raises(MemoryError) as raised:
        rg.jit(lambda n: np.sum(np.zeros(n)))(10**13)
    assert "np.zeros(n)" in "".join(raised.value.__notes__)


def test_two_negative_extents() -> None:
    """Their product is positive."""
    program = parsed("""
program f

function f(x: f64[1], n: i64, m: i64) -> (f64[2]):
  y: f64[2] = reshape(x, n, m)
  return y
""")
    assert native(compiled(program), [np.ones(6), -2, -3]) == Raised("ValueError")


def test_the_floor_of_a_quotient_by_infinity() -> None:
    """The remainder is infinite then, and infinity less infinity came out."""
    divide = rg.jit(lambda x, y: x // y)
    assert [divide(1.0, -np.inf), divide(-1.0, np.inf), divide(1.0, np.inf)] == [-1.0, -1.0, 0.0]


def test_the_sign_of_a_negative_zero() -> None:
    """NumPy's is zero without a sign."""
    assert np.copysign(1.0, rg.jit(lambda x: np.sign(x))(-0.0)) == 1.0


def test_a_sum_that_leaves_no_elements() -> None:
    """The interpreter could not tell how many rows there are."""
    program = parsed("""
program f

function f(x: f64[2]) -> (f64[1]):
  y: f64[1] = reduce_sum(x; axes=(0,), keepdims=false)
  return y
""")
    (total,) = agree(program, [np.zeros((4, 0))])
    assert total.shape == (0,)


def test_functions_that_call_each_other_are_active_together() -> None:
    """The second was settled while nothing was known of the first: the gradient was wrong."""
    check_gradient(forms.recursion(), [0.7, 4], np.random.default_rng(1))


SHAPES: dict[str, tuple[str, tuple[Any, ...]]] = {
    "an extent was read in the condition of a loop, where its body does not see it": (
        """(x: f64[1], n: i64) -> (f64[1]):
  a: f64[1] = copy(x)
  r: f64[1], m: i64 = while (c: f64[1] = a, k: i64 = 0):
      go: bool = lt(k, n)
      yield go
    do:
      z: f64[1] = zeros(3; dtype="f64")
      l: i64 = add(k, 1)
      yield z, l
  s: f64[1] = sin(r)
  return s""",
        (X, 2),
    ),
    "extents inside a body that is run again were looked for outside": (
        """(x: f64[1], y: f64[1], n: i64) -> (f64[1]):
  a: f64[1] = copy(x)
  r: f64[1] = for k < n with (c: f64[1] = a):
      d: f64[1] = add(y, 1.0)
      e: f64[1], s: f64 = for l < 2 with (g: f64[1] = d, t: f64 = 0.5):
          v: f64 = index(g, l; checked=false, span=none)
          w: f64 = index(c, l; checked=false, span=none)
          u: f64 = mul(v, w)
          p: f64 = mul(u, t)
          q: f64 = sin(p)
          h: f64[1] = update(g, q, l; checked=false, span=none)
          yield h, q
      yield e
  z: f64[1] = mul(r, y)
  return z""",
        (X, X + 1.0, 3),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_extents_in_a_sweep(name: str) -> None:
    body, args = SHAPES[name]
    check_gradient(parsed("program f\n\nfunction f" + body), args, np.random.default_rng(1))


def test_an_array_with_two_names_is_recorded_as_a_copy() -> None:
    """A branch that hands on what the loop carries: the tape took over the carried array."""
    rng = np.random.default_rng(1)
    check_gradient(forms.handed_on(), [X, 0.3], rng)
