"""Random programs within budgets of values: equal bits, and never more bytes than were given."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import retrograd as rg
from retrograd.api.compile.known import known
from retrograd.api.saving.choosing import Choosing
from retrograd.api.saving.counted import Given
from retrograd.api.saving.measuring import measured
from retrograd.api.saving.saving_within import WithinBudget
from retrograd.options.saving import EVERY
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
    fun: Callable[..., Any], args: tuple[Any, ...], spares: tuple[int, ...]
) -> list[int]:
    """The additions of a gradient that is given so many bytes besides those that the least takes,
    counted in the programs that it chooses. None of these is run; many have the same programs."""
    asked = list[tuple[WithinBudget, list[Any], int]]()
    floats = tuple(k for k, arg in enumerate(args) if float_leaves(arg))
    gradient = rg.value_and_grad(
        rg.checkpoint(fun, policy=rg.checkpoint_policies.budget("1GB")), floats
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WithinBudget, "chosen", lambda *called: asked.append(called))
        for _ in range(2):
            if isinstance(bits_of(lambda: gradient(*args)), str):
                return []
    if not asked:
        return []
    within, flat, peak = asked[0]
    given = Given.of(within.task, flat, within.cotangents, False)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("counted", "work"):
            patch.setattr(Given, name, once_each(getattr(Given, name)))
        every = given.counted(EVERY)
        if every is None:
            return []
        made = [Choosing(given, every, peak + spare, within.lone, peak).found() for spare in spares]
    programs = [within.task.program if one is None else one.task.program for one in made]
    work = once_each(lambda program: measured(within.task, PLAIN.run(program, known()), flat).work)
    return [work(program) for program in programs]


def once_each(found: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is called once with the same arguments."""
    kept = dict[Any, Any]()

    def one(*args: Any) -> Any:
        key = tuple(a if isinstance(a, str | tuple) else id(a) for a in args)
        if key not in kept:
            kept[key] = args, found(*args)
        return kept[key][1]

    return one


SPARES = (24, 64, 128, 256, 464, 700, 1000, 1500, 2064, 4000)


def more_never_means_more(seed: int, directory: Path) -> int:
    """How many numbers of operations there are; a larger budget never has more."""
    with loaded(from_seed(seed, SMOOTH), directory) as (_, module), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        args = from_seed(seed, SMOOTH).args(module)
        found = operations(module.objective, args, SPARES)
    assert found == sorted(found, reverse=True), seed
    return len(set(found))


def test_more_bytes_never_mean_more_operations(tmp_path: Path) -> None:
    """In the first a choice that was expected to do less did more, as in one of 30 programs."""
    assert sum(more_never_means_more(seed, tmp_path) for seed in (4134, 4005)) > 4


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(50))
def test_more_bytes_never_mean_more_operations_of_many(shard: int, tmp_path: Path) -> None:
    found = (
        more_never_means_more(seed, tmp_path)
        for seed in range(4000 + 20 * shard, 4020 + 20 * shard)
    )
    assert sum(found) > 20


def test_the_bytes_hold_and_no_bit_changes(tmp_path: Path) -> None:
    assert sum(check(seed, tmp_path) for seed in (101, 104, 110)) > 0


def test_a_reverse_sweep_decides_what_is_counted(tmp_path: Path) -> None:
    """It expected a block on the tape, where the loop that counts leaves values: a crash."""
    assert check(4792, tmp_path) > 0


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
