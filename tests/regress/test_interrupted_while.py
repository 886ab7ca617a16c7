"""Loops with a condition, interrupted: faults that the evaluators by continuations have found."""

from __future__ import annotations

from retrograd.backends.llvm.time_slices import Legs
from tests.backends.llvm.native import parsed, ready, resumable
from tests.backends.llvm.test_interrupt import numbered

CONDITION = """
program f

function f(n: i64) -> (i64):
  r: i64 = while (c: i64 = 0):
      go: bool = call less(c, n)
      yield go
    do:
      d: i64 = add(c, 1)
      yield d
  return r

function less(a: i64, b: i64) -> (bool):
  l: bool = lt(a, b)
  return l
"""


def test_a_condition_that_calls_is_not_evaluated_again() -> None:
    """It was, and charged again, where the run was resumed: runs step by step did not end."""
    code, _ = resumable(numbered(parsed(CONDITION)), grain=1)
    legs = Legs(code, {}, ready(), [9])
    ended = legs.start(1)
    for _ in range(18):
        assert not ended
        ended = legs.resume(1)
    assert ended
    assert legs.results == [9]
    assert legs.steps == 19


NESTED = """
program f

function f(n: i64) -> (i64):
  r: i64 = while (c: i64 = 0):
      go: bool = lt(c, n)
      yield go
    do:
      e: i64 = for k < n with (s: i64 = c):
          t: i64 = add(s, 1)
          yield t
      yield e
  return r
"""


def test_a_loop_in_a_while_loop_is_charged_once() -> None:
    """The statements in it were charged with the iteration around it, too."""
    code, _ = resumable(numbered(parsed(NESTED)), grain=1)
    legs = Legs(code, {}, ready(), [5])
    assert legs.start(1 << 40)
    assert legs.steps == 1 + 5 * 1
