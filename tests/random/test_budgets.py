"""Random programs within budgets of values: equal bits, and never more bytes than were given."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import retrograd as rg
from tests.random.harness import bits_of, float_leaves
from tests.random.programs import SMOOTH, from_seed, loaded

SPARE = 64


def twice(fun: Callable[..., Any], args: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """The bits of two calls of a gradient, with their statistics."""
    chosen = tuple(k for k, arg in enumerate(args) if float_leaves(arg))
    gradient = rg.value_and_grad(fun, chosen)
    found = list[tuple[Any, Any]]()
    for _ in range(2):
        bits = bits_of(lambda: gradient(*args))
        found.append((bits, gradient.stats()))
    return found


def check(seed: int, directory: Path) -> int:
    """How often something was saved."""
    with loaded(from_seed(seed, SMOOTH), directory) as (_, module), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        args = from_seed(seed, SMOOTH).args(module)
        expected, plain = twice(module.objective, args)[0]
        nothing = twice(rg.checkpoint(module.objective), args)[0][1]
        if isinstance(expected, str) or plain is None or nothing is None:
            return 0
        saved = 0
        for spare in (0, 400, 2000):
            budget = nothing.peak_bytes + nothing.tape_bytes + SPARE + spare
            policy = rg.checkpoint_policies.budget(budget)
            for bits, stats in twice(rg.checkpoint(module.objective, policy=policy), args):
                assert bits == expected
                assert stats is None or stats.peak_bytes <= budget
                saved += stats is not None and stats.tape_bytes > nothing.tape_bytes
        return saved


def test_the_bytes_hold_and_no_bit_changes(tmp_path: Path) -> None:
    assert sum(check(seed, tmp_path) for seed in (101, 104, 110)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_of_many(shard: int, tmp_path: Path) -> None:
    for seed in range(200 + 100 * shard, 300 + 100 * shard):
        check(seed, tmp_path)
