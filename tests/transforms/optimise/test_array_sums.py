"""Terms that are no arrays yet are added in one loop, and where they have to be arrays."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.backends.interp.eval import run
from retrograd.ir.check import check_program
from retrograd.ir.parse import parse_program
from retrograd.ir.traverse import stms_deep, supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.optimise.array_sums import add_in_one_loop

HEAD = "program f\n\nfunction f(x: f64[1], m: f64[2]) -> (f64[1], f64[1]):\n"
ONE = np.array([0.5, -2.0, 3.0])
GRID = np.arange(9.0).reshape(3, 3)


def sums(text: str) -> list[str]:
    """The ops that add, in the program after the pass, which gives the same bits."""
    program = parse_program(HEAD + text)
    check_program(program, DEFAULT)
    made = add_in_one_loop(program, supply_for(program), DEFAULT)
    check_program(made, DEFAULT)
    args = [ONE.copy(), GRID.copy()]
    for before, after in zip(run(program, args, DEFAULT), run(made, args, DEFAULT), strict=True):
        assert np.asarray(before).tobytes() == np.asarray(after).tobytes()
    ops = [getattr(stm.expr, "op", "") for stm in stms_deep(made.main.body)]
    return [op for op in ops if op in ("add", "accumulate")]


def test_of_what_is_used_twice_there_is_an_array() -> None:
    """Unless it is as quickly calculated in the loop of its other readers, which are few."""
    text = """
  t: f64[1] = mul(x, 2.0)
  a: f64 = reduce_sum(t; axes=(0,), keepdims=false)
  c: f64[1] = mul(x, a)
  u: f64[1] = copy(x)
  s: f64[1] = accumulate(t, u)
  return s, c
"""
    assert sums(text) == ["accumulate"]
    assert sums(text.replace("reduce_sum(t;", "reduce_sum(x;")) == ["add"]
    few = text.replace("mul(x, a)", "sin(t)").replace("reduce_sum(t;", "reduce_sum(x;")
    assert sums(few) == ["add"]
    assert sums(few.replace("mul(x, 2.0)", "exp(x)")) == ["accumulate"]
    more = few.replace("  u:", "  d: f64[1] = cos(t)\n  e: f64[1] = tan(t)\n  u:")
    assert sums(more) == ["accumulate"]


def test_of_sums_over_no_axis_the_array_is_read() -> None:
    text = """
  t: f64[1] = mul(x, 2.0)
  o: f64[1] = copy(x)
  b: f64[1] = sum_like(t, x)
  s: f64[1] = accumulate(b, o)
  return s, t
"""
    assert sums(text) == ["add"]
    assert sums(text.replace("sum_like(t, x)", "sum_like(m, x)")) == ["accumulate"]
    taken = text.replace("  s:", "  w: f64[1] = update(t, 1.0, 0; checked=true)\n  s:")
    assert sums(taken.replace("s, t", "s, w")) == ["accumulate"]


def test_zeros_are_a_number() -> None:
    """Which makes the zeros that are added to it positive."""
    text = """
  n: i64 = dim(x; axis=0)
  z: f64[1] = zeros(n; dtype="f64")
  o: f64[1] = mul(x, -0.0)
  s: f64[1] = accumulate(z, o)
  u: f64[1] = mul(x, 3.0)
  t: f64[1] = accumulate(s, u)
  return t, x
"""
    assert sums(text) == ["add", "add"]
    assert sums(text.replace("accumulate(s, u)", "sin(s)")) == ["add"]


def test_an_array_with_one_number_everywhere_is_that_number() -> None:
    text = """
  c: f64[1] = copy(x)
  o: f64[1] = update_slice(c, 2.5; spec="a")
  s: f64[1] = accumulate(o, x)
  return s, x
"""
    assert sums(text) == ["add"]


def test_what_is_read_stays_until_the_sum() -> None:
    text = """
  c: f64[1] = copy(x)
  t: f64[1] = mul(c, 2.0)
  v: f64[1] = update(c, 1.0, 0; checked=true)
  s: f64[1] = accumulate(t, x)
  return s, v
"""
    assert sums(text) == ["accumulate"]
    assert sums(text.replace("mul(c, 2.0)", "mul(x, 2.0)")) == ["add"]


def test_a_loop_that_may_change_what_is_read() -> None:
    text = """
  c: f64[1] = copy(x)
  t: f64[1] = mul(c, 2.0)
  v: f64[1] = for i < 3 with (w: f64[1] = c):
      u: f64[1] = update(w, 1.0, i; checked=true)
      yield u
  s: f64[1] = accumulate(t, x)
  return s, v
"""
    assert sums(text) == ["accumulate"]


def test_rows_of_other_arrays_have_extents_that_are_not_known_to_be_equal() -> None:
    text = """
  r: f64[1] = slice(m, 0; spec="ia")
  s: f64[1] = accumulate(r, x)
  p: f64[1] = slice(m, 1; spec="ia")
  q: f64[1] = slice(m, 2; spec="ia")
  t: f64[1] = accumulate(p, q)
  return s, t
"""
    assert sums(text) == ["accumulate", "add"]


@pytest.mark.parametrize("memory", [None, "3kB"])
def test_gradients_with_such_sums_have_the_bits_of_the_interpreter(memory: str | None) -> None:
    def f(x: np.ndarray, w: np.ndarray) -> float:
        total = 0.0
        for k in range(6):
            row = w[k % 3]
            y = np.tanh(x * row) + x * 0.5
            z = y / (1.0 + np.sum(y * y)) + np.sum(x)
            total += np.sum(z * row * y) + z[0]
            x = 0.5 * z + x
        return total

    plain = rg.grad(f, argnums=(0, 1))(ONE, GRID)
    found = rg.grad(f, argnums=(0, 1), memory=memory)(ONE, GRID)
    rg.check_grads(f, (ONE, GRID), order=1)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(plain, found, strict=True))
