"""Budgets that divide the time of a run and budgets of values, each in the place of the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X = np.linspace(0.1, 1.0, 3)


def three_sines(x: Any) -> Any:
    return np.sum(np.sin(np.sin(np.sin(x))))


def part(x: Any) -> Any:
    return np.sin(x)


def two_sines(x: Any) -> Any:
    return np.sum(np.sin(np.sin(x)))


def within_an_int(x: Any) -> Any:
    within = rg.checkpoint(part, policy=rg.checkpoint_policies.budget(1000))
    return np.sum(within(within(x)))


values: Any = rg.checkpoint_policies.budget("1MB")
least: Any = rg.checkpoint_policies.budget(10)
time: Any = rg.checkpointing.budget("1MB")


@pytest.mark.parametrize(
    ("wrong", "other"),
    [
        (lambda: rg.checkpoint(three_sines, policy=time), r"rg\.checkpoint_policies\.budget"),
        (lambda: rg.grad(three_sines, memory=values)(X), r"rg\.checkpointing\.budget"),
        (lambda: rg.grad(three_sines, checkpointing=values)(X), r"rg\.checkpointing\.budget"),
        (
            lambda: rg.grad(rg.checkpoint(three_sines, policy=least))(X),
            r"rg\.checkpointing\.budget",
        ),
    ],
)
def test_each_is_named_where_the_other_is_given(wrong: Callable[[], object], other: str) -> None:
    with pytest.raises(UserError, match=other):
        wrong()


def test_a_budget_that_is_made_inside_of_a_program_may_be_an_int() -> None:
    assert np.array_equal(rg.grad(within_an_int)(X), rg.grad(two_sines)(X))
