"""The generator itself: its programs run, are finite, and each construct appears."""

from __future__ import annotations

import dataclasses
import inspect
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from tests.random.harness import leaves, outcome
from tests.random.programs import (
    FAULTY,
    PLAIN,
    SMOOTH,
    Features,
    RandomProgram,
    from_seed,
    loaded,
    programs,
)
from tests.random.programs.reduce import reduce

SEEDS = range(150)


@settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(program=programs())
def test_programs_run_under_plain_python(
    program: RandomProgram, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with loaded(program, tmp_path_factory.getbasetemp()) as (f, module):
        result = outcome(f, program.args(module))
        assert result.error is None, f"{program.text()}\n{result}"
        for leaf in leaves(result.value):
            assert np.all(np.isfinite(np.asarray(leaf, dtype=float))), program.text()
        assert "def entry" in inspect.getsource(f)


def test_a_seed_names_one_program() -> None:
    assert from_seed(7, SMOOTH) == from_seed(7, SMOOTH)
    assert from_seed(7).source != from_seed(8).source


def test_every_construct_appears() -> None:
    seen = frozenset[str]().union(*(from_seed(seed).tags for seed in range(600)))
    names = {f.name for f in dataclasses.fields(Features)}
    assert names - seen <= {"smooth", "faults", "empty_arrays", "inner_grad"}


def test_a_construct_that_is_switched_off_does_not_appear() -> None:
    features = PLAIN.without("while_loop", "views", "nonlocal_", "rank3")
    for seed in SEEDS:
        program = from_seed(seed, features)
        assert "while " not in program.source
        assert "nonlocal" not in program.source
        assert not program.tags & {"while_loop", "views", "nonlocal_", "rank3"}


def test_faults_are_reached_often(tmp_path: Path) -> None:
    errors: dict[str, int] = {}
    for seed in SEEDS:
        program = from_seed(seed, FAULTY)
        with loaded(program, tmp_path) as (f, module):
            error = outcome(f, program.args(module)).error
        if error is not None:
            errors[error] = errors.get(error, 0) + 1
    assert sum(errors.values()) > len(SEEDS) // 6
    assert {"IndexError", "ZeroDivisionError", "AssertionError", "ValueError"} <= set(errors)


def test_reducing_keeps_what_fails_and_drops_the_rest() -> None:
    program = next(p for p in map(from_seed, range(100)) if "math.tanh" in p.source)
    small = reduce(program, lambda p: "math.tanh" in p.source, checks=2000)
    assert "math.tanh" in small.source
    assert len(small.source) < len(program.source) / 2
