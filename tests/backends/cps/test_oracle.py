"""Native code, continuations and segments stop at the same places after the same steps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

from retrograd.api.compile.prepare import prepare
from retrograd.frontend.identity.specs import specs_of
from retrograd.ir.terms import Program
from tests.api.test_interruption import CASES
from tests.backends.cps.oracle import ThreeWays
from tests.backends.cps.recursions import random_recursion
from tests.backends.cps.small import SMALL
from tests.backends.llvm.lifetimes import ALL, text
from tests.backends.llvm.native import parsed
from tests.backends.llvm.test_interrupt import numbered, pointed
from tests.lowering import lowered
from tests.random.costs import short_lines, short_parts
from tests.random.programs import PLAIN, RandomProgram, loaded, programs
from tests.transforms import random_forms, random_programs
from tests.transforms.ad.vjp.support import data

pytestmark = pytest.mark.thinned(3)


@pytest.mark.parametrize("grain", [1, 4])
@pytest.mark.parametrize("name", SMALL)
def test_points_of_every_kind(name: str, grain: int) -> None:
    source, cases = SMALL[name]
    ways = ThreeWays(numbered(parsed(f"program f\n{source}")), grain)
    stops = [ways.check(args) for args in cases]
    assert stops[-1] > 5


@pytest.mark.parametrize("name", ALL)
def test_arrays_that_are_moved_and_lent(name: str) -> None:
    ways = ThreeWays(pointed(parsed(text(name))))
    for args in ALL[name][1]:
        ways.check(args)


@pytest.mark.parametrize("name", ["flow", "grown", "tree", "inner gradient"])
def test_programs_of_users(name: str) -> None:
    fun, args = CASES[name]
    args = {"flow": (np.ones(3), 40), "tree": (6,), "grown": (30,)}.get(name, (args[0], 5))
    prepared = prepare(fun, tuple(specs_of(args)), {}, True)
    ways = ThreeWays(lowered(prepared.task.program), 32)
    assert ways.check(prepared.traced.flatten(args)) > 3


@pytest.mark.parametrize("count", [100, pytest.param(8300, marks=pytest.mark.slow)])
def test_sums_in_chunks(count: int) -> None:
    fun, _ = CASES["summed"]
    rng = np.random.default_rng(5)
    args = (rng.normal(size=(2, count)), rng.normal(size=count))
    prepared = prepare(fun, tuple(specs_of(args)), {}, True)
    ways = ThreeWays(lowered(prepared.task.program), 32)
    assert ways.check(prepared.traced.flatten(args)) > 3


def recursions(seeds: range) -> int:
    """Stops of random recursions."""
    stops = 0
    for seed in seeds:
        array = np.random.default_rng(seed).uniform(-1.0, 1.0, 3)
        stops += ThreeWays(numbered(random_recursion(seed))).check((3, 0.4, array))
    return stops


def moved_arrays(seeds: range) -> int:
    """Stops of random programs that are dense in aliases."""
    programs = filter(None, map(random_forms.random_program, seeds))
    return sum(
        ThreeWays(numbered(program)).check(data(program, np.random.default_rng(3)))
        for program in programs
    )


def everything(seeds: range) -> int:
    """Stops of random programs with every construct."""
    stops = 0
    for seed in seeds:
        program = random_programs.random_program(Random(seed))
        functions = [replace(g, name="f") if g.name == "main" else g for g in program.functions]
        rng = np.random.default_rng(seed)
        args: tuple[Any, ...] = (rng.uniform(-1, 1, 4), rng.uniform(-1, 1, 4), 0.7, 3)
        stops += ThreeWays(numbered(Program(tuple(functions), "f"))).check(args)
    return stops


@pytest.mark.parametrize("first", [0, 10, 20])
def test_random_recursions(first: int) -> None:
    assert recursions(range(first, first + 10)) > 100


@pytest.mark.thinned(3)
@pytest.mark.parametrize("first", [0, 25, 50])
def test_random_programs_dense_in_aliases(first: int) -> None:
    assert moved_arrays(range(first, first + 25)) > 50


@pytest.mark.parametrize("first", [0, 12, 24])
def test_random_programs_with_every_construct(first: int) -> None:
    assert everything(range(first, first + 12)) > 50


def of_users(number: int, examples: int, directory: Path) -> int:
    """Stops of random programs in Python, with points in short loops, too."""
    stops: list[int] = []

    @seeded(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(program=programs(PLAIN))
    def holds(program: RandomProgram) -> None:
        with loaded(program, directory) as (f, module):
            args = program.args(module)
            prepared = prepare(f, tuple(specs_of(args)), {}, True)
            flat = prepared.traced.flatten(args)
            arrays = [np.ascontiguousarray(v) if np.ndim(v) else v for v in flat]
            stops.append(ThreeWays(pointed(lowered(prepared.task.program))).check(arrays))

    holds()
    return sum(stops)


def test_random_programs_of_users(tmp_path: Path) -> None:
    assert of_users(2, 20, tmp_path) > 20


def test_random_programs_in_short_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short_parts(monkeypatch)
    assert of_users(3, 10, tmp_path) > 20
    assert everything(range(40, 43)) > 25
    short_lines(monkeypatch)
    assert of_users(4, 10, tmp_path) > 20


@pytest.mark.slow
@pytest.mark.parametrize("number", range(10, 20))
def test_many_random_programs_of_users(number: int, tmp_path: Path) -> None:
    assert of_users(number, 100, tmp_path) > 80


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 1100, 100))
def test_many_random_programs(first: int) -> None:
    seeds = range(first, first + 100)
    assert min(recursions(seeds), moved_arrays(seeds), everything(seeds)) > 200
