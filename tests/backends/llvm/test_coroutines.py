"""Sweeps that take turns have the bits of sweeps that do not, wherever the forward one is cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from retrograd.backends.llvm.coroutines import TurnTaking
from retrograd.backends.llvm.nested_gradients import Inner
from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Program
from tests.backends.llvm.native import Raised, bits, compiled, native, own, ready
from tests.backends.llvm.test_interrupt import numbered
from tests.backends.llvm.turning import LEAVES, in_turns, turning
from tests.transforms.ad.vjp.support import data, linear_programs, lowered, with_vjp
from tests.transforms.ad.vjp.test_identities import FORMS


def check(program: Program, cases: Sequence[Sequence[Any]], grain: int = 1) -> int:
    """Compares with the sweeps in one go; how often they took turns in all."""
    plain = compiled(program)
    made = turning(program, grain)
    if made is None:
        return 0
    leaves = 0
    for args in cases:
        want = native(plain, args)
        assert not isinstance(want, Raised)
        for leaf in LEAVES:
            got, count, _ = in_turns(made, args, leaf)
            leaves += count
            assert bits(got) == bits(want), (leaf, got, want)
    return leaves


@pytest.mark.thinned(2)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_forms(form: Callable[[], Program]) -> None:
    program = lowered(numbered(with_vjp(form())))
    rng = np.random.default_rng(3)
    check(program, [data(program, rng), data(program, rng, 5)])


@pytest.mark.thinned(6)
@pytest.mark.parametrize("program", linear_programs(0, 24))
def test_random_programs(program: Program) -> None:
    rng = np.random.default_rng(3)
    derivative = lowered(numbered(with_vjp(program)))
    check(derivative, [data(derivative, rng)])


def test_turns_are_taken() -> None:
    waits = {
        form.__name__: check(program, [data(program, np.random.default_rng(3), 70)], 32)
        for form in FORMS
        for program in (lowered(numbered(with_vjp(form()))),)
    }
    assert sum(waits.values()) > 30
    assert sum(count > 0 for count in waits.values()) > 3


STENCIL = """program main

function main(x: f64[1], n: i64) -> (f64):
  a: f64[1] = for t < n with (b: f64[1] = x):
      m: i64 = dim(b; axis=0)
      c: f64[1] = copy(b)
      d: f64[1] = for i < m with (e: f64[1] = c):
          u: f64 = index(b, i; checked=false, span=none)
          v: f64 = sin(u)
          w: f64[1] = update(e, v, i; checked=false, span=none)
          yield w
      yield d
  s: f64 = reduce_sum(a; axes=(0), keepdims=false)
  return s
"""


def test_a_late_stop_does_not_depend_on_time_slices() -> None:
    """A run that may stop early, at a clean point, does so however it is cut before."""
    places: set[tuple[int, ...]] = set()
    made = turning(lowered(numbered(with_vjp(parse_program(STENCIL)))), 32)
    assert made is not None
    for slices in (1, 17, 500, 10**9):
        args = [np.cos(np.arange(400.0)), 12, 1.0]
        run = TurnTaking(made.ahead, made.back, made.shapes, ready(), own(args), Inner.of([]))
        run.evenly(slices)
        stops: list[int] = []
        while not run.advance(run.step + 2700, clean=True):
            stops.append(run.step)
        places.add(tuple(stops))
        run.drop()
    (stops,) = places
    apart = np.diff(stops)
    assert len(stops) > 3
    assert len(set(apart[2:].tolist())) == 1, "in the end at iterations of the outer loop"
    assert 1350 < apart[-1] < 2700
