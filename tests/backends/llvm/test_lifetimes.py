"""Who owns an array, and until when: small programs, each right, without a leak or a double free.

Blocks of one size are handed out again at once, so an array that is freed too early shows as a
wrong result where another of its size is made meanwhile.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retrograd.ir.terms import Program
from tests.backends.llvm.lifetimes import ALL, X, Y, text
from tests.backends.llvm.native import agree, compiled, native, own, parsed, ready, reference, same
from tests.transforms.ad.vjp.support import data, linear_programs

pytestmark = pytest.mark.thinned(2)


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


@pytest.mark.thinned(2)
@pytest.mark.parametrize("program", linear_programs(300, 25))
def test_random_programs_are_right_and_do_not_leak(program: Program) -> None:
    agree_nearly(program, data(program, np.random.default_rng(2)))


@pytest.mark.parametrize("program", linear_programs(400, 6))
def test_random_programs_at_full_optimisation(program: Program) -> None:
    agree_nearly(program, data(program, np.random.default_rng(2)), level=3)


def agree_nearly(program: Program, args: list[Any], level: int = 1) -> None:
    """The interpreter's elementary functions are NumPy's, so a few bits may differ."""
    got = native(compiled(program, level=level), args)
    for mine, theirs in zip(got, reference(program, args), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-14)
