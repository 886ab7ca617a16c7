"""The forward sweep of a derivative has the same steps and places by all three."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from retrograd.backends.cps.continuations import by_continuations
from retrograd.backends.cps.convert import by_segments
from retrograd.backends.cps.runs import Capsule, interrupt, primops, resume
from retrograd.backends.llvm.coroutines import TurnTaking
from retrograd.backends.llvm.nested_gradients import Inner
from retrograd.ir.terms import Program
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.checkpoint.sweep_split import sweeps_apart
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import SWEEPS
from tests.backends.cps.oracle import Stopped, Stops, near
from tests.backends.llvm.native import bits, own, ready
from tests.backends.llvm.test_interrupt import numbered
from tests.backends.llvm.turning import turning
from tests.transforms.ad.vjp.support import data, linear_programs, lowered, with_vjp
from tests.transforms.ad.vjp.test_identities import FORMS


def check(program: Program, size: int = 3, leaf: int = 1) -> int:
    """Advances in leaves, compares each stop and the end; how many stops there were."""
    derivative = lowered(numbered(with_vjp(program)))
    made = turning(derivative, 1)
    assert made is not None
    prepared = run_pipeline(SWEEPS, derivative, DEFAULT, check=True)
    sweeps = sweeps_apart(prepared, supply_for(prepared), DEFAULT)
    assert sweeps is not None
    args = data(derivative, np.random.default_rng(3), size)
    numbers = {f.name: k for k, f in enumerate(sweeps.forward.functions)}
    stops = Stops(made.shapes, numbers, args)
    inner = Inner.of([])
    run = TurnTaking(made.ahead, made.back, made.shapes, ready(), own(args), inner)
    cps, hybrid = (by(sweeps.forward, DEFAULT, 1) for by in (by_continuations, by_segments))
    one, two = interrupt(cps, args, leaf), interrupt(hybrid, args, leaf)
    count = 0
    while not run.advance(run.step + leaf):
        assert isinstance(one, Capsule)
        assert isinstance(two, Capsule)
        stops.compare(Stopped(run.step, run.forward.capture(), None), one, two)
        one, two = resume(one, leaf), resume(two, leaf)
        count += 1
    for evaluator, last in ((cps, one), (hybrid, two)):
        results, steps = primops(evaluator, args)
        assert steps == run.step
        assert not isinstance(last, Capsule)
        assert bits(last) == bits(results)
        assert run.results is not None
        assert all(near(a, b) for a, b in zip(run.results, results, strict=True))
    run.drop()
    return count


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_forms(form: Callable[[], Program]) -> None:
    check(form(), 5, 2)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("program", linear_programs(0, 12))
def test_random_programs(program: Program) -> None:
    check(program)


def test_sweeps_are_stopped() -> None:
    assert sum(check(form()) > 2 for form in FORMS) >= 5
