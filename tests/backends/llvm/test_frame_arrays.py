"""Small arrays of known size are in the native frame where they stay in their block."""

from __future__ import annotations

import re

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile.known import known
from retrograd.backends.llvm.module import module_text
from tests.backends.llvm.native import agree, parsed

HEAD = "program f\n\nfunction f(x: f64, n: i64) -> ({}):\n"


def blocks_of_the_heap(source: str) -> int:
    """How often arrays are allocated in the text of a function."""
    text = module_text(parsed(source), known(), False, 32).text
    body = text.split("define internal {")[1].split("\ndefine ")[0]
    return len(re.findall(r"call noalias ptr @rg_alloc", body))


IN_THE_FRAME = {
    "elements and a sum": """\
  a: f64[1] = array_of(x, 2.0, x; shape=(3,))
  b: f64[1] = mul(a, a)
  c: f64[1] = add(b, a)
  p: f64[1] = mul(c, c)
  d: f64 = reduce_sum(p; axes=(0,), keepdims=false)
  e: f64 = reduce_sum(c; axes=(0,), keepdims=false)
  y: f64 = add(d, e)
  return y
""",
    "changed in a loop": """\
  a: f64[1] = array_of(x, 2.0, x; shape=(3,))
  b: f64[1] = for i < n with (c: f64[1] = a):
      j: i64 = mod(i, 3)
      old: f64 = index(c, j; checked=true, span=none)
      new: f64 = mul(old, 1.5)
      d: f64[1] = update(c, new, j; checked=true, span=none)
      yield d
  y: f64 = index(b, 1; checked=false, span=none)
  return y
""",
    "read in a branch, and through a view": """\
  a: f64[1] = array_of(x, 2.0, x; shape=(3,))
  v: f64[1] = slice(a, 1, 2, 1; spec="s")
  test: bool = lt(x, 1.0)
  y: f64 = if test:
      s: f64 = reduce_sum(v; axes=(0,), keepdims=false)
      yield s
    else:
      t: f64 = index(a, 0; checked=false, span=none)
      yield t
  return y
""",
}


@pytest.mark.parametrize("name", IN_THE_FRAME)
def test_what_stays_is_in_the_frame(name: str) -> None:
    source = HEAD.format("f64") + IN_THE_FRAME[name]
    assert blocks_of_the_heap(source) == 0
    for x in (0.5, 1.5, -0.0, np.inf):
        agree(parsed(source), (x, 7))


ON_THE_HEAP = {
    "a result": ("f64[1]", 1, """\
  a: f64[1] = array_of(x, 2.0, x; shape=(3,))
  return a
"""),
    "what a branch gives": ("f64[1]", 2, """\
  a: f64[1] = array_of(x, 2.0, x; shape=(3,))
  b: f64[1] = array_of(2.0, x, x; shape=(3,))
  test: bool = lt(x, 1.0)
  c: f64[1] = if test:
      yield a
    else:
      yield b
  return c
"""),
    "two that a loop exchanges": ("f64[1]", 2, """\
  a: f64[1] = array_of(x, 2.0, x; shape=(3,))
  b: f64[1] = array_of(2.0, x, x; shape=(3,))
  c: f64[1], d: f64[1] = for i < n with (e: f64[1] = a, f: f64[1] = b):
      yield f, e
  return c
"""),
    "a loop's result": ("f64[1]", 1, """\
  a: f64[1] = array_of(x, 2.0, x; shape=(3,))
  b: f64[1] = for i < n with (c: f64[1] = a):
      j: i64 = mod(i, 3)
      d: f64[1] = update(c, x, j; checked=true, span=none)
      yield d
  return b
"""),
    "of a length that the run knows": ("f64", 1, """\
  m: i64 = add(n, 1)
  a: f64[1] = full(x, m)
  b: f64 = index(a, 0; checked=false, span=none)
  c: f64 = index(a, n; checked=false, span=none)
  y: f64 = add(b, c)
  return y
"""),
    "many elements": ("f64", 1, """\
  a: f64[1] = full(x, 65)
  b: f64 = index(a, 3; checked=false, span=none)
  c: f64 = index(a, 4; checked=false, span=none)
  y: f64 = add(b, c)
  return y
"""),
}  # fmt: skip


@pytest.mark.parametrize("name", ON_THE_HEAP)
def test_what_leaves_is_a_block_of_the_heap(name: str) -> None:
    result, least, body = ON_THE_HEAP[name]
    source = HEAD.format(result) + body
    assert blocks_of_the_heap(source) >= least
    for args in ((0.5, 0), (0.5, 3), (1.5, 2)):
        agree(parsed(source), args)


def bodies(mass, x, v, dt, steps):
    """Vectors of three numbers, made in each iteration."""
    centre = np.array([0.1, -0.2, 0.3])
    energy = 0.0
    for _ in range(steps):
        away = np.array([x[0], x[1], x[2]]) - centre
        pull = -mass * away / (away @ away + 0.05) ** 1.5
        v = v + dt * pull
        x = x + dt * v
        if energy > 0.5:
            x = np.array([x[1], x[2], x[0]])
        energy += 0.5 * np.sum(v * v) * dt
    return energy + x @ v


def test_gradients_have_the_same_bits_in_a_budget() -> None:
    args = 1.3, np.array([1.0, 0.2, -0.3]), np.array([0.1, 0.9, 0.4]), 0.01, 200
    plain = rg.value_and_grad(bodies, argnums=(0, 1, 2))(*args)
    tight = rg.value_and_grad(bodies, argnums=(0, 1, 2), memory="8kB")(*args)
    assert plain[0] == tight[0] == rg.jit(bodies)(*args)
    for one, other in zip(plain[1], tight[1], strict=True):
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()
    np.testing.assert_allclose(plain[0], bodies(*args), rtol=1e-12)
    h = rg.hessian(bodies, argnums=1)(*args)
    np.testing.assert_allclose(h, h.T, rtol=1e-9, atol=1e-12)


def deep(x, depth):
    """A recursion with a small array in each frame: it stays on the heap."""
    a = np.array([x, x * 0.5, 1.0])
    if depth == 0:
        return a @ a
    return deep(0.99 * x, depth - 1) + a[1]


def test_recursions_keep_their_frames_small() -> None:
    assert rg.jit(deep)(0.7, 20_000) == pytest.approx(
        sum(0.35 * 0.99**k for k in range(20_000)) + 1.0
    )


def test_what_may_be_its_operand_is_a_block_of_the_heap() -> None:
    """It was one in the frame, and freed: the address was loaded, so nobody knew of it."""
    source = (
        HEAD.format("f64")
        + """\
  m: i64 = add(n, 1)
  z: f64[1] = full(x, m)
  zz: f64[1] = mul(z, z)
  like: f64[1] = array_of(x; shape=(1,))
  more: f64[1] = sin(like)
  w: f64[1] = sum_like(zz, like)
  total: f64[1] = accumulate(w, more)
  y: f64 = reduce_sum(total; axes=(0,), keepdims=false)
  return y
"""
    )
    for x in (0.5, 1.5):
        agree(parsed(source), (x, 2))
