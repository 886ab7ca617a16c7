"""Points at which more arrays live than at the point of a loop around them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Program
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.points.heavy_points import HeavyPoints, heavy_points
from retrograd.transforms.points.safepoints import number_points

STENCIL = """program main

function main(n: i64, x: f64[1]) -> (f64[1]):
  a: f64[1] = for t < n with (b: f64[1] = x):
      {begin}
      d: f64[1] = for i < n with (e: f64[1] = c):
          u: f64 = index({read}, i; checked=false, span=none)
          v: f64 = mul(u, 0.5)
          w: f64[1] = update(e, v, i; checked=false, span=none)
          yield w
      yield d
  return a
"""


def found(program: Program) -> HeavyPoints:
    numbered = number_points(program, supply_for(program), DEFAULT)
    return heavy_points(numbered, [f.name for f in numbered.functions])


def test_the_old_state_is_read_while_the_new_one_is_made() -> None:
    text = STENCIL.format(begin="c: f64[1] = copy(b)", read="b")
    assert found(parse_program(text)) == HeavyPoints(
        frozenset({("main", 1)}), frozenset({("main", 0)})
    )


def test_in_place_nothing_is_heavy() -> None:
    text = STENCIL.format(begin="c: f64[1] = add(b, 1.0)", read="e")
    assert found(parse_program(text)) == HeavyPoints()


CALLED = """program main

function main(n: i64, x: f64[1]) -> (f64[1]):
  a: f64[1] = for t < n with (b: f64[1] = x):
      c: f64[1] = call {callee}(n, b)
      yield c
  return a

function step(n_2: i64, x_2: f64[1]) -> (f64[1]):
  c_2: f64[1] = copy(x_2)
  d: f64[1] = for i < n_2 with (e: f64[1] = c_2):
      u: f64 = index(x_2, i; checked=false, span=none)
      w: f64[1] = update(e, u, i; checked=false, span=none)
      yield w
  return d
"""

DEEP = """
function deep(n_3: i64, x_3: f64[1]) -> (f64[1]):
  go: bool = gt(n_3, 0)
  m: i64 = isub(n_3, 1)
  r: f64[1] = if go:
      s: f64[1] = call deep(m, x_3)
      y: f64[1] = add(s, x_3)
      yield y
    else:
      z: f64[1] = call step(n_3, x_3)
      yield z
  return r
"""


def test_a_function_that_is_called_in_a_loop() -> None:
    assert found(parse_program(CALLED.format(callee="step"))).points == {("step", 2)}


def test_recursions_have_none() -> None:
    assert found(parse_program(CALLED.format(callee="deep") + DEEP)) == HeavyPoints()


def heat(u: Any, steps: Any) -> Any:
    n = len(u)
    for _ in range(steps):
        w = u.copy()
        for i in range(1, n - 1):
            w[i] = u[i] + 0.1 * (u[i - 1] + u[i + 1] - 2.0 * u[i]) + 0.01 * np.sin(u[i])
        u = w
    return np.sum(u * u)


def heat_by_calls(u: Any, steps: Any) -> Any:
    def step(u: Any) -> Any:
        w = u.copy()
        for i in range(1, len(u) - 1):
            w[i] = u[i] + 0.1 * (u[i - 1] + u[i + 1] - 2.0 * u[i]) + 0.01 * np.sin(u[i])
        return w

    for _ in range(steps):
        u = step(u)
    return np.sum(u * u)


def heat_until(u: Any, end: Any) -> Any:
    t = 0.0
    while t < end:
        w = u.copy()
        for i in range(1, len(u) - 1):
            w[i] = u[i] + 0.1 * (u[i - 1] + u[i + 1] - 2.0 * u[i]) + 0.01 * np.sin(u[i])
        u = w
        t = t + 1.0
    return np.sum(u * u)


@pytest.mark.parametrize("fun", [heat, heat_by_calls, heat_until])
def test_snapshots_are_taken_where_one_state_lives(fun: Any) -> None:
    """A budget of 16 states had room for 5 snapshots, of two states each."""
    u = np.cos(np.arange(2000.0))
    count = 300.0 if fun is heat_until else 300
    with rg.record() as run:
        got = rg.grad(fun, memory=16 * u.nbytes)(u, count)
    assert np.array_equal(got, rg.grad(fun)(u, count))
    assert run.peak_bytes <= 16 * u.nbytes
    assert run.live_snapshots >= 6
    assert run.snapshot_bytes < 1.3 * u.nbytes * run.live_snapshots
