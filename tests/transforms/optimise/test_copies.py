"""Copies that need not be made: between functions, and of arrays that are only read."""

from __future__ import annotations

import numpy as np

from retrograd.ir.terms import Prim, Program
from retrograd.ir.traverse import stms_deep
from retrograd.transforms.cleanup import COPIES, COPIES_BETWEEN
from tests.transforms.support import after, ops, outcome, program

HEAD = "(x: f64[1]) -> (f64[1])"
WRITES = """
function g(p: f64[1]) -> (f64[1]):
  c: f64[1] = copy(p)
  r: f64[1] = update(c, 1.0, 0; checked=true, span=none)
  return r
"""


def copies(source: Program) -> int:
    bodies = [s.expr for f in source.functions for s in stms_deep(f.body)]
    return sum(isinstance(e, Prim) and e.op == "copy" for e in bodies)


def same(source: Program, done: Program) -> bool:
    args = (np.array([3.0, 4.0]),)
    return outcome(done, args) == outcome(source, args)


def test_a_function_takes_over_what_all_callers_give_up() -> None:
    source = program(
        HEAD,
        """
y: f64[1] = mul(x, 2.0)
a: f64[1] = call g(y)
z: f64[1] = mul(x, 3.0)
b: f64[1] = call g(z)
r: f64[1] = add(a, b)
return r""",
        WRITES,
    )
    done = after(source, COPIES_BETWEEN)
    assert copies(done) == 0
    assert same(source, done)
    assert copies(after(source, COPIES)) == 1


def test_one_caller_that_goes_on_with_the_array_keeps_the_copy() -> None:
    source = program(
        HEAD,
        """
y: f64[1] = mul(x, 2.0)
a: f64[1] = call g(y)
z: f64[1] = mul(x, 3.0)
b: f64[1] = call g(z)
t: f64[1] = add(a, z)
r: f64[1] = add(t, b)
return r""",
        WRITES,
    )
    done = after(source, COPIES_BETWEEN)
    assert copies(done) == 1
    assert same(source, done)


def test_parameters_of_the_entry_and_of_loops_outside_stay_with_their_owner() -> None:
    source = program(
        HEAD,
        """
y: f64[1] = mul(x, 2.0)
a: f64[1] = call g(x)
s: f64 = for i < 3 with (t: f64 = 0.0):
    b: f64[1] = call g(y)
    v: f64 = index(b, 0; checked=true, span=none)
    u: f64 = add(t, v)
    yield u
r: f64[1] = mul(a, s)
return r""",
        WRITES,
    )
    done = after(source, COPIES_BETWEEN)
    assert copies(done) == 1
    assert same(source, done)


def test_the_same_array_twice_is_not_given_up() -> None:
    more = """
function g(p: f64[1], q: f64[1]) -> (f64[1]):
  c: f64[1] = copy(p)
  r: f64[1] = update(c, 1.0, 0; checked=true, span=none)
  s: f64[1] = add(r, q)
  return s
"""
    source = program(HEAD, "y: f64[1] = mul(x, 2.0)\na: f64[1] = call g(y, y)\nreturn a", more)
    done = after(source, COPIES_BETWEEN)
    assert copies(done) == 1
    assert same(source, done)


def test_a_recursion_keeps_its_copies() -> None:
    more = """
function g(p: f64[1], n: i64) -> (f64[1]):
  c: f64[1] = copy(p)
  w: f64[1] = update(c, 1.0, 0; checked=true, span=none)
  m: i64 = sub(n, 1)
  f: bool = gt(n, 0)
  r: f64[1] = if f:
      a: f64[1] = call g(w, m)
      yield a
    else:
      yield w
  return r
"""
    source = program(HEAD, "y: f64[1] = mul(x, 2.0)\na: f64[1] = call g(y, 2)\nreturn a", more)
    done = after(source, COPIES_BETWEEN)
    assert copies(done) == 1
    assert same(source, done)


READ_UNTIL = """
y: f64[1] = mul(x, 2.0)
c: f64[1] = copy(y)
s: f64[1] = mul(y, y)
{between}
r: f64[1] = update(c, 1.0, 0; checked=true, span=none)
t: f64[1] = add(r, s)
{later}
return t"""


def test_a_copy_stands_for_an_array_that_is_only_read_until_its_use() -> None:
    source = program(HEAD, READ_UNTIL.format(between="", later=""))
    done = after(source, COPIES)
    assert "copy" not in ops(done)
    assert same(source, done)


def test_a_copy_stays_where_the_array_is_read_after_the_use_of_the_copy() -> None:
    source = program(
        HEAD, READ_UNTIL.format(between="", later="z: f64 = index(y, 0; checked=true, span=none)")
    )
    assert ops(after(source, COPIES)).count("copy") == 1


def test_a_copy_stays_where_the_array_is_overwritten_before_its_use() -> None:
    source = program(
        HEAD,
        READ_UNTIL.format(
            between="o: f64[1] = update(y, 9.0, 0; checked=true, span=none)", later=""
        ),
    )
    done = after(source, COPIES)
    assert ops(done).count("copy") == 1
    assert same(source, done)


def test_of_two_copies_one_is_made() -> None:
    source = program(
        HEAD,
        """
y: f64[1] = mul(x, 2.0)
c: f64[1] = copy(y)
d: f64[1] = copy(y)
s: f64[1] = mul(y, y)
r: f64[1] = update(c, 1.0, 0; checked=true, span=none)
t: f64[1] = add(r, s)
u: f64[1] = update(d, 5.0, 1; checked=true, span=none)
v: f64[1] = add(t, u)
return v""",
    )
    done = after(source, COPIES)
    assert ops(done).count("copy") == 1
    assert same(source, done)
