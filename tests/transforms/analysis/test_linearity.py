"""Which functions count as linear."""

from __future__ import annotations

import pytest

from retrograd.ir.parse import parse_program
from retrograd.prims import DEFAULT
from retrograd.transforms.analysis.linearity import is_linear

PROGRAM = """
program scaled

function scaled(x: f64, y: f64) -> (f64):
  z: f64 = mul(x, y)
  return z

function squared(x: f64, y: f64) -> (f64):
  z: f64 = mul(x, x)
  return z

function shifted(x: f64, y: f64) -> (f64):
  z: f64 = add(x, 1.0)
  return z

function nothing(x: f64, y: f64) -> (f64):
  z: f64 = mul(x, 0.0)
  w: f64 = sub(0.0, z)
  return w

function constant(x: f64, y: f64) -> (f64):
  return y

function over(x: f64, y: f64) -> (f64):
  z: f64 = div(x, y)
  w: f64 = div(0.0, y)
  v: f64 = sub(z, z)
  return v

function under(x: f64, y: f64) -> (f64):
  z: f64 = div(y, x)
  return z

function inside(x: f64, y: f64) -> (f64):
  z: f64 = call scaled(x, y)
  w: f64 = call scaled(y, z)
  return w

function again(x: f64, y: f64) -> (f64):
  z: f64 = call again(x, y)
  return z
"""


@pytest.mark.parametrize(
    ("name", "linear"),
    [
        ("scaled", True),
        ("squared", False),
        ("shifted", False),
        ("nothing", True),
        ("constant", False),
        ("over", True),
        ("under", False),
        ("inside", True),
        ("again", False),
    ],
)
def test_linear_in_the_first_parameter(name: str, linear: bool) -> None:
    functions = {f.name: f for f in parse_program(PROGRAM).functions}
    assert is_linear(functions, name, [0], DEFAULT) is linear


def test_linear_in_both_parameters_together() -> None:
    functions = {f.name: f for f in parse_program(PROGRAM).functions}
    assert not is_linear(functions, "scaled", [0, 1], DEFAULT)
    assert is_linear(functions, "constant", [0, 1], DEFAULT)


@pytest.mark.parametrize(
    ("rule", "linear"),
    [
        ("z: f64 = fma(x, y, 0.0)", True),
        ("z: f64 = fma(x, y, y)", False),
        ("w: f64 = fma(y, 0.0, 0.0)\n  z: f64 = add(w, x)", True),
        ("c: bool = lt(y, 0.0)\n  w: f64 = select(c, 0.0, 0.0)\n  z: f64 = add(w, x)", True),
        ("c: bool = lt(x, 0.0)\n  z: f64 = select(c, x, 0.0)", False),
        ("z: f64 = ldexp(x, 3)", True),
        ("z: f64 = stop_gradient(x)", False),
        ("z: f64 = sum_like(x, y)", True),
        ("z: f64 = sum_like(y, x)\n  v: f64 = add(z, x)", False),
    ],
)
def test_what_operations_say(rule: str, linear: bool) -> None:
    text = f"program f\n\nfunction f(x: f64, y: f64) -> (f64):\n  {rule}\n  return z\n"
    functions = {f.name: f for f in parse_program(text).functions}
    assert is_linear(functions, "f", [0], DEFAULT) is linear
