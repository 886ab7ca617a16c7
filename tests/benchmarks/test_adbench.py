"""ADBench's objectives are checked before they are timed, and have bars."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.adbench import OBJECTIVES, Objective, adbench, check
from benchmarks.figures import Bounds
from benchmarks.parts import PARTS
from benchmarks.validate import WrongGradient

objectives = pytest.mark.parametrize("objective", OBJECTIVES, ids=[o.name for o in OBJECTIVES])


@pytest.mark.thinned(2)
@objectives
def test_figures(objective: Objective) -> None:
    (found,) = PARTS[objective.name].figures(Bounds.load(), True)
    assert (found.kind, found.subject) == (objective.kind, objective.name)
    assert found.value is not None
    assert found.value > 0
    assert found.bar is not None


def slightly_off(found: Any) -> Any:
    """One number of a gradient or of a Jacobian that is another one."""
    match found:
        case (value, (first, *others)):
            return value, (first + np.eye(1, first.size).reshape(first.shape), *others)
        case (rows, cols, values):
            return rows, cols, values + np.eye(1, len(values))[0]
        case matrix:
            return matrix + np.eye(*matrix.shape)


@pytest.mark.thinned(3)
@objectives
def test_another_derivative_is_not_timed(objective: Objective) -> None:
    arguments = objective.data(objective.sizes["quick"])
    found = objective.derived(objective)(*arguments)
    check(objective, arguments, found)
    with pytest.raises(WrongGradient, match=objective.name):
        check(objective, arguments, slightly_off(found))
    with pytest.raises(WrongGradient):
        list(adbench(replace(objective, along=lambda *_: np.nan), Bounds.load(), True))
