"""Loops and calls in which arrays are moved, lent, shared and dropped, with arguments for each."""

from __future__ import annotations

from tests.backends.llvm.lifetimes_straight import Case, M, X, Y

LOOPS: dict[str, Case] = {
    "arrays that grow": (
        """(n: i64) -> (f64[1]):
  a: f64[1] = full(1.0, 1)
  r: f64[1] = for k < n with (c: f64[1] = a):
      m: i64 = add(k, 2)
      g: f64[1] = full(0.5, m)
      l: i64 = dim(c; axis=0)
      h: f64[1] = update_slice(g, c, 0, l, 1; spec="s")
      yield h
  return r""",
        ((0,), (1,), (5,)),
    ),
    "two arrays change places": (
        """(x: f64[1], n: i64) -> (f64[1], f64[1]):
  a: f64[1] = add(x, 1.0)
  b: f64[1] = mul(x, 2.0)
  p: f64[1], q: f64[1] = for k < n with (c: f64[1] = a, d: f64[1] = b):
      e: f64[1] = add_at(c, 1.0, 0)
      yield d, e
  return p, q""",
        ((X, 0), (X, 1), (X, 4)),
    ),
    "an array is only read": (
        """(x: f64[1], n: i64) -> (f64[1], f64, f64[1]):
  a: f64[1] = add(x, 1.0)
  p: f64[1], s: f64 = for k < n with (c: f64[1] = a, t: f64 = 0.0):
      e: f64 = index(c, k; checked=true, span=none)
      u: f64 = add(t, e)
      yield c, u
  return p, s, x""",
        ((X, 0), (X, 4)),
    ),
    "a view is only read": (
        """(x: f64[1], n: i64) -> (f64[1], f64):
  a: f64[1] = slice(x, 3, 4, -1; spec="s")
  p: f64[1], s: f64 = for k < n with (c: f64[1] = a, t: f64 = 0.0):
      e: f64 = index(c, k; checked=true, span=none)
      u: f64 = add(t, e)
      yield c, u
  return p, s""",
        ((X, 0), (X, 4)),
    ),
    "a view is taken over": (
        """(x: f64[1], n: i64) -> (f64[1], f64[1]):
  a: f64[1] = slice(x, 3, 4, -1; spec="s")
  p: f64[1] = for k < n with (c: f64[1] = a):
      e: f64[1] = add_at(c, 2.0, k)
      yield e
  return p, x""",
        ((X, 0), (X, 3)),
    ),
    "an inner loop hands an array back": (
        """(x: f64[1], n: i64) -> (f64[1]):
  a: f64[1] = add(x, 1.0)
  r: f64[1] = for k < n with (c: f64[1] = a):
      d: f64[1], s: f64 = for l < 2 with (e: f64[1] = c, t: f64 = 0.0):
          i: f64 = index(e, l; checked=true, span=none)
          u: f64 = add(t, i)
          yield e, u
      z: f64[1] = full(s, 4)
      w: f64 = index(z, 1; checked=true, span=none)
      g: f64[1] = add_at(d, w, 3)
      yield g
  return r""",
        ((X, 0), (X, 3)),
    ),
    "an inner loop lends what the outer one carries": (
        """(x: f64[1], n: i64) -> (f64[1], f64):
  a: f64[1] = add(x, 1.0)
  r: f64[1], v: f64 = for k < n with (c: f64[1] = a, b: f64 = 0.0):
      d: f64[1], s: f64 = for l < 2 with (e: f64[1] = c, t: f64 = b):
          i: f64 = index(e, l; checked=true, span=none)
          u: f64 = add(t, i)
          yield e, u
      z: f64[1] = full(s, 4)
      w: f64 = index(z, 1; checked=true, span=none)
      yield d, w
  return r, v""",
        ((X, 0), (X, 3)),
    ),
    "a branch lends what the loop carries": (
        """(x: f64[1], n: i64) -> (f64[1], f64):
  a: f64[1] = add(x, 1.0)
  r: f64[1], v: f64 = for k < n with (c: f64[1] = a, b: f64 = 0.0):
      odd: bool = eq(k, 1)
      d: f64[1] = if odd:
          yield c
        else:
          yield c
      z: f64[1] = full(2.0, 4)
      s: f64 = reduce_sum(z; axes=(0,), keepdims=false)
      i: f64 = index(c, 0; checked=true, span=none)
      u: f64 = add(i, s)
      yield d, u
  return r, v""",
        ((X, 0), (X, 3)),
    ),
    "a branch updates what the loop carries": (
        """(x: f64[1], n: i64) -> (f64[1]):
  a: f64[1] = add(x, 1.0)
  r: f64[1] = for k < n with (c: f64[1] = a):
      odd: bool = eq(k, 1)
      d: f64[1] = if odd:
          e: f64[1] = add_at(c, 10.0, k)
          yield e
        else:
          yield c
      g: f64[1] = add_at(d, 1.0, 0)
      yield g
  return r""",
        ((X, 0), (X, 4)),
    ),
    "a view in the body of what the body then writes": (
        """(x: f64[1], n: i64) -> (f64[1]):
  a: f64[1] = add(x, 1.0)
  r: f64[1] = for k < n with (c: f64[1] = a):
      v: f64[1] = slice(c, 0, 3, 1; spec="s")
      w: f64[1] = mul(v, 2.0)
      s: f64 = reduce_sum(w; axes=(0,), keepdims=false)
      g: f64[1] = update(c, s, k; checked=true, span=none)
      yield g
  return r""",
        ((X, 0), (X, 4)),
    ),
    "temporaries of every iteration, with sums": (
        """(x: f64[1], n: i64) -> (f64[1], f64, f64):
  a: f64[1] = add(x, 1.0)
  r: f64[1], p: f64, q: f64 = for k < n with (c: f64[1] = a) sums=2:
      w: f64[1] = mul(c, x)
      s: f64 = reduce_sum(w; axes=(0,), keepdims=false)
      i: i64 = mod(k, 4)
      g: f64[1] = update(c, s, i; checked=true, span=none)
      t: f64 = mul(s, 0.5)
      u: f64 = sin(s)
      d: f64[1] = mul(g, 0.125)
      yield d, t, u
  return r, p, q""",
        ((X, 0), (X, 5), (X, 70)),
    ),
    "while": (
        """(x: f64[1], n: i64) -> (f64[1], i64):
  a: f64[1] = add(x, 1.0)
  r: f64[1], m: i64 = while (c: f64[1] = a, k: i64 = 0):
      d: f64[1] = abs(c)
      s: f64 = reduce_sum(d; axes=(0,), keepdims=false)
      p: bool = lt(s, 100.0)
      q: bool = lt(k, n)
      go: bool = and_(p, q)
      yield go
    do:
      g: f64[1] = mul(c, 1.5)
      l: i64 = add(k, 1)
      yield g, l
  return r, m""",
        ((X, 0), (X, 3), (X, 50)),
    ),
    "while with an array that is only read": (
        """(x: f64[1]) -> (f64[1], i64):
  a: f64[1] = add(x, 1.0)
  r: f64[1], m: i64 = while (c: f64[1] = a, k: i64 = 0):
      s: f64 = index(c, k; checked=true, span=none)
      go: bool = lt(s, 3.5)
      yield go
    do:
      l: i64 = add(k, 1)
      yield c, l
  return r, m""",
        ((X,),),
    ),
}

CALLS: dict[str, Case] = {
    "a callee takes over, reads, and hands back": (
        """(x: f64[1], y: f64[1]) -> (f64[1], f64, f64[1], f64[1]):
  a: f64[1] = add(x, 1.0)
  b: f64[1] = call write(a, y)
  s: f64 = call total(y)
  c: f64[1], d: f64[1] = call twice(y)
  return b, s, c, d

function write(p: f64[1], q: f64[1]) -> (f64[1]):
  r: f64[1] = update_slice(p, q, 1, 2, 1; spec="s")
  return r

function total(p: f64[1]) -> (f64):
  r: f64[1] = mul(p, p)
  s: f64 = reduce_sum(r; axes=(0,), keepdims=false)
  return s

function twice(p: f64[1]) -> (f64[1], f64[1]):
  r: f64[1] = copy(p)
  return r, p""",
        ((X, Y),),
    ),
    "a callee drops what it takes over": (
        """(x: f64[1]) -> (f64):
  a: f64[1] = add(x, 1.0)
  s: f64 = call drop(a)
  return s

function drop(p: f64[1]) -> (f64):
  r: f64[1] = update(p, 2.0, 0; checked=true, span=none)
  return 3.0""",
        ((X,),),
    ),
    "views are lent to a callee": (
        """(m: f64[2]) -> (f64, f64):
  t: f64[2] = transpose(m; perm=(1, 0))
  s: f64 = call corner(t)
  r: f64[2] = slice(m, 1, 2, 1; spec="sa")
  u: f64 = call corner(r)
  return s, u

function corner(p: f64[2]) -> (f64):
  n: i64 = dim(p; axis=0)
  k: i64 = sub(n, 1)
  r: f64 = index(p, k, 0; checked=true, span=none)
  return r""",
        ((M,),),
    ),
    "a view of what a callee takes over": (
        """(x: f64[1]) -> (f64[1], f64[1]):
  a: f64[1] = add(x, 1.0)
  v: f64[1] = slice(a, 1, 2, 1; spec="s")
  b: f64[1] = call write(a, v)
  return b, v

function write(p: f64[1], q: f64[1]) -> (f64[1]):
  r: f64[1] = update_slice(p, q, 0, 2, 1; spec="s")
  return r""",
        ((X,),),
    ),
    "recursion with an array": (
        """(x: f64[1], n: i64) -> (f64[1]):
  a: f64[1] = copy(x)
  r: f64[1] = call down(a, n)
  return r

function down(p: f64[1], n: i64) -> (f64[1]):
  more: bool = gt(n, 0)
  r: f64[1] = if more:
      q: f64[1] = add_at(p, 1.0, 0)
      m: i64 = sub(n, 1)
      d: f64[1] = call down(q, m)
      e: f64[1] = mul(d, 0.5)
      yield e
    else:
      yield p
  return r""",
        ((X, 0), (X, 6)),
    ),
}
