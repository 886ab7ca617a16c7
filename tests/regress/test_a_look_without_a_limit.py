"""What words a refusal took fifty times the budget and twice the time of a run, by the clock: what
it named depended on the load of the machine, and was too little now and then."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.calls.advice import Look
from retrograd.api.checkpoint import sweeping
from retrograd.backends.llvm import coroutines as turns
from retrograd.runtime import metered
from retrograd.runtime.context import Context


def chain(x, n):
    if n == 0:
        return x
    return np.sin(chain(x, n - 1)) + 0.1 * x


def heat(x, n):
    for _ in range(n):
        x = x + 0.1 * np.sin(np.mean(x) - x)
    return np.sum(x * x)


def sloped(x, n):
    """Inner derivatives, which have schedules of their own where there is little room."""
    for _ in range(n):
        x = x - 0.01 * rg.grad(heat)(x, 50)
    return np.sum(x * x)


X = np.linspace(0.1, 0.9, 40)
CASES = {
    "recursion": (chain, (0.5, 40_000), 1_500_000),
    "far too little": (chain, (0.5, 200_000), 1_100_000),
    "loop": (heat, (X, 300), 1_500),
    "inner": (sloped, (X, 5), 3_000),
}


def refusal(case: str) -> str:
    fun, args, budget = CASES[case]
    with pytest.raises(rg.UserError, match="RG4004") as caught:
        rg.grad(fun, memory=budget)(*args)
    return str(caught.value.way_out)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("case", CASES)
def test_bytes_and_steps_have_limits(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = list[int]()
    used = [0, 0]
    prepare, charge = Context.prepare, metered.Meter.charge

    def prepared(self: Context, limit: int, *args: Any, **named: Any) -> None:
        limits.append(limit)
        prepare(self, limit, *args, **named)

    def charged(self: metered.Meter, steps: int, arrays: int) -> None:
        used[0], used[1] = used[0] + steps, used[1] + steps * (256 + arrays)
        charge(self, steps, arrays)

    monkeypatch.setattr(Context, "prepare", prepared)
    monkeypatch.setattr(metered.Meter, "charge", charged)
    refusal(case)
    assert max(limits) <= max(4 * CASES[case][2], 10**6)
    assert 0 < used[1] < 1 << 32


@pytest.mark.thinned(2)
@pytest.mark.parametrize("case", CASES)
def test_the_clock_has_no_part_in_it(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Legs of native code are as long as the machine is quick."""
    found = refusal(case)
    for seconds in (1e-6, 10.0):
        monkeypatch.setattr(turns, "_LEG", seconds)
        assert refusal(case) == found


@pytest.mark.parametrize("case", ["recursion", "loop", "inner"])
def test_what_is_named_is_enough(case: str) -> None:
    fun, args, _ = CASES[case]
    (named,) = re.findall(r"give it more: (.*) is enough", refusal(case))
    with rg.record() as run:
        found = rg.grad(fun, memory=named)(*args)
    np.testing.assert_array_equal(found, rg.grad(fun, memory="1GB")(*args))
    assert run.derivatives[0].limit >= run.peak_bytes


def test_where_nothing_is_named_a_plan_says_what_is_enough() -> None:
    fun, args, _ = CASES["far too little"]
    assert refusal("far too little") == (
        "give it more than 4.4 MB, which is too little, too; rg.plan says how much"
    )
    smallest = rg.plan(fun, *args, budgets=["1GB"]).smallest
    assert rg.grad(fun, memory=smallest)(*args) == rg.grad(fun, memory="1GB")(*args)


def test_what_fills_the_memory_besides_the_tape_is_not_recorded_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Half as much was recorded 40 times, where nothing had been: a recursion on its way down."""
    seen, record = list[int](), turns.TurnTaking.record

    def recorded(self: turns.TurnTaking, to: int, most: int = 1 << 62) -> bool:
        seen.append(most)
        return record(self, to, most)

    def not_looked(*_: object) -> Look:
        return Look(None, 0)

    monkeypatch.setattr(turns.TurnTaking, "record", recorded)
    monkeypatch.setattr(sweeping, "looked", not_looked)
    with pytest.raises(rg.UserError, match="RG4004"):
        rg.grad(chain, memory=4_000_000)(0.5, 100_000)
    assert 2 < len(seen) < 12


def test_what_follows_a_refusal_with_what_was_learnt() -> None:
    """The call after one that went well: another run, which is longer, is refused."""
    limited: Callable[..., Any] = rg.grad(chain, memory=1_500_000)
    limited(0.5, 10_000)
    with pytest.raises(rg.UserError, match="RG4004") as caught:
        limited(0.5, 40_000)
    assert str(caught.value.way_out) == refusal("recursion")
