"""Who owns an array, and until when: small programs, each right and without a leak or a double
free.

Blocks of one size are handed out again at once, so an array that is freed too early shows as a
wrong result where another of its size is made meanwhile.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.backends.llvm.native import agree, compiled, native, own, parsed, ready, reference, same

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

ALL = {**STRAIGHT, **BRANCHES, **LOOPS, **CALLS}


def text(name: str) -> str:
    return "program f\n\nfunction f" + ALL[name][0]


@pytest.mark.parametrize("name", ALL)
def test_right_and_without_a_leak(name: str) -> None:
    program = parsed(text(name))
    code = compiled(program)
    for args in ALL[name][1]:
        want = reference(program, args)
        context = ready()
        for _ in range(2):
            got = native(code, args, context)
            assert same(got, want), (got, want)


def test_an_argument_that_is_not_written_is_left_alone() -> None:
    args = own((X, 4))
    code = compiled(parsed(text("an array is only read")))
    code.run(ready(), args)
    assert np.array_equal(args[0], X)


def test_an_argument_that_is_taken_over_is_updated_in_place() -> None:
    args = own((X, Y))
    code = compiled(parsed(text("a parameter is taken over")))
    assert code.consumed == {0}
    result, _ = code.run(ready(), args)
    assert result is args[0]
    assert np.array_equal(args[1], Y)


def test_temporaries_do_not_pile_up() -> None:
    code = compiled(parsed(text("temporaries of every iteration, with sums")))
    peaks = []
    for trips in (5, 500):
        context = ready()
        native(code, (X, trips), context)
        peaks.append(context.get("peak"))
    assert peaks[0] == peaks[1]


def test_an_empty_array_has_no_elements_and_does_not_leak() -> None:
    empty = parsed("""
program f
function f(x: f64[1]) -> (f64[1], f64, f64[2]):
  a: f64[1] = sin(x)
  v: f64[1] = slice(a, 0, 0, 1; spec="s")
  s: f64 = reduce_sum(v; axes=(0,), keepdims=false)
  b: f64[1] = update_slice(a, v; spec="a")
  m: f64[2] = broadcast(b, 3, 0)
  return b, s, m
""")
    agree(empty, (np.zeros(0),))
