"""Which extents are equal in a part of a function, and in a run that has not failed."""

from __future__ import annotations

from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Function, Var
from retrograd.ir.types import F64, I64, Type
from retrograd.prims import DEFAULT
from retrograd.transforms.analysis.shapes import Axis, known_in, shapes_of

ROWS = """program main

function row(v: f64[1]) -> (f64[1]):
  w: f64[1] = mul(v, 2.0)
  return w

function main(x: f64[2], v: f64[1], n: i64) -> (f64[2]):
  early: f64[1] = call row(v)
  twice: f64[1] = mul(early, 2.0)
  m:     i64    = dim(early; axis=0)
  same:  bool   = eq(m, n)
  check(same; kind="ValueError", message="rows of different shapes", span=none)
  both:  f64[1] = add(early, twice)
  y:     f64[2] = update_slice(x, both, 0; spec="ia")
  return y
"""

EXTENTS = """program main

function main(x: f64[2], y: f64[1], k: i64) -> (f64[1]):
  n: i64    = dim(x; axis=1)
  m: i64    = dim(x; axis=1)
  z: f64[1] = zeros(k; dtype="f64")
  w: f64[1] = zeros(3; dtype="f64")
  u: f64[1] = slice(x, 0; spec="ia")
  return u
"""


def test_what_has_been_checked_counts_in_a_run_that_has_not_failed() -> None:
    function = parse_program(ROWS).main
    n = Var("n", I64)
    found = shapes_of(function, DEFAULT, checked=True)
    assert {name: found.arrays[name] for name in ("early", "twice", "both")} == {
        "early": (n,), "twice": (n,), "both": (n,)
    }  # fmt: skip
    assert found.scalars["m"] == n
    assert shapes_of(function, DEFAULT).arrays["both"] == (Axis("early", 0),)


def test_a_length_is_not_called_by_one_that_is_younger() -> None:
    text = ROWS.replace("eq(m, n)", "eq(m, late)").replace(
        "  same: ", "  late:  i64    = add(n, 1)\n  same: "
    )
    function = parse_program(text).main
    found = shapes_of(function, DEFAULT, checked=True)
    assert found.arrays["twice"] == (Axis("early", 0),)


def test_a_part_of_a_function_knows_what_the_function_knows() -> None:
    whole = parse_program(EXTENTS).main
    shapes = shapes_of(whole, DEFAULT)
    names = {"n": I64, "m": I64, "k": I64}
    arrays = {"x": Type(F64.dtype, 2), "u": Type(F64.dtype, 1), "z": Type(F64.dtype, 1)}
    params = tuple(Var(name, kind) for name, kind in (names | arrays).items())
    known = known_in(Function("part", params, whole.body, None, whole.prov), shapes)
    n, k = Var("n", I64), Var("k", I64)
    assert known["n"] == known["m"] == n
    assert known[Axis("x", 1)] == known[Axis("u", 0)] == n
    assert known[Axis("z", 0)] == k
    assert known[Axis("x", 0)] == Axis("x", 0)


def test_without_the_scalar_an_axis_stands_for_the_extent() -> None:
    whole = parse_program(EXTENTS).main
    shapes = shapes_of(whole, DEFAULT)
    params = tuple(
        Var(name, Type(F64.dtype, rank)) for name, rank in (("u", 1), ("x", 2), ("z", 1), ("w", 1))
    )
    known = known_in(Function("part", params, whole.body, None, whole.prov), shapes)
    assert known[Axis("u", 0)] == known[Axis("x", 1)] == Axis("u", 0)
    assert known[Axis("z", 0)] == Axis("z", 0)
    assert known[Axis("w", 0)] == 3
