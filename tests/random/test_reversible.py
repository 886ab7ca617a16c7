"""Random reversible functions: their inverses, their values, and gradients through them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest

from retrograd.errors import CompilerBug
from tests.random.calculus import UNOPTIMISED, Interpreted, Native
from tests.random.programs.module import RandomProgram
from tests.random.programs.reduce import reduce
from tests.random.reversible.checks import (
    Compiled,
    Refused,
    adjoints,
    gradients,
    restored,
    slopes,
    values,
)
from tests.random.reversible.programs import random_module

Check = Callable[[RandomProgram, Path], str | None]

UNCOMPILED = partial(Interpreted, UNOPTIMISED, check=False)
QUICKLY = (restored, slopes, partial(adjoints, UNCOMPILED))
PAIRS = (partial(adjoints, Native),)
INTERPRETED = (partial(values, Interpreted), partial(gradients, Interpreted))
COMPILED = (
    partial(values, Compiled),
    partial(gradients, Compiled),
    *PAIRS,
)

BROKEN = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NameError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""What programs raise of which a part was taken away."""


def found_by(check: Check, program: RandomProgram, folder: Path) -> str | None:
    """What a check finds wrong."""
    try:
        return check(program, folder)
    except CompilerBug as bug:
        return str(bug)


def still_wrong(check: Check, program: RandomProgram, folder: Path) -> bool:
    """Whether a check finds something wrong in what is left of a program."""
    try:
        return found_by(check, program, folder) is not None
    except (Refused, *BROKEN):
        return False


def run(seed: int, checks: tuple[Check, ...], folder: Path, small: bool = False) -> bool:
    """Makes the program of a seed and checks it; whether it is accepted, and could be compared."""
    program = random_module(Random(seed), words=seed % 3 == 0, small=small)
    for check in checks:
        try:
            wrong = found_by(check, program, folder)
        except Refused:
            return False
        if wrong is not None:
            smaller = reduce(program, lambda p: still_wrong(check, p, folder), 200)
            pytest.fail(f"seed {seed}: {wrong}\n{smaller.text()}")
    return True


def accepted(seeds: range, checks: tuple[Check, ...], folder: Path, small: bool = False) -> float:
    """The part of these programs that is accepted."""
    counts = Counter(run(seed, checks, folder, small) for seed in seeds)
    return counts[True] / len(seeds)


@pytest.mark.parametrize("shard", range(5))
def test_200_small_ones(shard: int, tmp_path: Path) -> None:
    seeds = range(53 * shard, 53 * shard + 53)
    assert accepted(seeds, QUICKLY, tmp_path, small=True) * len(seeds) >= 40


@pytest.mark.thinned(4)
@pytest.mark.parametrize("shard", range(4))
def test_values_and_gradients(shard: int, tmp_path: Path) -> None:
    assert accepted(range(10 * shard, 10 * shard + 3), INTERPRETED, tmp_path) >= 0.2


@pytest.mark.thinned(2)
@pytest.mark.parametrize("shard", range(2))
def test_compiled(shard: int, tmp_path: Path) -> None:
    assert accepted(range(300 + 10 * shard, 302 + 10 * shard), COMPILED, tmp_path) >= 0.5


@pytest.mark.parametrize("shard", range(2))
def test_compiled_adjoints(shard: int, tmp_path: Path) -> None:
    seeds = range(1000 + 8 * shard, 1008 + 8 * shard)
    assert accepted(seeds, PAIRS, tmp_path, small=True) * len(seeds) >= 6


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(50))
def test_many_inverses(shard: int, tmp_path: Path) -> None:
    assert accepted(range(10000 + 200 * shard, 10200 + 200 * shard), (restored,), tmp_path) > 0.5


@pytest.mark.slow
@pytest.mark.also_in_ci(1)
@pytest.mark.parametrize("shard", range(250))
def test_many_values_and_gradients(shard: int, tmp_path: Path) -> None:
    seeds = range(10000 + 40 * shard, 10040 + 40 * shard)
    assert accepted(seeds, INTERPRETED, tmp_path) > 0.4


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(50))
def test_many_compiled(shard: int, tmp_path: Path) -> None:
    assert accepted(range(20000 + 40 * shard, 20040 + 40 * shard), COMPILED, tmp_path) > 0.2
