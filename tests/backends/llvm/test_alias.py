"""Alias facts: which loops have them, and that buffers which swap owners are not mixed up."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.backends.llvm.module import module_text
from retrograd.prims import DEFAULT
from tests.backends.llvm.native import agree, parsed

READ = "; checked=false, span=none"

SMOOTHED = f"""program f

function f(x: f64[1], n: i64) -> (f64[1]):
  y: f64[1] = copy(x)
  r: f64[1] = for k < n with (a: f64[1] = y):
      v: f64 = index(x, k{READ})
      w: f64 = mul(v, 2.0)
      b: f64[1] = update(a, w, k{READ})
      yield b
  return r
"""

SWAPPED = f"""program f

function f(x: f64[1], n: i64, m: i64) -> (f64[1], f64[1]):
  y: f64[1] = copy(x)
  z: f64[1] = mul(x, 3.0)
  last: i64 = sub(m, 1)
  r: f64[1], s: f64[1] = for t < n with (a: f64[1] = y, b: f64[1] = z):
      c: f64[1] = for k < last with (d: f64[1] = b):
          k1: i64 = add(k, 1)
          v: f64 = index(a, k1{READ})
          u: f64 = index(d, k{READ})
          w: f64 = add(u, v)
          e: f64[1] = update(d, w, k{READ})
          yield e
      yield c, a
  return r, s
"""

BRANCHED = f"""program f

function f(x: f64[1], n: i64) -> (f64[1]):
  y: f64[1] = copy(x)
  r: f64[1] = for k < n with (a: f64[1] = y):
      v: f64 = index(x, k{READ})
      p: bool = lt(v, 0.0)
      g: f64[1] = if p:
          b: f64[1] = mul(a, 2.0)
          yield b
        else:
          yield a
      h: f64[1] = update(g, v, k{READ})
      yield h
  return r
"""

CALLED = """program f

function f(x: f64[1], n: i64) -> (f64[1], f64[1]):
  a: f64[1], b: f64[1] = call g(x, x, n)
  return a, b

function g(p: f64[1], q: f64[1], n: i64) -> (f64[1], f64[1]):
  c: f64[1] = copy(p)
  d: f64[1] = for k < n with (e: f64[1] = c):
      v: f64 = index(p, k; checked=false, span=none)
      w: f64 = index(q, k; checked=false, span=none)
      u: f64 = mul(v, w)
      h: f64[1] = update(e, u, k; checked=false, span=none)
      yield h
  i: f64[1] = mul(q, 2.0)
  return d, i
"""


def facts(text: str, *, interruptible: bool = False) -> int:
    """Accesses with alias facts."""
    return module_text(parsed(text), DEFAULT, interruptible).text.count("!alias.scope")


def test_a_loop_over_two_buffers_tells_them_apart() -> None:
    assert facts(SMOOTHED) == 2


def test_not_where_a_buffer_may_have_two_names() -> None:
    assert facts(BRANCHED) == 0


def test_also_where_a_run_can_be_interrupted_before_and_after_the_loop() -> None:
    assert facts(SMOOTHED, interruptible=True) == facts(SMOOTHED) > 0


def test_the_text_is_the_same_every_time() -> None:
    assert module_text(parsed(SWAPPED), DEFAULT).text == module_text(parsed(SWAPPED), DEFAULT).text


@pytest.mark.parametrize("level", [1, 3])
@pytest.mark.parametrize("turns", [0, 1, 2, 3, 8])
def test_buffers_that_swap_owners(turns: int, level: int) -> None:
    x = np.random.default_rng(0).normal(size=50)
    agree(parsed(SWAPPED), [x, turns, 50], level=level)


@pytest.mark.parametrize("text", [SMOOTHED, BRANCHED, CALLED])
def test_the_interpreter_agrees(text: str) -> None:
    x = np.random.default_rng(1).normal(size=40)
    agree(parsed(text), [x, 40], level=3)
