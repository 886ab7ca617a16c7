"""Execution points: which loops and calls have one, and that derived programs keep the numbers."""

from __future__ import annotations

from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Call, For, Program, While
from retrograd.ir.traverse import stms_deep, supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.points.safepoints import number_points

TEXT = """program main

function main(n: i64, x: f64) -> (f64):
  a: f64 = for i < 10 with (b: f64 = x):
      c: f64 = mul(b, b)
      yield c
  d: f64 = for j < n with (e: f64 = a):
      f: f64 = for k < 100000 with (g: f64 = e):
          h: f64 = mul(g, g)
          yield h
      l: f64 = call other(f)
      yield l
  return d

function other(x_2: f64) -> (f64):
  y: f64 = while (z: f64 = x_2):
      go: bool = gt(z, 1.0)
      yield go
    do:
      w: f64 = mul(z, 0.5)
      yield w
  return y
"""


def points(program: Program) -> list[int | None]:
    found = [s.expr for f in program.functions for s in stms_deep(f.body)]
    return [e.point for e in found if isinstance(e, For | While | Call)]


def test_a_short_loop_has_none_and_all_else_is_numbered_in_order() -> None:
    program = parse_program(TEXT)
    numbered = number_points(program, supply_for(program), DEFAULT)
    assert points(numbered) == [None, 0, 1, 2, 3]


def test_numbering_twice_changes_nothing() -> None:
    program = parse_program(TEXT)
    once = number_points(program, supply_for(program), DEFAULT)
    assert number_points(once, supply_for(once), DEFAULT) == once


EDGES = """program main

function main(n: i64, m: i64, x: f64) -> (f64):
  few: i64 = imin(n, 2)
  fewer: i64 = imin(m, few)
  many: i64 = imin(n, 1000000)
  any: i64 = imax(n, 2)
  a: f64 = for i < few with (b: f64 = x):
      c: f64 = mul(b, b)
      yield c
  d: f64 = for j < fewer with (e: f64 = a):
      f: f64 = mul(e, e)
      yield f
  g: f64 = for k < many with (h: f64 = d):
      l: f64 = mul(h, h)
      yield l
  o: f64 = for q < any with (r: f64 = g):
      s: f64 = mul(r, r)
      yield s
  return o
"""


def test_the_edge_of_a_loop_has_none() -> None:
    """Its iterations are few however many the loop has that was divided."""
    program = parse_program(EDGES)
    numbered = number_points(program, supply_for(program), DEFAULT)
    assert points(numbered) == [None, None, 0, 1]
