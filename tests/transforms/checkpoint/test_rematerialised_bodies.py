"""Long bodies that are run again become inner derivatives; others stay parts of units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile.prepare import prepare
from retrograd.frontend.identity.specs import spec_of
from retrograd.ir.terms import Call, Function, Program
from retrograd.ir.traverse import stms_deep, supply_for
from retrograd.options.checkpointing import policy_named
from retrograd.prims import DEFAULT
from retrograd.transforms.checkpoint.rematerialised_bodies import (
    has_short_bodies,
    long_bodies_apart,
)
from retrograd.transforms.driver import BY_SCHEDULE
from tests.api.killed import rows
from tests.api.test_long_bodies import counted

X = np.array([0.5, -0.25, 1.0])


def stencil(x, n, m):
    """A body that goes over its arrays a few times."""
    for _ in range(n):
        y = np.empty(len(x))
        for k in range(len(x)):
            y[k] = np.sin(x[k] - x[k - 1]) * x[k]
        x = y
    return np.sum(x) + m


def flat(x, n, m):
    for _ in range(n * m):
        x = x + 0.001 * np.sin(x)
    return np.sum(x * x)


def derived(f: Callable[..., Any]) -> Program:
    prepared = prepare(rg.grad(f), tuple(spec_of(a) for a in (X, 3, 4)), {}, True)
    return BY_SCHEDULE.run(prepared.task.program, DEFAULT, check=True)


def made(f: Callable[..., Any], every: bool = False) -> tuple[Program, list[Function]]:
    program = derived(f)
    after = long_bodies_apart(program, supply_for(program), DEFAULT, every)
    before = {g.name for g in program.functions}
    return after, [g for g in after.functions if g.name not in before]


def test_a_long_body_and_its_reverse_are_an_inner_derivative() -> None:
    program, (function,) = made(counted)
    assert function.derivative is not None
    assert policy_named(function.derivative).kind == "share"
    first, second = function.body.stms
    assert first.outs == ()
    assert tuple(v.type for v in second.outs) == function.result_types
    calls = [s.expr for f in program.functions for s in stms_deep(f.body)]
    assert sum(isinstance(e, Call) and e.function == function.name for e in calls) == 1


def test_the_forward_sweep_can_be_interrupted_in_it() -> None:
    before, (after, _) = derived(counted), made(counted)
    points = [
        [e.point for f in p.functions for s in stms_deep(f.body) if isinstance(e := s.expr, Call)]
        for p in (before, after)
    ]
    numbered = [[p for p in found if p is not None] for found in points]
    assert len(numbered[1]) == len(numbered[0]) + 1


@pytest.mark.parametrize("f", [stencil, flat])
def test_others_stay_as_they_are(f: Callable[..., Any]) -> None:
    program, functions = made(f)
    assert functions == []
    assert program is not None


def test_short_ones_are_apart_where_every_one_is_asked_for() -> None:
    assert made(rows)[1] == []
    assert has_short_bodies(derived(rows), DEFAULT)
    program, (function,) = made(rows, every=True)
    assert function.derivative is not None
    assert not has_short_bodies(program, DEFAULT)
    assert not has_short_bodies(derived(counted), DEFAULT)
    assert [len(made(counted, every)[1]) for every in (False, True)] == [1, 1]


def test_twice_is_as_good_as_once() -> None:
    program, _ = made(counted)
    assert long_bodies_apart(program, supply_for(program), DEFAULT) is program
