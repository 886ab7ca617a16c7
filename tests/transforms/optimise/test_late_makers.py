"""Arrays that are made of numbers alone are made where they are used first."""

from __future__ import annotations

from typing import Any

import numpy as np

import retrograd as rg
from retrograd.backends.interp.eval import run
from retrograd.ir.check import check_program
from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.ir.terms import Prim, Program
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.optimise.late_makers import make_in_callees, make_late

ADDED = """
function added(z: f64[1], x: f64[1]) -> (f64[1]):
  s: f64[1] = sin(x)
  y: f64[1] = accumulate(z, s)
  return y
"""

ONCE = f"""{ADDED}\
function main(n: i64, x: f64[1]) -> (f64[1]):
  z: f64[1] = zeros(n; dtype="f64")
  c: f64[1] = cos(x)
  y: f64[1] = call added(z, c)
  return y
"""

TWICE = ONCE.replace(
    "  y: f64[1] = call added(z, c)\n  return y",
    "  y: f64[1] = call added(z, c)\n  w: f64[1] = call added(x, c)\n  u: f64[1] = add(y, w)\n"
    "  return u",
)

SHARED = ONCE.replace(
    "  y: f64[1] = call added(z, c)\n  return y",
    "  d: f64[1] = add(z, c)\n  y: f64[1] = call added(z, d)\n  return y",
)

IN_A_LOOP = """
function read(z: f64[1], k: i64) -> (f64):
  s: f64 = reduce_sum(z; axes=(0,), keepdims=false)
  return s
function main(n: i64, x: f64[1]) -> (f64):
  z: f64[1] = zeros(n; dtype="f64")
  t: f64 = for i < n with (a: f64 = 0.0):
    s: f64 = call read(z, i)
    b: f64 = add(a, s)
    yield b
  return t
"""


SAME_NAMES = f"""{ADDED}\
function other(m: i64, x: f64[1]) -> (f64[1]):
  k: i64 = add(m, 1)
  l: i64 = sub(k, 1)
  z: f64[1] = zeros(l; dtype="f64")
  y: f64[1] = call added(z, x)
  return y
function main(n: i64, x: f64[1]) -> (f64[1]):
  z: f64[1] = zeros(n; dtype="f64")
  c: f64[1] = cos(x)
  y: f64[1] = call added(z, c)
  w: f64[1] = call other(n, y)
  return w
"""
"""Names belong to functions: two arrays of one name are made of other numbers."""

IN_BRANCHES = """
function main(n: i64, x: f64[1]) -> (f64[1]):
  z: f64[1] = zeros(n; dtype="f64")
  w: f64[1] = zeros(n; dtype="f64")
  few: bool = lt(n, 3)
  y: f64[1] = if few:
      yield z
    else:
      many: bool = gt(n, 3)
      u: f64[1] = if many:
          s: f64[1] = add(w, x)
          yield s
        else:
          yield z
      yield u
  return y
"""


def made(text: str) -> Program:
    program = parse_program(f"program main\n{text}")
    check_program(program, DEFAULT)
    inside = make_in_callees(program, supply_for(program), DEFAULT)
    check_program(inside, DEFAULT)
    changed = make_late(inside, supply_for(inside), DEFAULT)
    check_program(changed, DEFAULT)
    args = [4, np.array([0.1, 0.2, 0.3, 0.4])]
    (ours,), (want,) = (run(p, args, DEFAULT) for p in (changed, program))
    np.testing.assert_array_equal(ours, want)
    return changed


def operations(program: Program, name: str) -> list[str]:
    stms = program.function(name).body.stms
    return [s.expr.op if isinstance(s.expr, Prim) else "call" for s in stms]


def test_what_is_made_for_a_call_is_made_in_it() -> None:
    changed = made(ONCE)
    assert operations(changed, "main") == ["cos", "call"]
    assert operations(changed, "added") == ["sin", "zeros", "accumulate"]


def test_what_one_call_only_makes_stays() -> None:
    changed = made(TWICE)
    assert operations(changed, "main") == ["cos", "zeros", "call", "call", "add"]
    assert operations(changed, "added") == ["sin", "accumulate"]


def test_names_belong_to_functions() -> None:
    changed = made(SAME_NAMES)
    assert operations(changed, "main") == ["cos", "call", "call"]
    assert operations(changed, "other") == ["add", "sub", "call"]


def test_what_others_read_stays() -> None:
    assert operations(made(SHARED), "main") == ["cos", "zeros", "add", "call"]


def test_what_is_made_once_for_many_calls_stays() -> None:
    changed = made(IN_A_LOOP)
    assert operations(changed, "read") == ["reduce_sum"]


def test_branches_make_what_they_alone_use() -> None:
    changed = made(IN_BRANCHES)
    assert operations(changed, "main") == ["lt", "call"]
    text = print_program(changed)
    assert text.count("zeros(") == 3  # one in each of the three that use one
    both = made(IN_BRANCHES.replace("  return y", "  v: f64[1] = add(y, w)\n  return v"))
    assert operations(both, "main") == ["lt", "zeros", "call", "add"]


def test_cotangents_of_weights_do_not_wait_for_the_tape() -> None:
    def chain(w1: Any, w2: Any, w3: Any, x: Any) -> Any:
        return np.sum(np.sin(w3 @ np.sin(w2 @ np.sin(w1 @ x))))

    def whole(w1: Any, w2: Any, w3: Any, x: Any) -> Any:
        return rg.checkpoint(chain)(w1, w2, w3, x)

    rng = np.random.default_rng(0)
    weights = [rng.standard_normal((256, 256)) / 16 for _ in range(3)]
    peaks: list[int] = []
    for fun in (chain, whole):
        gradient = rg.grad(fun, (0, 1, 2))
        gradient(*weights, rng.standard_normal((256, 128)))
        peaks.append(gradient.stats().peak_bytes)
    assert peaks[0] <= 2_400_000
    assert peaks[1] <= peaks[0]
