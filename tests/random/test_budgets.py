"""Random programs within budgets of values: equal bits, and never more bytes than were given."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import retrograd as rg
from retrograd.api.calls.runner import Runner
from retrograd.api.compile.derive import Task
from retrograd.api.compile.known import known
from retrograd.api.saving.saving_within import WithinBudget
from retrograd.report.measuring import measured
from retrograd.transforms.driver import PLAIN
from tests.random.costs import with_costs
from tests.random.harness import bits_of, float_leaves
from tests.random.programs import SMOOTH, from_seed, loaded

SPARE = 64


Make = Callable[[Callable[..., Any], tuple[int, ...]], Any]
"""What differentiates a function with respect to arguments at some positions."""


def jacobian(fun: Callable[..., Any], chosen: tuple[int, ...]) -> Any:
    return rg.jacrev(fun, chosen)


def two_gradients(fun: Callable[..., Any], chosen: tuple[int, ...]) -> Any:
    def both(*args: Any) -> Any:
        return rg.value_and_grad(fun, chosen)(*args), rg.grad(fun, chosen)(*args)

    return rg.jit(both)


def trained(fun: Callable[..., Any], chosen: tuple[int, ...]) -> Any:
    first = chosen[0]

    def train(*args: Any) -> Any:
        total, found = 0.0, rg.grad(fun, first)(*args)
        for k in range(4):
            if k != 1:
                value, found = rg.value_and_grad(fun, first)(*args)
                total = total + value
        return total, found

    return rg.jit(train)


def twice(
    fun: Callable[..., Any], args: tuple[Any, ...], make: Make = rg.value_and_grad
) -> list[tuple[Any, Any]]:
    """The bits of two calls of a derivative, with their statistics."""
    chosen = tuple(k for k, arg in enumerate(args) if float_leaves(arg))
    derivative = make(fun, chosen)
    found = list[tuple[Any, Any]]()
    for _ in range(2):
        bits = bits_of(lambda: derivative(*args))
        found.append((bits, derivative.stats()))
    return found


def check(seed: int, directory: Path, make: Make = rg.value_and_grad) -> int:
    """How often something was saved. Inside of a program the peak is not bounded."""
    whole = make not in (two_gradients, trained)
    with loaded(from_seed(seed, SMOOTH), directory) as (_, module), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        args = from_seed(seed, SMOOTH).args(module)
        expected, plain = twice(module.objective, args, make)[0]
        nothing = twice(rg.checkpoint(module.objective), args, make)[0][1]
        if isinstance(expected, str) or plain is None or nothing is None:
            return 0
        saved = 0
        for spare in (0, 400, 2000):
            budget = whole * (nothing.peak_bytes + nothing.tape_bytes) + SPARE + spare
            policy = rg.checkpoint_policies.budget(budget)
            for bits, stats in twice(rg.checkpoint(module.objective, policy=policy), args, make):
                assert bits == expected
                assert not whole or stats is None or stats.peak_bytes <= budget
                saved += stats is not None and stats.tape_bytes > nothing.tape_bytes
        return saved


def operations(
    fun: Callable[..., Any], args: tuple[Any, ...], budgets: tuple[int, ...]
) -> list[int]:
    """The additions of a gradient within budgets, as they are counted in what it chooses."""
    found = list[int]()
    task = list[Task]()
    compiled, chosen = WithinBudget.compiled, WithinBudget.chosen

    def noted(self: WithinBudget, made: Task, key: str) -> Runner:
        task.append(made)
        return compiled(self, made, key)

    def measuring(self: WithinBudget, flat: Any, peak: int, only_sizes: bool = False) -> Any:
        task[:] = [self.task]
        runner = chosen(self, flat, peak, only_sizes)
        found.append(measured(task[-1], PLAIN.run(task[-1].program, known()), flat).work)
        return runner

    floats = tuple(k for k, arg in enumerate(args) if float_leaves(arg))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WithinBudget, "compiled", noted)
        patch.setattr(WithinBudget, "chosen", measuring)
        for budget in budgets:
            policy = rg.checkpoint_policies.budget(budget)
            gradient = rg.value_and_grad(rg.checkpoint(fun, policy=policy), floats)
            for _ in range(2):
                gradient(*args)
    return found


SPARES = (64, 128, 256, 464, 700, 1000, 1500, 2064, 4000)


def more_never_means_more(seed: int, directory: Path, spares: tuple[int, ...] = SPARES) -> bool:
    """Whether a larger budget never has more operations, but for three in a hundred: what is done
    again with it besides is not counted value by value."""
    with loaded(from_seed(seed, SMOOTH), directory) as (_, module), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        args = from_seed(seed, SMOOTH).args(module)
        nothing = twice(rg.checkpoint(module.objective), args)[0][1]
        if nothing is None:
            return True
        least = nothing.peak_bytes + nothing.tape_bytes
        found = operations(module.objective, args, tuple(least + more for more in spares))
        return all(more <= 1.03 * less for less, more in pairwise(found))


def test_more_bytes_never_mean_more_operations(tmp_path: Path) -> None:
    """What a product of small matrices takes was estimated: as much as a hundred terms of each."""
    assert more_never_means_more(4038, tmp_path, (64, 128, 256))


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_more_bytes_never_mean_more_operations_of_many(shard: int, tmp_path: Path) -> None:
    for seed in range(4000 + 10 * shard, 4010 + 10 * shard):
        assert more_never_means_more(seed, tmp_path), seed


def test_the_bytes_hold_and_no_bit_changes(tmp_path: Path) -> None:
    assert sum(check(seed, tmp_path) for seed in (101, 104, 110)) > 0


def test_several_derivatives_and_directions(tmp_path: Path) -> None:
    assert check(1400, tmp_path, two_gradients) > 0


def test_in_loops_and_branches(tmp_path: Path) -> None:
    assert check(1408, tmp_path, trained) > 0


@pytest.mark.slow
@pytest.mark.parametrize("make", [jacobian, two_gradients, trained])
def test_several_derivatives_and_directions_of_many(make: Make, tmp_path: Path) -> None:
    assert sum(check(seed, tmp_path, make) for seed in range(1400, 1430)) > 20


def test_it_chooses_in_what_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_costs(monkeypatch, inline_small=0, inline_largest=0)
    assert check(1302, tmp_path) > 0


@pytest.mark.slow
def test_it_chooses_in_what_is_called_by_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_costs(monkeypatch, inline_small=0, inline_largest=0)
    assert sum(check(seed, tmp_path) for seed in range(1300, 1340)) > 30


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_of_many(shard: int, tmp_path: Path) -> None:
    for seed in range(200 + 100 * shard, 300 + 100 * shard):
        check(seed, tmp_path)
