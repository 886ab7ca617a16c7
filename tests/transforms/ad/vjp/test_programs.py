"""Reverse mode on programs that are hard for a tape: recursion, data-dependent control, arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from retrograd.ir.terms import Program
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.ad.jvp import expand_jvp_nodes
from tests.backends.llvm.native import bits, compiled, native, parsed
from tests.transforms.ad.vjp.support import check_gradient, lowered, tangents, with_vjp

pytestmark = pytest.mark.thinned(2)

X = np.array([0.7, -0.3, 1.1, 0.4])
Y = np.array([0.2, 0.9, -0.5, 0.8])
M = np.arange(12.0).reshape(3, 4) / 10 - 0.4
NONE = np.zeros(0)

READ = "; checked=false, span=none"
SUM = "; axes=(0,), keepdims=false"

RECURSIVE = {
    "a recursion that updates in place": (
        f"""(x: f64[1], n: i64) -> (f64):
  a: f64[1] = copy(x)
  r: f64[1] = call down(a, n)
  p: f64[1] = mul(r, r)
  s: f64 = reduce_sum(p{SUM})
  return s

function down(p: f64[1], n: i64) -> (f64[1]):
  more: bool = gt(n, 0)
  r: f64[1] = if more:
      m: i64 = sub(n, 1)
      v: f64 = index(p, m{READ})
      w: f64 = sin(v)
      q: f64[1] = update(p, w, m{READ})
      d: f64[1] = call down(q, m)
      u: f64 = index(d, 0{READ})
      t: f64 = mul(u, w)
      e: f64[1] = update(d, t, m{READ})
      yield e
    else:
      yield p
  return r""",
        ((X, 0), (X, 1), (X, 4)),
    ),
    "loops in a recursion in a loop": (
        f"""(x: f64[1], n: i64) -> (f64):
  s: f64 = for k < 3 with (c: f64 = 0.5):
      r: f64 = call tree(x, n, c)
      y: f64 = sin(r)
      yield y
  return s

function tree(p: f64[1], n: i64, c: f64) -> (f64):
  more: bool = gt(n, 0)
  r: f64 = if more:
      m: i64 = sub(n, 1)
      t: f64 = for l < 2 with (d: f64 = c):
          v: f64 = index(p, l{READ})
          w: f64 = mul(d, v)
          e: f64 = call tree(p, m, w)
          f: f64 = tanh(e)
          yield f
      yield t
    else:
      v0: f64 = index(p, 2{READ})
      z: f64 = mul(v0, c)
      yield z
  return r""",
        ((X, 0), (X, 2)),
    ),
    "recursion that updates in a loop": (
        f"""(x: f64[1], n: i64) -> (f64[1]):
  a: f64[1] = mul(x, 1.0)
  b: f64[1] = call step(a, n)
  return b

function step(p: f64[1], n: i64) -> (f64[1]):
  more: bool = gt(n, 0)
  r: f64[1] = if more:
      m: i64 = sub(n, 1)
      q: f64[1] = for l < 2 with (c: f64[1] = p):
          v: f64 = index(c, l{READ})
          w: f64 = index(c, m{READ})
          u: f64 = mul(v, w)
          t: f64 = sin(u)
          d: f64[1] = update(c, t, m{READ})
          e: f64[1] = call step(d, m)
          yield e
      yield q
    else:
      yield p
  return r""",
        ((X, 0), (X, 1), (X, 3)),
    ),
    "mutual recursion with an array": (
        f"""(x: f64[1], n: i64) -> (f64):
  s: f64 = call odd(x, n)
  return s

function odd(p: f64[1], n: i64) -> (f64):
  more: bool = gt(n, 0)
  r: f64 = if more:
      m: i64 = sub(n, 1)
      d: f64 = call even(p, m)
      v: f64 = index(p, m{READ})
      u: f64 = mul(d, v)
      yield u
    else:
      yield 1.0
  return r

function even(p: f64[1], n: i64) -> (f64):
  q: f64[1] = sin(p)
  more: bool = gt(n, 0)
  r: f64 = if more:
      m: i64 = sub(n, 1)
      d: f64 = call odd(q, m)
      e: f64 = call odd(p, m)
      u: f64 = add(d, e)
      yield u
    else:
      t: f64 = index(q, 0{READ})
      yield t
  return r""",
        ((X, 0), (X, 1), (X, 4)),
    ),
}

LOOPS = {
    "a count that depends on data": (
        f"""(x: f64[1], y: f64) -> (f64[1], f64):
  a: f64[1] = copy(x)
  r: f64[1], s: f64, n: i64 = while (c: f64[1] = a, t: f64 = y, k: i64 = 0):
      small: bool = lt(t, 5.0)
      few: bool = lt(k, 50)
      go: bool = and_(small, few)
      yield go
    do:
      l: i64 = mod(k, 4)
      v: f64 = index(c, l{READ})
      w: f64 = abs(v)
      u: f64 = add(t, w)
      p: f64 = mul(v, u)
      q: f64 = sin(p)
      d: f64[1] = update(c, q, l{READ})
      m: i64 = add(k, 1)
      yield d, u, m
  return r, s""",
        ((X, 0.3), (X, 5.5), (X, -0.6)),
    ),
    "branches in a loop": (
        f"""(x: f64[1], n: i64) -> (f64, f64[1]):
  a: f64[1] = mul(x, 2.0)
  r: f64[1], s: f64 = for k < n with (c: f64[1] = a, t: f64 = 0.5):
      l: i64 = mod(k, 4)
      v: f64 = index(c, l{READ})
      up: bool = gt(v, 0.0)
      d: f64[1], u: f64 = if up:
          p: f64 = exp(v)
          q: f64 = div(p, 3.0)
          e: f64[1] = update(c, q, l{READ})
          w: f64 = mul(t, p)
          yield e, w
        else:
          big: bool = lt(t, 0.2)
          g: f64 = if big:
              h: f64 = mul(t, v)
              yield h
            else:
              i: f64 = sin(t)
              yield i
          yield c, g
      yield d, u
  return s, r""",
        ((X, 0), (X, 1), (X, 7)),
    ),
    "a loop in a loop, in place": (
        f"""(x: f64[1], n: i64) -> (f64[1]):
  a: f64[1] = mul(x, 2.0)
  r: f64[1] = for k < n with (c: f64[1] = a):
      d: f64[1] = for l < 3 with (e: f64[1] = c):
          m: i64 = add(l, 1)
          v: f64 = index(e, l{READ})
          w: f64 = index(e, m{READ})
          u: f64 = mul(v, w)
          t: f64 = sin(u)
          f: f64[1] = update(e, t, m{READ})
          yield f
      yield d
  return r""",
        ((X, 0), (X, 1), (X, 5)),
    ),
    "an array that grows": (
        f"""(x: f64[1], n: i64) -> (f64[1], f64):
  a: f64[1] = sin(x)
  r: f64[1], s: f64 = for k < n with (c: f64[1] = a, z: f64 = 1.0):
      l: i64 = dim(c; axis=0)
      m: i64 = add(l, 1)
      g: f64[1] = full(z, m)
      h: f64[1] = update_slice(g, c, 1, l, 1; spec="s")
      i: f64[1] = mul(h, h)
      v: f64 = reduce_sum(i{SUM})
      w: f64 = tanh(v)
      yield i, w
  return r, s""",
        ((X, 0), (X, 1), (X, 3), (NONE, 2)),
    ),
    "sums of several terms": (
        f"""(x: f64[1], n: i64) -> (f64, f64, f64):
  c: f64, s: f64, t: f64 = for k < n with (d: f64 = 0.5) sums=2:
      l: i64 = mod(k, 4)
      v: f64 = index(x, l{READ})
      u: f64 = mul(v, d)
      w: f64 = sin(u)
      e: f64 = add(d, v)
      p: f64 = exp(w)
      yield w, p, e
  return c, s, t""",
        ((X, 0), (X, 3), (X, 40)),
    ),
    "rows of a matrix": (
        """(m: f64[2], y: f64[1]) -> (f64[1], f64[2]):
  a: f64[2] = copy(m)
  n: i64 = dim(m; axis=0)
  r: f64[2], s: f64[1] = for k < n with (b: f64[2] = a, c: f64[1] = y):
      v: f64[1] = slice(b, k; spec="ia")
      u: f64[1] = mul(v, c)
      w: f64[1] = sin(u)
      d: f64[2] = update_slice(b, w, k; spec="ia")
      yield d, w
  return s, r""",
        ((M, Y), (np.zeros((0, 4)), Y), (np.zeros((3, 0)), NONE)),
    ),
    "a loop that carries an array unchanged": (
        f"""(x: f64[1], n: i64) -> (f64[1], f64):
  a: f64[1] = sin(x)
  r: f64[1], s: f64 = for k < n with (c: f64[1] = a, t: f64 = 1.0):
      v: f64 = index(c, 0{READ})
      u: f64 = mul(t, v)
      w: f64 = exp(u)
      yield c, w
  return r, s""",
        ((X, 0), (X, 3)),
    ),
}

STRAIGHT = {
    "results that are parameters, constants and each other": (
        """(x: f64[1], y: f64, n: i64) -> (f64, f64, f64[1], i64, f64):
  z: f64 = mul(y, y)
  return z, 1.5, x, n, z""",
        ((X, 0.3, 2),),
    ),
    "one array given twice": (
        f"""(x: f64[1]) -> (f64, f64[1]):
  a: f64 = call dot(x, x)
  b: f64[1] = mul(x, x)
  c: f64[1] = add(b, b)
  return a, c

function dot(p: f64[1], q: f64[1]) -> (f64):
  v: f64 = index(p, 0{READ})
  w: f64[1] = mul(q, v)
  s: f64 = matmul(p, w; span=none)
  return s""",
        ((X,),),
    ),
    "a callee that takes over and one that reads": (
        f"""(x: f64[1], y: f64[1]) -> (f64):
  a: f64[1] = sin(x)
  s: f64 = call total(a)
  b: f64[1] = call put(a, y)
  t: f64 = call total(b)
  c: f64[1] = call put(b, x)
  u: f64 = call total(c)
  v: f64 = mul(s, t)
  w: f64 = mul(v, u)
  return w

function put(p: f64[1], q: f64[1]) -> (f64[1]):
  v: f64 = index(p, 1{READ})
  w: f64[1] = mul(q, v)
  r: f64[1] = update_slice(p, w; spec="a")
  return r

function total(p: f64[1]) -> (f64):
  q: f64[1] = mul(p, p)
  s: f64 = reduce_sum(q{SUM})
  return s""",
        ((X, Y),),
    ),
    "broadcasting of unknown extents": (
        """(m: f64[2], x: f64[1], z: f64[2]) -> (f64[2], f64[2]):
  a: f64[2] = mul(m, x)
  b: f64[2] = add(a, z)
  c: f64[2] = mul(z, b)
  return b, c""",
        ((M, X, np.ones((3, 1)) / 3), (M, np.ones(1) / 7, np.ones((1, 4)) / 2)),
    ),
    "nothing to sum": (
        f"""(x: f64[1]) -> (f64, f64[1]):
  a: f64[1] = mul(x, x)
  s: f64 = reduce_sum(a{SUM})
  b: f64[1] = mul(a, s)
  return s, b""",
        ((NONE,), (X,)),
    ),
    "a path through integers": (
        f"""(x: f64[1], y: f64) -> (f64, f64):
  k: i64 = convert(y; dtype="i64")
  v: f64 = index(x, k{READ})
  z: f64 = convert(k; dtype="f64")
  w: f64 = mul(v, z)
  u: f64 = mul(w, y)
  s: f64 = stop_gradient(u)
  t: f64 = mul(s, y)
  return u, t""",
        ((X, 2.5),),
    ),
}

ALL: dict[str, tuple[str, tuple[tuple[Any, ...], ...]]] = {**RECURSIVE, **LOOPS, **STRAIGHT}


def text(name: str) -> Program:
    return parsed("program f\n\nfunction f" + ALL[name][0])


@pytest.mark.parametrize("name", ALL)
def test_the_sweep_is_the_transpose(name: str) -> None:
    rng = np.random.default_rng(3)
    for args in ALL[name][1]:
        check_gradient(text(name), args, rng)


@pytest.mark.parametrize("name", ALL)
def test_the_sweep_of_the_sweep(name: str) -> None:
    rng = np.random.default_rng(4)
    program = text(name)
    args = ALL[name][1][-1]
    first = check_gradient(program, args, rng)
    check_gradient(with_vjp(program), first.args, rng)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ALL)
def test_native_is_the_interpreter(name: str) -> None:
    rng = np.random.default_rng(5)
    program = text(name)
    code = compiled(lowered(with_vjp(program)))
    for args in ALL[name][1]:
        found = check_gradient(program, args, rng)
        first, second = native(code, found.args), native(code, found.args)
        assert bits(first) == bits(second)
        close(first, found.results)


def close(got: Sequence[Any], want: Sequence[Any]) -> None:
    for mine, theirs in zip(got, want, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-13)


def test_the_tangent_of_a_sweep_is_the_sweep_of_a_tangent() -> None:
    """Both orders of nesting give one Hessian, which central differences confirm."""
    program = text("a loop in a loop, in place")
    gradient = with_vjp(program)
    rng = np.random.default_rng(6)
    args = [X, 3, rng.uniform(-1.0, 1.0, 4)]
    hessian = np.array([tangents(gradient, args, [e], (0,))[-1] for e in np.eye(4)])
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-10, atol=1e-12)
    back = compiled(lowered(gradient))
    for k, e in enumerate(np.eye(4)):
        ahead, behind = (native(back, [X + h * e, *args[1:]])[-1] for h in (1e-6, -1e-6))
        np.testing.assert_allclose(hessian[k], (ahead - behind) / 2e-6, rtol=1e-6, atol=1e-7)


def test_third_order() -> None:
    program = parsed("""
program f

function f(x: f64) -> (f64):
  a: f64 = mul(x, x)
  b: f64 = sin(a)
  return b
""")
    rng = np.random.default_rng(6)
    thrice = with_vjp(with_vjp(program))
    args = [0.7, 0.3, -0.2, 0.4]
    check_gradient(thrice, args, rng)


def test_an_inner_derivative_in_a_loop_of_the_outer_program() -> None:
    program = parsed("""
program f

function f(x: f64, n: i64) -> (f64):
  r: f64 = for k < n with (c: f64 = x):
      v: f64, g: f64 = vjp cube(c, x; cotangents=(1.0,), wrt=(0,))
      u: f64 = mul(g, 0.1)
      w: f64 = sin(u)
      yield w
  return r

function cube(y: f64, a: f64) -> (f64):
  b: f64 = mul(y, y)
  c: f64 = mul(b, y)
  d: f64 = mul(c, a)
  return d
""")
    rng = np.random.default_rng(6)
    check_gradient(program, [0.8, 3], rng)
    check_gradient(with_vjp(program), [0.8, 3, 0.5], rng)


def test_jvp_nodes_under_a_sweep() -> None:
    program = parsed("""
program f

function f(x: f64[1], y: f64[1]) -> (f64, f64):
  v: f64, d: f64 = jvp norm(x; tangents=(y,))
  w: f64 = mul(v, d)
  return w, d

function norm(x: f64[1]) -> (f64):
  s: f64[1] = sin(x)
  t: f64 = matmul(s, x; span=none)
  return t
""")
    rng = np.random.default_rng(6)
    check_gradient(expand_jvp_nodes(program, supply_for(program), DEFAULT), [X, Y], rng)
