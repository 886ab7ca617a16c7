"""The two evaluators by themselves: depth, capsules as data, open sums, bad input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from retrograd.backends.cps.continuations import by_continuations
from retrograd.backends.cps.convert import by_segments
from retrograd.backends.cps.runs import Capsule, Evaluator, interrupt, primops, resume
from retrograd.backends.cps.sums import OpenSum
from retrograd.errors import CompilerBug, UserError
from retrograd.prims import DEFAULT
from retrograd.prims.core import RaisedError
from retrograd.prims.reduce import lane_sum
from tests.backends.cps.small import SMALL, X
from tests.backends.llvm.native import bits, parsed
from tests.backends.llvm.test_interrupt import numbered
from tests.backends.llvm.test_time_slices import DEEP, deep

pytestmark = pytest.mark.thinned(2)

Made = Callable[..., Evaluator[Any]]

both = pytest.mark.parametrize("made", [by_continuations, by_segments])


def evaluator(made: Made, name: str, grain: int = 1) -> Evaluator[Any]:
    return made(numbered(parsed(f"program f\n{SMALL[name][0]}")), DEFAULT, grain)


@both
def test_calls_are_as_deep_as_memory(made: Made) -> None:
    depth = 5_000
    evaluator = made(numbered(parsed(DEEP)), DEFAULT)
    results, steps = primops(evaluator, (depth, 2.0))
    assert results == (deep(depth, 2.0),)
    assert steps == 2 * (depth + 1)
    capsule = interrupt(evaluator, (depth, 2.0), depth)
    assert isinstance(capsule, Capsule)
    assert capsule.steps == depth
    assert len(capsule.frames) == depth + 1
    assert resume(capsule) == results


@both
def test_what_a_capsule_says(made: Made) -> None:
    """The fourth iteration of the outer loop, the second of the inner one."""
    name = "nested loops, and a value that lives across them"
    capsule = interrupt(evaluator(made, name), (7, X), 4 * 3 + 1 + 2 + 1)
    assert isinstance(capsule, Capsule)
    assert "16 steps" in repr(capsule)
    (frame,) = capsule.frames
    assert frame.function == "f"
    assert frame.loops == ((1, 3), (3, 7))
    assert sorted(frame.live) == ["a", "t", "w", "x"]
    assert frame.live["w"] == X[1]


@both
def test_a_capsule_is_not_used_up(made: Made) -> None:
    run = evaluator(made, "arrays that grow and change places")
    want = primops(run, (6, X))[0]
    capsule = interrupt(run, (6, X), 9)
    assert isinstance(capsule, Capsule)
    before = [bits(list(f.live.values())) for f in capsule.frames]
    for _ in range(3):
        further = resume(capsule, 3)
        assert isinstance(further, Capsule)
        assert further.steps > capsule.steps
        assert bits(resume(further)) == bits(want)
        assert bits(resume(capsule)) == bits(want)
    assert [bits(list(f.live.values())) for f in capsule.frames] == before


@both
def test_what_is_raised_comes_out(made: Made) -> None:
    run = evaluator(made, "what is raised on the way")
    capsule = interrupt(run, (9, X), 5)
    assert isinstance(capsule, Capsule)
    for _ in range(2):
        with pytest.raises(RaisedError, match="IndexError"):
            resume(capsule)


@both
@pytest.mark.parametrize("steps", [0, -1, 2.0, True, None, 1 << 63])
def test_steps_are_positive_ints(made: Made, steps: Any) -> None:
    run = evaluator(made, "a loop")
    capsule = interrupt(run, (50,), 10)
    assert isinstance(capsule, Capsule)
    with pytest.raises(UserError, match="steps"):
        interrupt(run, (50,), steps)
    if steps is not None:
        with pytest.raises(UserError, match="steps"):
            resume(capsule, steps)


@both
def test_the_number_of_arguments(made: Made) -> None:
    with pytest.raises(CompilerBug, match="takes 1 arguments"):
        primops(evaluator(made, "a loop"), (1, 2))


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 100, 8191, 8192, 8193, 20_000])
def test_open_sums_are_those_of_lanes(count: int) -> None:
    terms = np.random.default_rng(count).normal(size=count)
    opened, at = OpenSum(count), 0
    while at < count:
        opened = opened.added(at, list(terms[at : at + 1000]))
        at += 1000
    assert bits([opened.total]) == bits([lane_sum(terms)])
