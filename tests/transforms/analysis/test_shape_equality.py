"""What all callers agree on: equal extents of parameters, and the checks that go for it."""

from __future__ import annotations

import numpy as np

from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Program
from retrograd.prims import DEFAULT
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.analysis.shapes import Axis
from retrograd.transforms.cleanup import DEAD_CODE, RANGES, SIMPLIFY
from tests.transforms.support import after, outcome, program

HEAD = "(x: f64[2], n: i64) -> (f64)"

MAIN = """
m: f64[2] = zeros({dims}; dtype="f64")
r: f64 = call trace(m)
return r"""

TRACE = """
function trace(p: f64[2]) -> (f64):
  n_1: i64 = dim(p; axis=0)
  s: f64 = for i < n_1 with (t: f64 = 0.0):
      u: f64 = index(p, i, i; checked=true, span=none)
      v: f64 = add(t, u)
      yield v
  return s
"""

MINORS = """
function minors(p: f64[2]) -> (f64):
  k: i64 = dim(p; axis=0)
  one: bool = le(k, 1)
  r_1: f64 = if one:
      yield 1.0
    else:
      less: i64 = add(k, -1)
      q: f64[2] = zeros({dims}; dtype="f64")
      last: f64 = index(p, less, less; checked=true, span=none)
      d: f64 = call minors(q)
      e: f64 = add(d, last)
      yield e
  return r_1
"""


def checks(source: Program, name: str) -> int:
    (function,) = (f for f in source.functions if f.name == name)
    return repr(function).count("('checked', True)")


def test_an_extent_that_all_callers_share_needs_one_check() -> None:
    source = program(HEAD, MAIN.format(dims="n, n"), TRACE)
    assert agreed_shapes(source, DEFAULT)["trace"].arrays["p"] == (Axis("p", 0),) * 2
    done = after(source, RANGES)
    assert checks(done, "trace") == 0
    args = (np.zeros((1, 1)), 3)
    assert outcome(done, args) == outcome(source, args)


def test_one_caller_with_other_extents_keeps_the_check() -> None:
    more = """
m: f64[2] = zeros(n, n; dtype="f64")
r: f64 = call trace(m)
w: f64[2] = zeros(n, 2; dtype="f64")
q: f64 = call trace(w)
s: f64 = add(r, q)
return s"""
    source = program(HEAD, more, TRACE)
    done = after(source, RANGES)
    assert checks(done, "trace") == 1
    assert outcome(done, (np.zeros((1, 1)), 3)) == ("IndexError", outcome_message(source))


def outcome_message(source: Program) -> object:
    """What the program says without the pass."""
    found = outcome(source, (np.zeros((1, 1)), 3))
    assert isinstance(found, tuple)
    return found[1]


def test_the_entry_and_what_gets_its_arrays_keep_their_checks() -> None:
    source = program(HEAD, "r: f64 = call trace(x)\nreturn r", TRACE)
    assert checks(after(source, RANGES), "trace") == 1


def test_a_recursion_that_keeps_extents_equal() -> None:
    body = MAIN.format(dims="n, n").replace("trace", "minors")
    good = program(HEAD, body, MINORS.format(dims="less, less"))
    done = after(good, SIMPLIFY, RANGES)
    assert checks(done, "minors") == 0
    assert outcome(done, (np.zeros((1, 1)), 4)) == outcome(good, (np.zeros((1, 1)), 4))
    bad = program(HEAD, body, MINORS.format(dims="less, 1"))
    assert checks(after(bad, SIMPLIFY, RANGES), "minors") == 1


def test_axes_of_two_parameters() -> None:
    dot = """
function dot(p: f64[1], q: f64[1]) -> (f64):
  k: i64 = dim(p; axis=0)
  s: f64 = for i < k with (t: f64 = 0.0):
      a: f64 = index(p, i; checked=true, span=none)
      b: f64 = index(q, i; checked=true, span=none)
      v: f64 = fma(a, b, t)
      yield v
  return s
"""
    same = """
p_1: f64[1] = zeros(n; dtype="f64")
q_1: f64[1] = zeros({other}; dtype="f64")
r: f64 = call dot(p_1, q_1)
return r"""
    assert checks(after(program(HEAD, same.format(other="n"), dot), RANGES), "dot") == 0
    assert checks(after(program(HEAD, same.format(other="2"), dot), RANGES), "dot") == 1


SQUARES = """
function squares(p: f64[1]) -> (f64[1], i64):
  q: f64[1] = mul(p, p)
  c: f64[1] = copy(q)
  push(c; site="kept")
  k: i64 = dim(q; axis=0)
  return q, k

function back(p: f64[1]) -> (f64[1]):
  r: f64[1] = pop(; site="kept", types=("f64[1]",))
  s: f64[1] = mul(p, r)
  return s
"""


def test_results_and_records_have_the_extents_that_they_were_made_with() -> None:
    """Of the entry's parameter, of a literal, and of an array that is nobody else's."""
    main = """
{array}
y: f64[1], m: i64 = call squares({name})
z: f64[1] = call back(y)
r: f64 = reduce_sum(z; axes=(0,), keepdims=false)
return r"""

    def found(array: str, name: str) -> tuple[object, ...]:
        source = program(HEAD, main.format(array=array, name=name), SQUARES)
        shapes = agreed_shapes(source, DEFAULT)
        own = shapes[source.entry]
        back = shapes["back"].arrays
        return own.arrays["y"][0], own.scalars["m"], own.arrays["z"][0], back["r"] == back["p"]

    assert found('w: f64[1] = zeros(3; dtype="f64")', "w") == (3, 3, 3, True)
    of_row = Axis("x", 1)
    assert found('w: f64[1] = slice(x, 0; spec="ia")', "w") == (of_row, of_row, of_row, True)


def test_records_of_two_sites_with_other_extents_are_told_apart() -> None:
    main = """
v: f64[1] = zeros(2; dtype="f64")
w: f64[1] = zeros({other}; dtype="f64")
y: f64[1], m: i64 = call squares(v)
y_2: f64[1], m_2: i64 = call squares(w)
z: f64[1] = call back(y_2)
z_2: f64[1] = call back(y)
r: f64 = reduce_sum(z; axes=(0,), keepdims=false)
return r"""
    for other, known in (("2", 2), ("3", Axis("r", 0))):
        shapes = agreed_shapes(program(HEAD, main.format(other=other), SQUARES), DEFAULT)
        assert shapes["back"].arrays["r"] == (known,)


def test_what_the_entry_says_of_its_parameters_is_known_where_they_are_used() -> None:
    text = """
function both(p: f64[2], q: f64[1]) -> (f64):
  k: i64 = dim(q; axis=0)
  n: i64 = dim(p; axis=1)
  check_extents(n, k; how="fit", message="no", span=none)
  s: f64[2] = mul(p, q)
  t: f64 = reduce_sum(s; axes=(0, 1), keepdims=false)
  return t

function main(x: f64[2], y: f64[1]) -> (f64){alike}:
  r: f64 = call both(x, y)
  return r
"""

    def of(alike: str) -> tuple[object, bool]:
        source = parse_program("program main\n" + text.replace("{alike}", alike))
        shapes = agreed_shapes(source, DEFAULT)["both"]
        left = repr(after(source, SIMPLIFY, RANGES, DEAD_CODE).function("both"))
        return shapes.arrays["s"], "check_extents" in left

    assert of("") == ((Axis("p", 0), Axis("s", 1)), True)
    assert of(" alike(x(0, 1), y(1))") == ((Axis("p", 0), Axis("p", 1)), False)
    assert of(" alike(x(0, -3), y(-3))") == ((Axis("p", 0), 3), False)
    assert of(" alike(x(0, 1), y(-1))") == ((Axis("p", 0), Axis("p", 1)), False)
    # Two that are not known to be equal, and not 1, are equal where the check has passed.
    assert of(" alike(x(0, 1), y(2))") == ((Axis("p", 0), Axis("p", 1)), True)
