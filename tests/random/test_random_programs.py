"""Random programs through everything: interpreter, passes, native code and derivatives.

Shards have different seeds, so that they run side by side; each is the same in every run.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.random.calculus import Interpreted, Native
from tests.random.cases import (
    Stage,
    checkpointed,
    compiled,
    derivatives_raise,
    derived,
    derived_twice,
    failure,
    in_all_directions,
    in_leaves,
    in_leaves_of_leaves,
    interrupted,
    translated,
)
from tests.random.costs import all_bodies_apart, log_everything, short_lines, short_parts
from tests.random.programs import FAULTY, PLAIN, SMOOTH, Features, RandomProgram, programs

pytestmark = pytest.mark.thinned(4)

TEN = range(10)
VALUES: tuple[Stage, ...] = (translated, compiled)
ONCE: tuple[Stage, ...] = (derived(Interpreted), derived(Native))
JACOBIANS: tuple[Stage, ...] = (
    in_all_directions(Interpreted, False), in_all_directions(Native, False),
)  # fmt: skip
HESSIANS: tuple[Stage, ...] = (
    in_all_directions(Interpreted, True), in_all_directions(Native, True),
)  # fmt: skip
TWICE: tuple[Stage, ...] = (derived_twice(Interpreted), derived_twice(Native))


def check(
    shard: int, examples: int, features: Features, stages: tuple[Stage, ...], directory: Path
) -> None:
    """Draws programs and takes each through the stages."""

    @seed(shard)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(program=programs(features))
    def holds(program: RandomProgram) -> None:
        for stage in stages:
            story = failure(program, stage, directory)
            assert story is None, story

    holds()


@pytest.mark.thinned(5)
@pytest.mark.parametrize("shard", TEN)
def test_native_is_the_interpreter_is_python(shard: int, tmp_path: Path) -> None:
    check(shard, 9, PLAIN, VALUES, tmp_path)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("shard", TEN)
def test_the_same_exceptions(shard: int, tmp_path: Path) -> None:
    check(100 + shard, 7, FAULTY, VALUES, tmp_path)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("shard", range(4))
def test_derivatives_raise_what_values_raise(shard: int, tmp_path: Path) -> None:
    check(1500 + shard, 6, FAULTY, (derivatives_raise,), tmp_path)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("shard", range(4))
def test_derivatives_inside(shard: int, tmp_path: Path) -> None:
    check(1600 + shard, 8, replace(PLAIN, inner_grad=True), VALUES, tmp_path)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("shard", TEN)
def test_first_derivatives(shard: int, tmp_path: Path) -> None:
    check(200 + shard, 4, SMOOTH, ONCE, tmp_path)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("shard", range(4))
def test_second_derivatives(shard: int, tmp_path: Path) -> None:
    check(300 + shard, 3, SMOOTH, TWICE, tmp_path)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("shard", range(4))
def test_derivatives_with_logs(shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log_everything(monkeypatch)
    check(400 + shard, 5, SMOOTH, ONCE, tmp_path)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("shard", range(4))
def test_runs_in_legs(shard: int, tmp_path: Path) -> None:
    check(900 + shard, 7, PLAIN if shard % 2 else FAULTY, (interrupted,), tmp_path)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("shard", range(8))
def test_gradients_in_leaves(shard: int, tmp_path: Path) -> None:
    check(1100 + shard, 5, SMOOTH, (in_leaves,), tmp_path)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("shard", range(10))
def test_gradients_in_every_way(shard: int, tmp_path: Path) -> None:
    check(1300 + shard, 7, SMOOTH, (checkpointed,), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(40))
def test_many_gradients_in_every_way(shard: int, tmp_path: Path) -> None:
    check(13000 + shard, 50, SMOOTH, (checkpointed,), tmp_path)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("shard", range(4))
def test_gradients_in_leaves_of_leaves(shard: int, tmp_path: Path) -> None:
    check(1200 + shard, 2, SMOOTH, (in_leaves_of_leaves,), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_gradients_in_leaves_of_leaves(shard: int, tmp_path: Path) -> None:
    check(12000 + shard, 20, SMOOTH, (in_leaves_of_leaves,), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_gradients_in_leaves(shard: int, tmp_path: Path) -> None:
    check(11000 + shard, 100, SMOOTH, (in_leaves,), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_many_runs_in_legs(shard: int, tmp_path: Path) -> None:
    check(10000 + shard, 100, PLAIN if shard % 3 else FAULTY, (interrupted,), tmp_path)


@pytest.mark.parametrize("shard", [0, 1, pytest.param(2, marks=pytest.mark.slow)])
def test_straight_lines_in_parts(
    shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_parts(monkeypatch, 2 + shard)
    if shard % 2:
        short_lines(monkeypatch)
    check(1400 + shard, 4, SMOOTH, (checkpointed, in_leaves), tmp_path)
    check(1450 + shard, 4, PLAIN if shard % 3 else FAULTY, (compiled, interrupted), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_straight_lines_in_parts(
    shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_parts(monkeypatch, 1 + shard % 5)
    if shard % 2:
        short_lines(monkeypatch)
    check(14000 + shard, 20, SMOOTH, (checkpointed, in_leaves, *ONCE), tmp_path)
    check(14500 + shard, 10, SMOOTH, (in_leaves_of_leaves, *TWICE), tmp_path)
    check(15000 + shard, 20, PLAIN if shard % 3 else FAULTY, (*VALUES, interrupted), tmp_path)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("shard", range(3))
def test_lines_of_arrays_in_parts(
    shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_lines(monkeypatch, 1 + shard)
    check(1500 + shard, 2, SMOOTH, (checkpointed, in_leaves, *ONCE), tmp_path)
    check(1550 + shard, 2, PLAIN if shard % 3 else FAULTY, (compiled, interrupted), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_lines_of_arrays_in_parts(
    shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_lines(monkeypatch, 1 + shard % 5)
    check(16000 + shard, 20, SMOOTH, (checkpointed, in_leaves, *ONCE), tmp_path)
    check(16500 + shard, 10, SMOOTH, (in_leaves_of_leaves, *TWICE), tmp_path)
    check(17000 + shard, 20, PLAIN if shard % 3 else FAULTY, (*VALUES, interrupted), tmp_path)
    check(17500 + shard, 5, SMOOTH, JACOBIANS, tmp_path)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("shard", range(3))
def test_bodies_that_are_run_again(
    shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_bodies_apart(monkeypatch)
    check(1800 + shard, 5, SMOOTH, (checkpointed, in_leaves), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_bodies_that_are_run_again(
    shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_bodies_apart(monkeypatch)
    if shard % 4 == 1:
        short_lines(monkeypatch)
    check(18000 + shard, 25, SMOOTH, (checkpointed, in_leaves), tmp_path)
    check(18500 + shard, 5, SMOOTH, (in_leaves_of_leaves,), tmp_path)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("shard", range(4))
def test_jacobians(shard: int, tmp_path: Path) -> None:
    check(700 + shard, 4, SMOOTH, JACOBIANS, tmp_path)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("shard", range(2))
def test_hessians(shard: int, tmp_path: Path) -> None:
    check(800 + shard, 2, SMOOTH, HESSIANS, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_jacobians(shard: int, tmp_path: Path) -> None:
    check(8000 + shard, 40, SMOOTH, JACOBIANS, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_many_hessians(shard: int, tmp_path: Path) -> None:
    check(9000 + shard, 15, SMOOTH, HESSIANS, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_values(shard: int, tmp_path: Path) -> None:
    check(1000 + shard, 150, PLAIN, VALUES, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_exceptions(shard: int, tmp_path: Path) -> None:
    check(2000 + shard, 60, FAULTY, VALUES, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_derivatives(shard: int, tmp_path: Path) -> None:
    check(3000 + shard, 70, SMOOTH, ONCE, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_many_second_derivatives(shard: int, tmp_path: Path) -> None:
    check(4000 + shard, 20, SMOOTH, TWICE, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_many_derivatives_with_logs(
    shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_everything(monkeypatch)
    check(5000 + shard, 50, SMOOTH, ONCE, tmp_path)
    check(6000 + shard, 10, SMOOTH, TWICE, tmp_path)
