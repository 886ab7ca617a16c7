"""What the reference evaluator says programs mean."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from retrograd.backends.interp.eval import run
from retrograd.backends.interp.tape import Tape
from retrograd.errors import CompilerBug, Limitation
from retrograd.ir.check import check_program
from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Program
from retrograd.prims import DEFAULT
from retrograd.prims.core import RaisedError


def checked(text: str) -> Program:
    program = parse_program(text)
    check_program(program, DEFAULT)
    return program


PREFIX_SUMS = """
program main

function main(x: f64[1]) -> (f64, f64[1]):
  n: i64 = dim(x; axis=0)
  s: f64, y: f64[1] = for i < n with (acc: f64 = 0.0, p: f64[1] = x):
      v: f64 = index(p, i; checked=true, span=none)
      t: f64 = add(acc, v)
      q: f64[1] = update(p, t, i; checked=true, span=none)
      yield t, q
  return s, y
"""


def test_a_loop_with_an_update_leaves_its_argument_alone() -> None:
    x = np.array([1.0, 2.0, 3.0])
    total, sums = run(checked(PREFIX_SUMS), (x,), DEFAULT)
    assert total == 6.0
    assert sums.tolist() == [1.0, 3.0, 6.0]
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_floats_follow_numpy_without_warnings() -> None:
    program = checked("""
program main

function main(x: f64) -> (f64, f64):
  y: f64 = div(x, 0.0)
  z: f64 = sub(y, y)
  return y, z
""")
    y, z = run(program, (1.0,), DEFAULT)
    assert y == np.inf
    assert np.isnan(z)


SUMS = """
program main

function main(x: f64[1]) -> (f64):
  n: i64 = dim(x; axis=0)
  s: f64 = for i < n sums=1:
      v: f64 = index(x, i; checked=true, span=none)
      yield v
  return s
"""


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 100, 8193])
def test_sums_of_a_loop_are_added_as_reduce_sum_adds(n: int, rng: np.random.Generator) -> None:
    x = rng.standard_normal(n) * 10.0 ** rng.integers(-8, 8, n)
    reduce_sum = DEFAULT["reduce_sum"].eval((x,), (("axes", (0,)), ("keepdims", False)))[0]
    (found,) = run(checked(SUMS), (x,), DEFAULT)
    assert found.tobytes() == np.float64(reduce_sum).tobytes()


def test_trip_counts_below_zero_are_zero_and_descending_runs_backwards() -> None:
    program = checked("""
program main

function main(n: i64) -> (i64):
  r: i64 = for i < n with (acc: i64 = 0) descending:
      t: i64 = mul(acc, 10)
      u: i64 = add(t, i)
      yield u
  return r
""")
    assert [run(program, (n,), DEFAULT)[0] for n in (-3, 0, 1, 4)] == [0, 0, 0, 3210]


COLLATZ = """
program main

function main(n: i64) -> (i64):
  m: i64, steps: i64 = while (k: i64 = n, s: i64 = 0):
      go: bool = gt(k, 1)
      yield go
    do:
      half: i64 = floordiv(k, 2)
      rest: i64 = mod(k, 2)
      even: bool = eq(rest, 0)
      next: i64 = if even:
          yield half
        else:
          t: i64 = mul(k, 3)
          u: i64 = add(t, 1)
          yield u
      s2: i64 = iadd(s, 1; span=none)
      yield next, s2
  return steps
"""


def test_while_and_if() -> None:
    assert run(checked(COLLATZ), (27,), DEFAULT) == (111,)


def test_integers_wrap_or_raise_as_the_primitive_says() -> None:
    text = "program main\nfunction main(n: i64) -> (i64):\n  m: i64 = {}\n  return m\n"
    wrapping, raising = (
        checked(text.format("add(n, 1)")),
        checked(text.format("iadd(n, 1; span=none)")),
    )
    assert run(wrapping, (np.int64(2**63 - 1),), DEFAULT)[0] == -(2**63)
    with pytest.raises(RaisedError) as caught:
        run(raising, (np.int64(2**63 - 1),), DEFAULT)
    assert caught.value.kind == "OverflowError"


DOWN = """
program down

function down(n: i64) -> (i64):
  stop: bool = eq(n, 0)
  r: i64 = if stop:
      yield 0
    else:
      m: i64 = sub(n, 1)
      q: i64 = call down(m)
      p: i64 = add(q, 1)
      yield p
  return r
"""


def test_recursion_is_deep_and_runaway_recursion_raises() -> None:
    limit = sys.getrecursionlimit()
    assert run(checked(DOWN), (5000,), DEFAULT) == (5000,)
    with pytest.raises(RaisedError) as caught:
        run(checked(DOWN), (-1,), DEFAULT, max_depth=6000)
    assert caught.value.kind == "RecursionError"
    with pytest.raises(RaisedError):
        run(checked(DOWN), (10,), DEFAULT, max_depth=5)
    assert sys.getrecursionlimit() == limit


TAPED = """
program main

function main(n: i64) -> (i64):
  r: i64 = call sweep(n)
  return r

function sweep(n: i64) -> (i64):
  for i < n BLOCK:
      j: i64 = mul(i, i)
      push(j)
      yield
  r: i64 = for i2 < n with (acc: i64 = 0) DESCENDING BLOCK:
      j2: i64 = pop(; types=("i64",))
      t: i64 = mul(acc, 100)
      u: i64 = add(t, j2)
      yield u
  return r
"""


def test_the_tape_is_a_stack() -> None:
    program = checked(TAPED.replace(" BLOCK", "").replace(" DESCENDING", ""))
    tape = Tape()
    assert run(program, (4,), DEFAULT, tape=tape) == (9040100,)
    assert tape.entries == []


def test_a_block_is_found_by_index_in_either_direction() -> None:
    text = TAPED.replace("BLOCK", "block")
    up, down = text.replace(" DESCENDING", ""), text.replace("DESCENDING", "descending")
    assert run(checked(up), (4,), DEFAULT) == (1 * 10000 + 4 * 100 + 9,)
    assert run(checked(down), (4,), DEFAULT) == (9040100,)
    assert run(checked(down), (0,), DEFAULT) == (0,)


def test_pops_that_do_not_match_are_bugs() -> None:
    text = 'program main\nfunction main() -> (i64):\n  x: i64 = pop(; types=("i64",))\n  return x\n'
    with pytest.raises(CompilerBug, match="empty tape"):
        run(parse_program(text), (), DEFAULT)
    with pytest.raises(CompilerBug, match="another kind"):
        run(parse_program(text), (), DEFAULT, tape=Tape([(1, 2)]))


def test_entries_can_be_chosen_and_arguments_are_counted() -> None:
    program = checked(PREFIX_SUMS)
    with pytest.raises(CompilerBug, match="takes 1 arguments"):
        run(program, (), DEFAULT)
    assert run(checked(TAPED.replace(" BLOCK", "").replace(" DESCENDING", "")), (2,), DEFAULT,
               entry="sweep") == (100,)  # fmt: skip


def test_derivatives_are_declared_as_missing() -> None:
    program = checked("""
program main

function main(x: f64) -> (f64):
  y: f64, d: f64 = jvp square(x; tangents=(x,))
  return d

function square(x: f64) -> (f64):
  y: f64 = mul(x, x)
  return y
""")
    with pytest.raises(Limitation, match="expand derivatives first"):
        run(program, (2.0,), DEFAULT)
