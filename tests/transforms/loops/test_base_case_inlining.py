"""Recursions whose end the caller decides: which are split, and that nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Call, Program
from retrograd.ir.traverse import stms_deep
from retrograd.prims import DEFAULT
from retrograd.transforms.loops.base_case_inlining import decide_endings
from retrograd.transforms.passes import Pass
from tests.transforms.support import after, outcome, program

ENDINGS = Pass("endings", "the end of a recursion is decided by the caller", decide_endings)

HEAD = "(n: i64) -> (i64)"
MAIN = "r: i64 = call fib(n)\nreturn r"

FIB = """
function fib(n_1: i64) -> (i64):
  c: bool = lt(n_1, 2)
  r_1: i64 = {branch}
  s: i64 = add(r_1, 0)
  return s
"""

ENDS_FIRST = """if c:
      yield n_1
    else:
      a: i64 = sub(n_1, 1)
      b: i64 = sub(n_1, 2)
      d: i64 = call fib(a)
      e: i64 = call fib(b)
      f: i64 = add(d, e)
      yield f"""


def calls(source: Program) -> dict[str, list[str]]:
    """Which functions each function calls."""
    found: dict[str, list[str]] = {}
    for function in source.functions:
        exprs = (s.expr for s in stms_deep(function.body))
        found[function.name] = [e.function for e in exprs if isinstance(e, Call)]
    return found


def test_the_side_that_goes_on_becomes_a_function_and_calls_itself() -> None:
    source = program(HEAD, MAIN, FIB.format(branch=ENDS_FIRST))
    done = after(source, ENDINGS)
    assert calls(done) == {"main": ["fib"], "fib": ["fib_on_1"], "fib_on_1": ["fib_on_1"] * 2}
    for n in (-1, 0, 1, 2, 9):
        assert outcome(done, (n,)) == outcome(source, (n,))


def test_the_short_side_may_be_the_second_one() -> None:
    swapped = """if c:
      a: i64 = sub(n_1, 1)
      d: i64 = call fib(a)
      yield d
    else:
      yield n_1"""
    source = program(HEAD, MAIN, FIB.format(branch=swapped).replace("lt(n_1", "gt(n_1"))
    done = after(source, ENDINGS)
    assert calls(done)["fib_on_1"] == ["fib_on_1"]
    assert outcome(done, (7,)) == outcome(source, (7,))


@pytest.mark.parametrize(
    "branch",
    [
        "if c:\n      yield n_1\n    else:\n      a: i64 = sub(n_1, 1)\n      yield a",
        """if c:
      z: i64 = for i < n_1 with (t: i64 = 0):
          yield t
      yield z
    else:
      a: i64 = sub(n_1, 1)
      d: i64 = call fib(a)
      yield d""",
    ],
    ids=["no recursion", "an end with a loop"],
)
def test_other_functions_stay_as_they_are(branch: str) -> None:
    source = program(HEAD, MAIN, FIB.format(branch=branch))
    assert decide_endings(source, NameSupply(), DEFAULT) == source


def minors(a):
    n = a.shape[0]
    if n == 1:
        return a[0, 0]
    part = np.empty((n - 1, n - 1))
    total = 0.0
    for c in range(n):
        for i in range(1, n):
            for j in range(n - 1):
                part[i - 1, j] = a[i, j + (j >= c)]
        total += (1.0 - 2.0 * (c % 2)) * a[0, c] * minors(part)
    return total


def test_both_sweeps_of_a_recursion_on_arrays() -> None:
    a = np.random.default_rng(1).normal(size=(5, 5))
    value, bar = rg.value_and_grad(minors)(a)
    assert np.isclose(value, np.linalg.det(a), rtol=1e-12)
    assert np.allclose(bar, np.linalg.det(a) * np.linalg.inv(a).T, rtol=1e-10)


def endless(x, n):
    if n < 0:
        return x
    return endless(x, n + 1) + 1.0


def test_a_recursion_without_end_is_still_stopped() -> None:
    with pytest.raises(RecursionError):
        rg.jit(endless)(1.0, 0)
