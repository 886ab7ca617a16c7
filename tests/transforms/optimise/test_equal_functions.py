"""One function in the place of several that do the same."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import retrograd as rg
from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Program
from retrograd.report.stages import stage_text
from retrograd.transforms.cleanup import EQUAL
from tests.transforms.support import after

EXTENTS = """
program main

function main(a: f64[2], b: f64[2]) -> (f64, f64):
  s: f64[2] = matmul(a, a)
  one: f64 = call first(s, s)
  two: f64 = call second(a, b)
  return one, two

function first(x: f64[2], y: f64[2]) -> (f64):
  n: i64 = dim(x; axis=0)
  m: i64 = dim(y; axis=1)
  check_extents(n, m; how="same", kind="ValueError", message="different", span=none)
  z: f64 = convert(n; dtype="f64")
  return z

function second(x: f64[2], y: f64[2]) -> (f64):
  n: i64 = dim(x; axis=0)
  m: i64 = dim(y; axis=1)
  check_extents(n, m; how="same", kind="ValueError", message="different", span=none)
  z: f64 = convert(n; dtype="f64")
  return z
"""


def names_of(program: Program) -> list[str]:
    return [f.name for f in program.functions]


def test_what_is_known_of_extents_keeps_them_apart() -> None:
    assert names_of(after(parse_program(EXTENTS), EQUAL)) == ["main", "first", "second"]
    alike = EXTENTS.replace("call first(s, s)", "call first(b, a)")
    assert names_of(after(parse_program(alike), EQUAL)) == ["main", "first"]


def error(w: Any, x: Any) -> Any:
    for _ in range(2):
        x = np.tanh(w @ x)
    return np.sum(x**2)


def trained(rate: float, w: Any, x: Any) -> Any:
    found = [w]
    for _ in range(3):
        found.append(found[-1] - rate * rg.grad(error)(found[-1], x))
    return error(found[-1], x)


def test_a_gradient_that_is_taken_in_each_iteration_is_one_program() -> None:
    args = (0.1, np.eye(3), np.ones(3))
    text = stage_text(trained, args, "vjp")
    called = re.findall(r"^function (\w*error\w*)\(", text, re.MULTILINE)
    kinds = [re.sub(r"_\d+", "", name) for name in called]
    assert len(kinds) > 2
    assert len(kinds) == len(set(kinds)), called
    h, slope = 1e-6, rg.grad(trained)
    differences = (trained(0.1 + h, *args[1:]) - trained(0.1 - h, *args[1:])) / (2 * h)
    assert abs(slope(*args) - differences) < 1e-6
