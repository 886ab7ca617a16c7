"""Runs that are interrupted and resumed have the bits of plain runs, wherever they are cut."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from retrograd.backends.llvm.execute import Executable
from retrograd.backends.llvm.time_slices import Legs
from retrograd.ir.terms import Program
from retrograd.runtime.context import Context, stack_floor
from retrograd.runtime.state import FrameShapes
from tests.backends.llvm.lifetimes import ALL, text
from tests.backends.llvm.native import (
    RAISED,
    Raised,
    bits,
    compiled,
    native,
    own,
    parsed,
    ready,
    resumable,
    scalar,
)
from tests.backends.llvm.test_interrupt import numbered, pointed
from tests.transforms.ad.vjp.support import data, lowered, with_vjp
from tests.transforms.ad.vjp.test_identities import FORMS
from tests.transforms.random_forms import random_program

pytestmark = pytest.mark.thinned(2)

BUDGETS = (1, 2, 5, 40, 700)
MOST = 20_000


def moved(legs: Legs) -> Legs:
    """The run in another context; in the old one it is gone on with, and must not matter."""
    state = legs.capture()
    with contextlib.suppress(*RAISED):
        if not legs.resume(3):
            legs.drop()
    assert legs.context.get("live") == 0
    again = Legs(legs.executable, legs.shapes, ready(), legs.args)
    again.restore(state)
    again.steps = legs.steps
    return again


def in_legs(
    code: Executable, shapes: FrameShapes, args: Sequence[Any], budget: int, every: int = MOST
) -> tuple[Any, int]:
    """The outcome of a run in legs of that budget, moved every so many; how many legs it took."""
    context = ready()
    legs = Legs(code, shapes, context, own(args))
    count = 1
    try:
        ended = legs.start(budget)
        while not ended and count < MOST:
            if count % every == 0:
                legs = moved(legs)
                context = legs.context
            ended = legs.resume(budget)
            count += 1
    except RAISED as error:
        assert context.get("live") == 0
        return Raised(type(error).__name__), count
    if not ended:
        legs.drop()
        assert context.get("live") == 0
        return None, count
    assert legs.results is not None
    found = [scalar(v) for v in legs.results]
    assert context.tape_bytes == context.get("live") == 0
    return found, count


def check(program: Program, cases: Sequence[Sequence[Any]], *moves: int) -> int:
    """Cuts each run in legs of several lengths; how often runs were interrupted in all.

    Runs are moved to another context after so many legs; there is a turn for each of the `moves`,
    which share the code.
    """
    plain = compiled(program)
    code, shapes = resumable(pointed(program), grain=1)
    interrupted = 0
    for args in cases:
        want = native(plain, args)
        for budget, every in itertools.product(BUDGETS, moves or (MOST,)):
            got, legs = in_legs(code, shapes, args, budget, every)
            if got is None:
                continue
            interrupted += legs - 1
            if isinstance(want, Raised):
                assert got == want
            else:
                assert bits(got) == bits(want), (budget, every)
    return interrupted


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ALL)
def test_small_programs(name: str) -> None:
    check(parsed(text(name)), ALL[name][1], MOST, 1)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_sweeps_of_forms(form: Callable[[], Program]) -> None:
    program = lowered(numbered(with_vjp(form())))
    check(program, [data(program, np.random.default_rng(3))], MOST, 1)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_forms_that_are_moved(form: Callable[[], Program]) -> None:
    program = form()
    check(program, [data(program, np.random.default_rng(3))], 1)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", [0, 1, 6, 8, 12, 15, 105, 112])
def test_random_programs(seed: int) -> None:
    program = random_program(seed)
    assert program is not None
    check(program, [data(program, np.random.default_rng(3))])


def test_some_are_interrupted() -> None:
    program = parsed(text("an inner loop lends what the outer one carries"))
    assert check(program, ALL["an inner loop lends what the outer one carries"][1], 2) > 10


DEEP = """
program f

function f(n: i64, x: f64) -> (f64):
  s: f64 = call down(n, x)
  return s

function down(n: i64, x: f64) -> (f64):
  end: bool = le(n, 0)
  r: f64 = if end:
      yield x
    else:
      m: i64 = sub(n, 1)
      y: f64 = mul(x, 0.999)
      inner: f64 = call down(m, y)
      z: f64 = add(inner, x)
      yield z
  return r
"""


def deep(n: int, x: float) -> float:
    """The same in a loop."""
    kept: list[float] = []
    for _ in range(n):
        kept.append(x)
        x = x * 0.999
    for value in reversed(kept):
        x = x + value
    return x


@pytest.mark.parametrize("budget", [1 << 60, 250_000, 1000])
def test_recursion_is_as_deep_as_memory(budget: int) -> None:
    code, shapes = resumable(numbered(parsed(DEEP)))
    depth = 1_000_000 if budget > 1000 else 20_000
    found, legs = in_legs(code, shapes, (depth, 2.0), budget, 3)
    assert found == [deep(depth, 2.0)]
    assert legs == 1 if budget > depth else legs > depth // budget


def test_a_recursion_without_end_uses_up_its_memory_and_is_refused() -> None:
    code, shapes = resumable(numbered(parsed(DEEP)))
    context = Context()
    context.prepare(1 << 26, stack_floor())
    legs = Legs(code, shapes, context, (1 << 60, 2.0))
    with pytest.raises(RecursionError, match="do not fit in memory"):
        legs.start(1 << 60)
    assert context.get("live") == 0


def test_steps_do_not_depend_on_the_legs() -> None:
    code, shapes = resumable(numbered(parsed(DEEP)))
    counts: set[int] = set()
    for budget in (1 << 40, 777, 50):
        context = ready()
        legs = Legs(code, shapes, context, (3000, 2.0))
        ended = legs.start(budget)
        while not ended:
            ended = legs.resume(budget)
        counts.add(legs.steps)
    assert counts == {6002}


def test_a_run_that_is_given_up_leaves_nothing() -> None:
    code, shapes = resumable(numbered(parsed(DEEP)))
    context = ready()
    legs = Legs(code, shapes, context, (3000, 2.0))
    assert not legs.start(1000)
    assert context.get("live") > 0
    legs.drop()
    assert context.get("live") == context.get("frames") == 0
