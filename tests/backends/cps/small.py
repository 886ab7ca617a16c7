"""Small programs with points of every kind, by name, with arguments for each."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["SMALL"]

X = np.array([0.5, -1.25, 2.0, 0.75])

SMALL: dict[str, tuple[str, tuple[tuple[Any, ...], ...]]] = {
    "a loop": (
        """
function f(n: i64) -> (i64):
  a: i64 = for k < n with (c: i64 = 1):
      d: i64 = mul(c, 3)
      e: i64 = mod(d, 1001)
      yield e
  return a
""",
        ((-1,), (0,), (1,), (50,)),
    ),
    "nested loops, and a value that lives across them": (
        """
function f(n: i64, x: f64[1]) -> (f64[1], f64):
  w: f64 = index(x, 1; checked=true, span=none)
  y: f64[1] = mul(x, 2.0)
  r: f64[1] = for i < n with (a: f64[1] = y):
      v: f64 = index(a, 0; checked=true, span=none)
      s: f64 = for j < i with (t: f64 = v):
          u: f64 = fma(t, 0.5, w)
          yield u
      b: f64[1] = update(a, s, 2; checked=true, span=none)
      yield b
  q: f64 = index(x, 3; checked=true, span=none)
  z: f64 = add(q, w)
  return r, z
""",
        ((0, X), (1, X), (7, X)),
    ),
    "a while loop that is left in the middle": (
        """
function f(n: i64) -> (i64, f64):
  k: i64, done: bool, x: f64 = while (c: i64 = 0, d: bool = false, y: f64 = 1.0):
      less: bool = lt(c, n)
      more: bool = not_(d)
      go: bool = and_(less, more)
      yield go
    do:
      z: f64 = mul(y, 1.5)
      e: bool = gt(z, 40.0)
      q: i64, w: f64 = if e:
          yield c, z
        else:
          g: i64 = add(c, 1)
          h: f64 = for i < g with (p: f64 = z):
              t: f64 = add(p, 0.125)
              yield t
          yield g, h
      yield q, e, w
  return k, x
""",
        ((0,), (3,), (50,)),
    ),
    "recursion on the way in and out": (
        """
function f(n: i64, x: f64) -> (f64, i64):
  r: f64 = call down(n, x)
  return r, n

function down(n: i64, x: f64) -> (f64):
  end: bool = le(n, 0)
  r: f64 = if end:
      yield x
    else:
      m: i64 = sub(n, 1)
      y: f64 = mul(x, 0.75)
      s: f64 = call down(m, y)
      t: f64 = for k < n with (u: f64 = s):
          v: f64 = add(u, x)
          yield v
      yield t
  return r
""",
        ((0, 2.0), (1, 2.0), (9, 2.0)),
    ),
    "two functions that call each other": (
        """
function f(n: i64) -> (bool, i64):
  a: bool = call even(n)
  b: i64 = if a:
      yield n
    else:
      c: i64 = call twice(n)
      yield c
  return a, b

function even(n: i64) -> (bool):
  end: bool = eq(n, 0)
  r: bool = if end:
      yield true
    else:
      m: i64 = sub(n, 1)
      o: bool = call odd(m)
      yield o
  return r

function odd(n_1: i64) -> (bool):
  end_1: bool = eq(n_1, 0)
  r_1: bool = if end_1:
      yield false
    else:
      m_1: i64 = sub(n_1, 1)
      o_1: bool = call even(m_1)
      yield o_1
  return r_1

function twice(n_2: i64) -> (i64):
  m_2: i64 = add(n_2, n_2)
  return m_2
""",
        ((0,), (6,), (7,)),
    ),
    "a condition that recurs": (
        """
function f(n: i64) -> (i64):
  r: i64 = while (c: i64 = 0):
      go: bool = call less(c, n)
      yield go
    do:
      d: i64 = add(c, 1)
      yield d
  return r

function less(a: i64, b: i64) -> (bool):
  end: bool = le(a, 0)
  r: bool = if end:
      l: bool = gt(b, 0)
      yield l
    else:
      c: i64 = sub(a, 1)
      d: i64 = sub(b, 1)
      m: bool = call less(c, d)
      yield m
  return r
""",
        ((0,), (1,), (5,)),
    ),
    "sums in lanes": (
        """
function f(n: i64, x: f64[1]) -> (f64, f64, f64):
  a: f64, s: f64, t: f64 = for k < n with (c: f64 = 0.5) sums=2:
      i: i64 = mod(k, 4)
      v: f64 = index(x, i; checked=true, span=none)
      d: f64 = fma(c, 0.9, v)
      e: f64 = mul(d, v)
      yield d, e, v
  return a, s, t
""",
        ((0, X), (31, X), (70, X)),
    ),
    "sums of loops with points inside, in both directions": (
        """
function f(n: i64, x: f64) -> (f64, f64):
  s: f64 = for i < n with () sums=1:
      r: f64 = for j < i with () sums=1 descending:
          y: f64 = call scaled(x, j)
          yield y
      yield r
  t: f64 = for k < n with () sums=1 descending:
      z: f64 = call scaled(s, k)
      yield z
  return s, t

function scaled(x: f64, k: i64) -> (f64):
  a: f64 = convert(k; dtype="f64")
  b: f64 = add(a, 0.3)
  y: f64 = mul(x, b)
  return y
""",
        ((0, 0.7), (5, 0.7), (33, 0.7)),
    ),
    "arrays that grow and change places": (
        """
function f(n: i64, x: f64[1]) -> (f64[1], f64[1]):
  a: f64[1] = full(1.0, 2)
  b: f64[1] = copy(x)
  p: f64[1], q: f64[1] = for k < n with (c: f64[1] = a, d: f64[1] = b):
      l: i64 = dim(c; axis=0)
      m: i64 = add(l, 2)
      g: f64[1] = full(0.5, m)
      h: f64[1] = update_slice(g, c, 0, l, 1; spec="s")
      e: f64[1] = call touched(d)
      yield e, h
  return p, q

function touched(x: f64[1]) -> (f64[1]):
  y: f64[1] = add_at(x, 1.0, 0)
  return y
""",
        ((0, X), (1, X), (6, X)),
    ),
    "what is raised on the way": (
        """
function f(n: i64, x: f64[1]) -> (f64):
  s: f64 = for k < n with (t: f64 = 0.0):
      v: f64 = call read(x, k)
      u: f64 = add(t, v)
      yield u
  return s

function read(x: f64[1], k: i64) -> (f64):
  v: f64 = index(x, k; checked=true, span=none)
  return v
""",
        ((3, X), (4, X), (9, X)),
    ),
}
