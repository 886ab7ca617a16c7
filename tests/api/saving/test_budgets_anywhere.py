"""Budgets where derivatives are in loops, in branches and in each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.saving.ends_of_runs import Run, ends_of_runs
from retrograd.api.saving.tape_effects import effects_of
from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Block, For, Program

pytestmark = pytest.mark.thinned(2)

policies = rg.checkpoint_policies
COUNT = 8
ONE = 8 * COUNT + 16


def layer(w: Any, x: Any) -> Any:
    return x + np.sin(w * x)


def loss_of(part: Any) -> Callable[..., Any]:
    def loss(w: Any, x: Any) -> Any:
        for _ in range(2):
            x = part(w, x)
        return np.sum(x * x)

    return loss


def trained(part: Any) -> Any:
    loss = loss_of(part)

    def train(w: Any, x: Any) -> Any:
        for k in range(4):
            if k % 2 == 1:
                w = w - 0.1 * rg.grad(loss)(w, x)
        return w

    return rg.jit(train)


def trained_until(part: Any) -> Any:
    loss = loss_of(part)

    def train(w: Any, x: Any) -> Any:
        while w * w > 1.0:
            w = w - 0.1 * w - 0.001 * rg.grad(loss)(w, x)
        return w

    return rg.jit(train)


def on_more_each_time(part: Any) -> Any:
    loss = loss_of(part)

    def train(w: Any, x: Any) -> Any:
        for k in range(len(x)):
            w = w - 0.1 * rg.grad(loss)(w, x[: k + 1])
        return w

    return rg.jit(train)


def in_each_other(part: Any) -> Any:
    loss = loss_of(part)
    return rg.grad(lambda w, x: np.sum(rg.grad(loss, 1)(w, x) ** 2))


@pytest.mark.parametrize(
    ("program", "calls", "more"),
    [
        (trained, 1, 2),
        (on_more_each_time, 1, 2),
        (trained_until, 2, 2),
        pytest.param(in_each_other, 2, 2, marks=pytest.mark.slow),
    ],
)
def test_one_run_leaves_no_more_than_the_budget(
    program: Callable[[Any], Any], calls: int, more: int
) -> None:
    """A loop that sizes decide about has chosen at its first call; there is often no second.

    Where states are made of what is saved, less is kept than where nothing is saved: `more` arrays.
    """
    w, x = 1.5, np.linspace(0.0, 1.0, COUNT)
    expected = program(layer)(w, x)
    found = list[int]()
    for budget in (ONE - 1, ONE):
        made = program(rg.checkpoint(layer, policy=policies.budget(budget)))
        for _ in range(calls):
            assert made(w, x) == expected
        found.append(made.stats().tape_bytes)
    assert found[1] == found[0] + more * ONE


def test_what_a_program_prints_is_printed_in_each_call(capsys: pytest.CaptureFixture[str]) -> None:
    loss = loss_of(rg.checkpoint(layer, policy=policies.budget(ONE)))

    def step(w: Any, x: Any) -> Any:
        print("a step")
        return rg.grad(loss)(w, x)

    compiled: Any = rg.jit(step)
    for _ in range(2):
        compiled(1.5, np.ones(COUNT))
    assert compiled.stats().tape_bytes == 5 * ONE
    assert capsys.readouterr().out == "a step\n" * 2


PROGRAM = """
program main

function main(n: i64, x: f64) -> ():
  @within("run", "budget[[\\"100\\"]]") push(x; site="apart")
  for i < n with () point=0:
      @within("run", "budget[[\\"100\\"]]") push(x; site="first")
      call ahead(x)
      call back()
      call ahead(x)
      yield
  for j < n with () descending point=1:
      call back()
      a: f64 = pop(; site="first", types=("f64",))
      yield
  b: f64 = pop(; site="apart", types=("f64",))
  call ahead(x)
  call back()
  return

function ahead(y: f64) -> ():
  push(y; site="inner")
  return

function back() -> ():
  c: f64 = pop(; site="inner", types=("f64",))
  return
"""


def test_what_is_taken_off_is_what_was_left_last() -> None:
    program = parse_program(PROGRAM)
    effects = effects_of(program)
    assert effects is not None
    entries, before = effects.matched(program.main.body)
    assert not before
    assert [(e.place, e.until, e.sites, set(e.left)) for e in entries] == [
        (0, 3, {"apart"}, set()),
        (1, 2, {"first", "inner"}, set()),
        (4, 5, {"inner"}, set()),
    ]
    inside, _ = effects.matched(body_of_loop(program))
    assert [(e.place, e.until) for e in inside] == [(0, None), (1, 2), (3, None)]


def body_of_loop(program: Program) -> Block:
    loop = program.main.body.stms[1].expr
    assert isinstance(loop, For)
    return loop.body


def test_a_run_ends_where_nothing_around_is_a_part_of_it() -> None:
    """In each iteration, in each call; of what is in two statements after both."""
    program = parse_program(PROGRAM)
    effects = effects_of(program)
    assert effects is not None
    main, body = program.main.body, body_of_loop(program)
    called = program.function("ahead").body
    whole, once = [Run(0, 1, "run")], [Run(0, 3, "run")]
    for values, expected in (
        ({"first": "1"}, {id(body): once}),
        ({"inner": "1"}, {id(called): [Run(0, 0, "run")]}),
        ({"apart": "1", "first": "2"}, {id(main): whole}),
        ({"apart": "1", "first": "1"}, {id(main): whole, id(body): once}),  # the same value again
    ):
        numbers = {site: frozenset(number) for site, number in values.items()}
        assert ends_of_runs(program, effects, {"run": numbers}) == expected


def test_each_call_of_a_recursion_is_a_run_of_its_own() -> None:
    """Though it leaves what it leaves after the calls inside of it have left theirs."""

    def deep(part: Any, w: Any, x: Any, n: int) -> Any:
        return x if n == 0 else deep(part, w, part(w, x), n - 1)

    def trained(part: Any) -> Any:
        def step(w: Any, x: Any) -> Any:
            return rg.grad(lambda w: np.sum(deep(part, w, x, 4) ** 2))(w)

        return rg.jit(step)

    w, x = np.linspace(0.5, 1.5, COUNT), np.linspace(-1.0, 1.0, COUNT)
    expected = trained(layer)(w, x).tobytes()
    made = trained(rg.checkpoint(layer, policy=policies.budget(3 * ONE)))
    found = list[int]()
    for _ in range(2):
        assert made(w, x).tobytes() == expected
        found.append(made.stats().tape_bytes)
    assert found[0] + 3 * ONE <= found[1]
