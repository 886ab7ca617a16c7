"""Short loops with a condition: some iterations behind one question, with the steps of each."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.backends.llvm.module import module_text
from retrograd.backends.llvm.time_slices import Legs
from retrograd.ir.terms import Program
from retrograd.prims import DEFAULT
from tests.backends.llvm.native import parsed, ready, resumable
from tests.backends.llvm.test_interrupt import numbered

COST = 7

COLLATZ = """
program f

function f(n: i64) -> (i64, i64):
  m: i64, s: i64 = while (k: i64 = n, c: i64 = 0):
      go: bool = ne(k, 1)
      yield go
    do:
      o: i64 = mod(k, 2)
      e: bool = eq(o, 0)
      j: i64 = if e:
          h: i64 = floordiv(k, 2)
          yield h
        else:
          t: i64 = imul(3, k)
          u: i64 = iadd(t, 1)
          yield u
      d: i64 = iadd(c, 1)
      yield j, d
  return m, s
"""

READ = """
program f

function f(a: f64[1], x: f64) -> (f64):
  i: i64, s: f64 = while (k: i64 = 0, c: f64 = 0.0):
      v: f64 = index(a, k)
      go: bool = lt(v, x)
      yield go
    do:
      w: f64 = index(a, k)
      p: f64 = mul(c, w)
      d: f64 = add(p, 1.0)
      j: i64 = iadd(k, 1)
      yield j, d
  return s
"""

WRITTEN = """
program f

function f(a: f64[1], x: i64) -> (f64[1]):
  i: i64, s: f64[1] = while (k: i64 = 0, c: f64[1] = a):
      go: bool = lt(k, x)
      yield go
    do:
      d: f64[1] = update(c, 1.0, k)
      j: i64 = iadd(k, 1)
      yield j, d
  return s
"""

RECORDED = """
program f

function f(n: i64) -> (i64):
  m: i64 = while (k: i64 = 0):
      go: bool = lt(k, n)
      yield go
    do:
      push(k)
      j: i64 = iadd(k, 1)
      yield j
  return m
"""


def written_out(program: Program) -> bool:
    """Whether the native code asks once for some iterations."""
    return "together" in module_text(program, DEFAULT, True, 1).text


@pytest.mark.parametrize(("text", "is_"), [(COLLATZ, 1), (READ, 1), (WRITTEN, 0), (RECORDED, 0)])
def test_what_is_written_out(text: str, is_: int) -> None:
    """Iterations that write arrays, or on the tape, ask one by one."""
    assert written_out(numbered(parsed(text))) == bool(is_)


def test_long_iterations_ask_one_by_one() -> None:
    more = "".join(f"      d{k}: i64 = iadd(c, {k})\n" for k in range(30))
    long = COLLATZ.replace("      d: i64 =", more + "      d: i64 =")
    assert not written_out(numbered(parsed(long)))


@pytest.mark.parametrize("start", [1, 2, 4, 6, 7, 27])
def test_legs_end_where_they_did(start: int) -> None:
    """At every number of steps that is asked for, and at the right one at the end."""
    code, _ = resumable(numbered(parsed(COLLATZ)), grain=1)
    iterations, k = 0, start
    while k != 1:
        k, iterations = (k // 2 if k % 2 == 0 else 3 * k + 1), iterations + 1
    for asked in (*range(1, min(iterations, 12) * COST + 2), 1 << 40):
        legs = Legs(code, {}, ready(), [start])
        ended, done = legs.start(asked), 0
        while not ended:
            done = min(done + -(-asked // COST), iterations)
            assert legs.steps == done * COST
            ended = legs.resume(asked)
        assert legs.results == [1, iterations]
        assert legs.steps == iterations * COST


def test_an_error_in_some_iteration() -> None:
    """The reading beyond an array's end is found in any of the copies."""
    code, _ = resumable(numbered(parsed(READ)), grain=1)
    for size in range(1, 10):
        a = np.arange(1.0, size + 1.0)
        legs = Legs(code, {}, ready(), [a, size])
        assert legs.start(1 << 40)
        with pytest.raises(IndexError, match=f"index {size} is out of bounds"):
            Legs(code, {}, ready(), [a, 100.0]).start(1 << 40)
