"""A checkpoint, a policy or a name changes no bit of a value or a gradient."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import retrograd as rg
from tests.random.checkpoints import checkpointed
from tests.random.harness import bits_of, float_leaves
from tests.random.programs import PLAIN, SMOOTH, Features, RandomProgram, from_seed, loaded

pytestmark = pytest.mark.thinned(4)


def by_vjp(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    value, pullback = rg.vjp(f, *args)
    return value, pullback(1.0)


def by_memory(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    chosen = tuple(k for k, arg in enumerate(args) if float_leaves(arg))
    return rg.value_and_grad(f, chosen, memory="2MB")(*args)


def by_jit(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    return rg.jit(f)(*args)


Way = Callable[[Callable[..., Any], tuple[Any, ...]], Any]


def bits(program: RandomProgram, way: Way, directory: Path) -> list[bytes] | str:
    """What a program gives, to the bit; or the exception that it ends in."""
    with loaded(program, directory) as (_, module), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return bits_of(lambda: way(module.objective, program.args(module)))


def assert_same_bits(seed: int, features: Features, way: Way, directory: Path) -> None:
    program = from_seed(seed, features)
    marked = checkpointed(program, seed)
    assert bits(marked, way, directory) == bits(program, way, directory), marked.text()


def test_some_functions_are_checkpointed_and_some_values_named() -> None:
    sources = [checkpointed(from_seed(seed, SMOOTH), seed).source for seed in range(20)]
    assert sum("@rg.checkpoint(" in source for source in sources) > 10
    assert sum("rg.checkpoint_name(" in source for source in sources) > 10
    assert sum("rg.checkpoint(lambda" in source for source in sources) > 1


@pytest.mark.parametrize("seed", range(5))
def test_the_same_bits(seed: int, tmp_path: Path) -> None:
    assert_same_bits(seed, SMOOTH, by_vjp, tmp_path)


@pytest.mark.parametrize("seed", range(1000, 1004))
def test_the_same_bits_within_memory(seed: int, tmp_path: Path) -> None:
    assert_same_bits(seed, SMOOTH, by_memory, tmp_path)


@pytest.mark.slow
@pytest.mark.also_in_ci(9)
@pytest.mark.parametrize("shard", range(10))
def test_the_same_bits_of_many(shard: int, tmp_path: Path) -> None:
    for seed in range(100 + 20 * shard, 120 + 20 * shard):
        assert_same_bits(seed, SMOOTH, by_vjp, tmp_path)


@pytest.mark.slow
@pytest.mark.also_in_ci(1)
@pytest.mark.parametrize("way", [by_memory, by_jit])
def test_the_same_bits_in_other_ways(way: Way, tmp_path: Path) -> None:
    for seed in range(1000, 1030):
        assert_same_bits(seed, SMOOTH if way is by_memory else PLAIN, way, tmp_path)
