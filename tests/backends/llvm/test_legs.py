"""Runs that are interrupted and resumed have the bits of plain runs, wherever they are cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from retrograd.backends.llvm.execute import Executable
from retrograd.backends.llvm.legs import Legs
from retrograd.ir.terms import Program
from retrograd.runtime.context import Context, stack_floor
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
    scalar,
)
from tests.backends.llvm.test_interrupt import numbered
from tests.transforms.random_forms import random_program
from tests.transforms.vjp.support import data, lowered, with_vjp
from tests.transforms.vjp.test_identities import FORMS

BUDGETS = (1, 2, 5, 40, 700)
MOST = 20_000


def in_legs(code: Executable, args: Sequence[Any], budget: int) -> tuple[Any, int]:
    """The outcome of a run in legs of that budget, and how many legs it took."""
    context = ready()
    legs = Legs(code, context, own(args))
    count = 1
    try:
        ended = legs.start(budget)
        while not ended and count < MOST:
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


def check(program: Program, cases: Sequence[Sequence[Any]]) -> int:
    """Cuts each run in legs of several lengths; how often runs were interrupted in all."""
    plain, other = compiled(program), compiled(numbered(program), interruptible=True, grain=1)
    interrupted = 0
    for args in cases:
        want = native(plain, args)
        for budget in BUDGETS:
            got, legs = in_legs(other, args, budget)
            if got is None:
                continue
            interrupted += legs - 1
            if isinstance(want, Raised):
                assert got == want
            else:
                assert bits(got) == bits(want), budget
    return interrupted


@pytest.mark.parametrize("name", ALL)
def test_small_programs(name: str) -> None:
    check(parsed(text(name)), ALL[name][1])


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_sweeps_of_forms(form: Callable[[], Program]) -> None:
    program = lowered(with_vjp(form()))
    check(program, [data(program, np.random.default_rng(3))])


@pytest.mark.parametrize("seed", [0, 1, 6, 8, 12, 15, 105, 112])
def test_random_programs(seed: int) -> None:
    program = random_program(seed)
    assert program is not None
    check(program, [data(program, np.random.default_rng(3))])


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
    code = compiled(numbered(parsed(DEEP)), interruptible=True)
    depth = 1_000_000 if budget > 1000 else 20_000
    found, legs = in_legs(code, (depth, 2.0), budget)
    assert found == [deep(depth, 2.0)]
    assert legs == 1 if budget > depth else legs > depth // budget


def test_a_recursion_without_end_uses_up_its_memory_and_is_refused() -> None:
    code = compiled(numbered(parsed(DEEP)), interruptible=True)
    context = Context()
    context.prepare(1 << 26, stack_floor())
    legs = Legs(code, context, (1 << 60, 2.0))
    with pytest.raises(RecursionError, match="do not fit in memory"):
        legs.start(1 << 60)
    assert context.get("live") == 0


def test_steps_do_not_depend_on_the_legs() -> None:
    code = compiled(numbered(parsed(DEEP)), interruptible=True)
    counts: set[int] = set()
    for budget in (1 << 40, 777, 50):
        context = ready()
        legs = Legs(code, context, (3000, 2.0))
        ended = legs.start(budget)
        while not ended:
            ended = legs.resume(budget)
        counts.add(legs.steps)
    assert counts == {3001}


def test_a_run_that_is_given_up_leaves_nothing() -> None:
    code = compiled(numbered(parsed(DEEP)), interruptible=True)
    context = ready()
    legs = Legs(code, context, (3000, 2.0))
    assert not legs.start(1000)
    assert context.get("live") > 0
    legs.drop()
    assert context.get("live") == context.get("frames") == 0
