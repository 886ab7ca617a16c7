"""What steps cost, where chunks end, and the numbers of places."""

from __future__ import annotations

import pytest

from retrograd.ir.terms import Call, For, While
from retrograd.ir.traverse import stms_deep
from retrograd.prims import DEFAULT
from retrograd.transforms.analysis.effects import recursive_functions
from retrograd.transforms.points.cost_model import (
    FIRST_CALL,
    call_places,
    chunk_end,
    iteration_cost,
    pointful,
    runs_in_chunks,
)
from tests.backends.llvm.native import parsed

PROGRAM = parsed("""program f

function f(n: i64, x: f64) -> (f64):
  a: f64 = for i < n with (b: f64 = x) point=0:
      c: f64 = call g(n, b; point=1)
      small: bool = lt(c, 1.0)
      d: f64 = if small:
          e: f64 = for j < 3 with (h: f64 = c):
              k: f64 = mul(h, 0.5)
              l: f64 = sin(k)
              yield l
          yield e
        else:
          yield c
      yield d
  o: f64 = while (p: f64 = a) point=2:
      q: f64 = call g(n, p; point=3)
      go: bool = lt(q, 1.0)
      yield go
    do:
      r: f64 = for m < n with (s: f64 = p) point=4:
          t: f64 = mul(s, 1.5)
          yield t
      yield r
  u: f64 = call w(o; point=5)
  return u

function g(n: i64, x: f64) -> (f64):
  end: bool = le(n, 0)
  r: f64 = if end:
      yield x
    else:
      m: i64 = sub(n, 1)
      y: f64 = call g(m, x; point=6)
      yield y
  return r

function w(x: f64) -> (f64):
  y: f64 = mul(x, 2.0)
  return y
""")

LOOPS = {
    stm.expr.point: stm.expr
    for f in PROGRAM.functions
    for stm in stms_deep(f.body)
    if isinstance(stm.expr, For | While)
}


def test_iterations_cost_their_statements_but_those_with_points_once() -> None:
    costs = {point: iteration_cost(loop.body) for point, loop in LOOPS.items()}
    assert costs == {0: 6, None: 2, 2: 1, 4: 1}


def test_what_can_be_interrupted() -> None:
    assert {p for p, loop in LOOPS.items() if pointful(loop)} == {0, 2, 4}
    whole = [
        p for p, loop in LOOPS.items() if isinstance(loop, For) and runs_in_chunks(loop, DEFAULT)
    ]
    assert whole == [4]


def test_places_are_counted_in_the_order_of_the_text() -> None:
    deep = recursive_functions(PROGRAM)
    assert deep == {"g"}
    places = {
        p: (c.inside - FIRST_CALL, c.after) for p, c in call_places(PROGRAM.main, deep).items()
    }
    # The loop is the first place; each call has one before it, and that of `w` is no recursion.
    assert places == {1: (2, FIRST_CALL + 3), 3: (5, FIRST_CALL + 6), 5: (10, None)}
    assert any(isinstance(s.expr, Call) for s in stms_deep(PROGRAM.main.body))


@pytest.mark.parametrize("from_end", [False, True])
@pytest.mark.parametrize("grain", [1, 4, 32])
def test_a_chunk_ends_at_the_same_place_however_it_is_cut(grain: int, from_end: bool) -> None:
    for trips in (1, 5, 33, 100):
        for cost in (1, 3):
            for left in range(1, trips * cost + 2, 3):
                end = chunk_end(0, trips, left, cost, grain, from_end)
                assert end == trips or cost * end >= left
                assert end == trips or (trips - end if from_end else end) % grain == 0
                assert cost * max(0, end - grain) < left
                middle = chunk_end(0, trips, max(1, left // 2), cost, grain, from_end)
                if middle < trips and middle * cost < left:
                    rest = left - middle * cost
                    assert chunk_end(middle, trips, rest, cost, grain, from_end) == end
