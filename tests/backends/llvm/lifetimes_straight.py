"""Straight code and branches in which arrays are moved, lent and dropped, with arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

X = np.array([1.0, -2.0, 3.0, 0.5])
Y = np.array([0.25, 4.0, -1.0, 2.0])
M = np.arange(12.0).reshape(3, 4) - 5.0
Case = tuple[str, tuple[tuple[Any, ...], ...]]

STRAIGHT: dict[str, Case] = {
    "in-place chain": (
        """(x: f64[1]) -> (f64[1], f64[1]):
  a: f64[1] = add(x, 1.0)
  b: f64[1] = update(a, 7.0, 0; checked=true, span=none)
  c: f64[1] = add_at(b, 0.5, 1)
  d: f64[1] = update_slice(c, 9.0, 2, 2, 1; spec="s")
  e: f64[1] = accumulate(d, x)
  return e, x""",
        ((X,),),
    ),
    "a parameter is taken over": (
        """(x: f64[1], y: f64[1]) -> (f64[1], f64):
  s: f64 = index(x, 2; checked=true, span=none)
  b: f64[1] = update(x, 7.0, 2; checked=true, span=none)
  c: f64[1] = update_slice(b, y; spec="a")
  return c, s""",
        ((X, Y),),
    ),
    "a parameter is dropped": (
        """(x: f64[1]) -> (f64):
  b: f64[1] = update(x, 7.0, 2; checked=true, span=none)
  return 1.0""",
        ((X,),),
    ),
    "results that nobody wants": (
        """(x: f64[1]) -> (f64):
  a: f64[1] = add(x, 1.0)
  b: f64[1] = mul(x, x)
  c: f64[1] = copy(x)
  d: f64[1] = update(c, 1.0, 0; checked=true, span=none)
  s: f64[1] = slice(x, 1, 2, 1; spec="s")
  return 2.0""",
        ((X,),),
    ),
    "a view whose base is overwritten later": (
        """(x: f64[1]) -> (f64[1], f64, f64[1]):
  a: f64[1] = add(x, 0.0)
  v: f64[1] = slice(a, 3, 4, -1; spec="s")
  u: f64[1] = slice(a, 1, 2, 1; spec="s")
  s: f64 = reduce_sum(u; axes=(0,), keepdims=false)
  b: f64[1] = update(a, 100.0, 3; checked=true, span=none)
  t: f64[1] = mul(v, 2.0)
  return b, s, t""",
        ((X,),),
    ),
    "a view whose base is overwritten with it": (
        """(x: f64[1]) -> (f64[1]):
  a: f64[1] = add(x, 0.0)
  v: f64[1] = slice(a, 0, 3, 1; spec="s")
  b: f64[1] = update_slice(a, v, 1, 3, 1; spec="s")
  return b""",
        ((X,),),
    ),
    "a lazy value that crosses an update": (
        """(x: f64[1]) -> (f64[1], f64, f64[1]):
  a: f64[1] = add(x, 0.0)
  d: f64[1] = mul(a, 2.0)
  b: f64[1] = update(a, 100.0, 0; checked=true, span=none)
  s: f64 = reduce_sum(d; axes=(0,), keepdims=false)
  e: f64[1] = mul(b, 3.0)
  f: f64[1] = sin(e)
  return b, s, f""",
        ((X,),),
    ),
    "a lazy value read twice by its consumer": (
        """(x: f64[1]) -> (f64[1]):
  d: f64[1] = mul(x, 2.0)
  e: f64[1] = mul(d, d)
  f: f64[1] = add(e, e)
  return f""",
        ((X,),),
    ),
    "views of views": (
        """(m: f64[2]) -> (f64[1], f64[2], f64):
  a: f64[2] = mul(m, 2.0)
  t: f64[2] = transpose(a; perm=(1, 0))
  r: f64[2] = slice(t, 1, 2, 2; spec="sa")
  c: f64[1] = slice(r, 1; spec="ai")
  q: f64[2] = slice(c; spec="an")
  s: f64 = reduce_sum(q; axes=(0, 1), keepdims=false)
  return c, t, s""",
        ((M,),),
    ),
    "a view is reshaped": (
        """(m: f64[2]) -> (f64[1], f64):
  t: f64[2] = transpose(m; perm=(1, 0))
  r: f64[1] = reshape(t, 12)
  w: f64[2] = reshape(r, 2, 6)
  s: f64 = index(w, 1, 0; checked=true, span=none)
  return r, s""",
        ((M,),),
    ),
    "a number is broadcast": (
        """(s: f64, n: i64) -> (f64):
  a: f64[2] = broadcast(s, n, 2)
  b: f64 = reduce_sum(a; axes=(0, 1), keepdims=false)
  return b""",
        ((1.5, 3), (1.5, 0)),
    ),
    "arrays that are broadcast stay views": (
        """(x: f64[1], m: f64[2]) -> (f64[2], f64[2], f64):
  b: f64[2] = broadcast(x, 3, 4)
  c: f64[2] = mul(b, m)
  p: f64[2] = slice(x; spec="an")
  q: f64[2] = mul(p, x)
  r: f64 = reduce_max(q; axes=(0, 1), keepdims=false)
  return c, q, r""",
        ((X, M),),
    ),
    "the base is handed to an update of its own view": (
        """(x: f64[1]) -> (f64[1]):
  a: f64[1] = mul(x, 1.0)
  r: f64[1] = reshape(a, 4)
  b: f64[1] = accumulate(a, r)
  c: f64[1] = copy(b)
  d: f64[1] = accumulate(b, c)
  return d""",
        ((X,),),
    ),
    "what is computed is assigned into": (
        """(x: f64[1]) -> (f64[1], f64[1]):
  a: f64[1] = mul(x, 3.0)
  b: f64[1] = update_slice(a, x, 3, 4, -1; spec="s")
  c: f64[1] = mul(x, 5.0)
  d: f64[1] = accumulate(c, x)
  return b, d""",
        ((X,),),
    ),
    "bools and integers": (
        """(x: f64[1], n: i64) -> (bool[1], i64[1], bool, f64[1]):
  p: bool[1] = gt(x, 0.0)
  q: bool[1] = not_(p)
  r: bool[1] = update(q, true, 0; checked=true, span=none)
  k: i64[1] = iota(n)
  l: i64[1] = mul(k, k)
  m: i64[1] = add_at(l, -7, 1)
  any: bool = reduce_any(r; axes=(0,), keepdims=false)
  w: f64[1] = select(r, x, 0.0)
  return r, m, any, w""",
        ((X, 3),),
    ),
}

BRANCHES: dict[str, Case] = {
    "moved on one side": (
        """(x: f64[1], c: bool) -> (f64[1]):
  a: f64[1] = add(x, 1.0)
  r: f64[1] = if c:
      b: f64[1] = update(a, 9.0, 0; checked=true, span=none)
      yield b
    else:
      d: f64[1] = mul(x, 2.0)
      yield d
  return r""",
        ((X, True), (X, False)),
    ),
    "dropped on both sides": (
        """(x: f64[1], c: bool) -> (f64):
  a: f64[1] = add(x, 1.0)
  r: f64 = if c:
      b: f64[1] = update(a, 9.0, 0; checked=true, span=none)
      s: f64 = reduce_sum(b; axes=(0,), keepdims=false)
      yield s
    else:
      yield 0.0
  return r""",
        ((X, True), (X, False)),
    ),
    "in place on both sides": (
        """(x: f64[1], c: bool) -> (f64[1], f64[1]):
  a: f64[1] = add(x, 1.0)
  e: f64[1] = sub(x, 1.0)
  r: f64[1], q: f64[1] = if c:
      b: f64[1] = update(a, 9.0, 0; checked=true, span=none)
      yield b, e
    else:
      d: f64[1] = update(a, 8.0, 1; checked=true, span=none)
      f: f64[1] = add_at(e, 4.0, 2)
      yield d, f
  return r, q""",
        ((X, True), (X, False)),
    ),
    "the sides change places": (
        """(x: f64[1], c: bool) -> (f64[1], f64[1]):
  a: f64[1] = add(x, 1.0)
  e: f64[1] = sub(x, 1.0)
  r: f64[1], q: f64[1] = if c:
      yield a, e
    else:
      yield e, a
  s: f64[1] = update(r, 5.0, 0; checked=true, span=none)
  return s, q""",
        ((X, True), (X, False)),
    ),
    "a view is read where its base dies": (
        """(x: f64[1], c: bool) -> (f64):
  a: f64[1] = add(x, 1.0)
  v: f64[1] = slice(a, 1, 2, 1; spec="s")
  r: f64 = if c:
      z: f64[1] = full(100.0, 4)
      w: f64 = index(z, 0; checked=true, span=none)
      s: f64 = reduce_sum(v; axes=(0,), keepdims=false)
      t: f64 = add(s, w)
      yield t
    else:
      yield 0.0
  return r""",
        ((X, True), (X, False)),
    ),
    "base and view are both handed to a branch": (
        """(x: f64[1], c: bool) -> (f64[1], f64):
  a: f64[1] = add(x, 1.0)
  v: f64[1] = slice(a, 1, 2, 1; spec="s")
  b: f64[1], r: f64 = if c:
      s: f64 = reduce_sum(v; axes=(0,), keepdims=false)
      yield a, s
    else:
      z: f64[1] = full(100.0, 4)
      u: f64 = index(v, 1; checked=true, span=none)
      yield z, u
  return b, r""",
        ((X, True), (X, False)),
    ),
    "a parameter is a result": (
        """(x: f64[1], c: bool) -> (f64[1]):
  a: f64[1] = add(x, 1.0)
  r: f64[1] = if c:
      yield x
    else:
      yield a
  d: f64[1] = add_at(r, 1.0, 0)
  return d""",
        ((X, True), (X, False)),
    ),
    "nested": (
        """(x: f64[1], c: bool, d: bool) -> (f64[1]):
  a: f64[1] = add(x, 1.0)
  r: f64[1] = if c:
      b: f64[1] = if d:
          e: f64[1] = update(a, 3.0, 1; checked=true, span=none)
          yield e
        else:
          yield a
      g: f64[1] = update(b, 4.0, 2; checked=true, span=none)
      yield g
    else:
      h: f64[1] = if d:
          yield a
        else:
          i: f64[1] = full(2.0, 4)
          yield i
      yield h
  return r""",
        ((X, True, True), (X, True, False), (X, False, True), (X, False, False)),
    ),
}
