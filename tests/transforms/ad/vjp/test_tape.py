"""What is recorded: words on the tape of known programs, counted by the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from retrograd.ir.terms import For, Prim
from retrograd.ir.traverse import stms_deep
from tests.backends.llvm.native import compiled, native, parsed, ready
from tests.transforms.ad.vjp.support import lowered, pushed_words, with_vjp

READ = "; checked=false, span=none"


def words(body: str, args: Sequence[Any], bars: Sequence[Any], wrt: Sequence[int] = (0,)) -> int:
    """Words that the forward sweep of `function f` records in one run."""
    program = parsed("program f\n\nfunction f" + body)
    return pushed_words(lowered(with_vjp(program, wrt)), [*args, *bars])


LINEAR = f"""(x: f64[1], n: i64) -> (f64):
  r: f64 = for k < n with (c: f64 = 0.0):
      l: i64 = mod(k, 4)
      v: f64 = index(x, l{READ})
      w: f64 = mul(v, 3.0)
      d: f64 = add(c, w)
      yield d
  return r"""

POWER = """(x: f64, n: i64) -> (f64):
  r: f64 = for k < n with (c: f64 = 1.0):
      d: f64 = mul(c, x)
      yield d
  return r"""

SINES = """(x: f64, n: i64) -> (f64):
  r: f64 = for k < n with (c: f64 = x):
      d: f64 = sin(c)
      e: f64 = exp(d)
      yield e
  return r"""

SQUARES = f"""(x: f64[1]) -> (f64):
  n: i64 = dim(x; axis=0)
  s: f64 = for k < n sums=1:
      v: f64 = index(x, k{READ})
      w: f64 = mul(v, v)
      yield w
  return s"""

OVERWRITTEN = f"""(x: f64[1], n: i64) -> (f64[1]):
  a: f64[1] = copy(x)
  r: f64[1] = for k < n with (c: f64[1] = a):
      v: f64 = index(c, k{READ})
      w: f64 = mul(v, v)
      d: f64[1] = update(c, w, k{READ})
      yield d
  return r"""

WHILE = """(x: f64) -> (f64):
  r: f64 = while (c: f64 = x):
      go: bool = lt(c, 100.0)
      yield go
    do:
      d: f64 = mul(c, c)
      yield d
  return r"""

X = np.array([0.5, -1.0, 2.0, 0.25])


def test_a_linear_loop_records_nothing() -> None:
    assert [words(LINEAR, [X, n], [1.0]) for n in (0, 1, 50)] == [0, 0, 0]


def test_one_word_for_each_iteration() -> None:
    counts = [words(POWER, [1.1, n], [1.0]) for n in (0, 1, 50)]
    assert [n - counts[0] for n in counts] == [0, 1, 50]
    assert counts[0] <= 2


def test_what_is_computed_from_what_is_recorded_is_not() -> None:
    counts = [words(SINES, [0.3, n], [1.0]) for n in (0, 10)]
    assert counts[1] - counts[0] <= 2 * 10


def test_parameters_are_not_recorded() -> None:
    assert words(SQUARES, [X], [1.0]) <= 1


def test_an_element_that_is_overwritten_is_recorded_once() -> None:
    counts = [words(OVERWRITTEN, [X, n], [np.ones(4)]) for n in (0, 1, 4)]
    assert [n - counts[0] for n in counts] == [0, 1, 4]


def test_a_while_loop_records_its_count() -> None:
    few, many = words(WHILE, [50.0], [1.0]), words(WHILE, [1.5], [1.0])
    assert (few, many) == (1 + 1, 4 + 1)


def test_an_argument_that_is_not_wanted_costs_nothing() -> None:
    body = """(x: f64, y: f64, n: i64) -> (f64):
  r: f64, s: f64 = for k < n with (c: f64 = 1.0, d: f64 = y):
      e: f64 = mul(c, x)
      f: f64 = mul(d, d)
      yield e, f
  t: f64 = add(r, s)
  return t"""
    both = words(body, [1.1, 0.9, 20], [1.0], (0, 1))
    first = words(body, [1.1, 0.9, 20], [1.0], (0,))
    assert both - first == 20


def test_the_body_of_a_nest_that_overwrites_an_array_is_run_again() -> None:
    """The array is recorded once for each outer iteration, not once for each element and sweep."""
    body = f"""(x: f64[1], n: i64) -> (f64[1]):
  m: i64 = dim(x; axis=0)
  a: f64[1] = copy(x)
  r: f64[1] = for k < n with (c: f64[1] = a):
      d: f64[1] = for l < m with (e: f64[1] = c):
          v: f64 = index(e, l{READ})
          w: f64 = sin(v)
          u: f64 = mul(w, v)
          f: f64[1] = update(e, u, l{READ})
          yield f
      g: f64[1] = for i < m with (h: f64[1] = d):
          v2: f64 = index(h, i{READ})
          w2: f64 = exp(v2)
          u2: f64 = mul(w2, v2)
          f2: f64[1] = update(h, u2, i{READ})
          yield f2
      yield g
  return r"""
    size = 64
    x = np.linspace(-1.0, 0.5, size)
    program = lowered(with_vjp(parsed("program f\n\nfunction f" + body), (0,)))
    peaks = []
    for n in (0, 10):
        context = ready()
        native(compiled(program), [x, n, np.ones(size)], context)
        peaks.append(context.get("tape_peak") / 8)
    # What one body records while it is run again is at most a few words for each element.
    assert peaks[1] <= 10 * (size + 3) + 4 * 2 * size + 10


def test_innermost_loops_record_in_blocks() -> None:
    program = lowered(with_vjp(parsed("program f\n\nfunction f" + POWER), (0,)))
    loops = [
        s.expr for f in program.functions for s in stms_deep(f.body) if isinstance(s.expr, For)
    ]
    assert [loop.block for loop in loops] == [True, True]
    ops = [s.expr.op for loop in loops for s in loop.body.stms if isinstance(s.expr, Prim)]
    assert ops.count("push") == ops.count("pop") == 1


@pytest.mark.parametrize("trips", [0, 1, 1000])
def test_native_records_as_many_words(trips: int) -> None:
    program = lowered(with_vjp(parsed("program f\n\nfunction f" + POWER), (0,)))
    context = ready()
    native(compiled(program), [1.001, trips, 1.0], context)
    assert context.get("tape_peak") == 8 * pushed_words(program, [1.001, trips, 1.0])
