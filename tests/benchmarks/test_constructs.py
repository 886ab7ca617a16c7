"""Programs of constructs are checked before they are timed, and have the bars that they should."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.constructs import CONSTRUCTS, Construct, check_against, constructs
from benchmarks.figures import Bounds
from benchmarks.parts import PARTS
from benchmarks.problems.base import Arguments
from benchmarks.validate import WrongGradient

every = pytest.mark.parametrize("construct", CONSTRUCTS, ids=[c.objective.name for c in CONSTRUCTS])
BARRED = {
    "kmeans": {"gradient_over_primal", "gradient_over_adjoint", "diagonal_over_primal"},
    "kmeans_loops": {"gradient_over_primal", "gradient_over_adjoint", "diagonal_over_primal"},
    "csr_product": {"gradient_over_adjoint"},
    "lookup": {"gradient_over_primal"},
    "lattice_boltzmann": {"gradient_over_primal"},
    "scan": {"gradient_over_primal", "tape_of_construct"},
    "scan_np": {"gradient_over_primal", "tape_of_construct"},
    "map_of_loop": {"tape_of_construct"},
    "nest": {"tape_of_construct"},
}


@pytest.mark.thinned(2)
@every
def test_figures(construct: Construct) -> None:
    name = construct.objective.name
    found = list(PARTS[name].figures(Bounds.load(), True))
    assert all(f.subject == name and f.value is not None and f.value > 0 for f in found)
    assert {f.kind for f in found if f.bar is not None} == BARRED.get(name, set())


def off(arrays: Any) -> Any:
    """Arrays the first of which has one number that is another one."""
    first, *others = arrays
    return first + np.max(np.abs(first)) * np.eye(1, first.size).reshape(first.shape), *others


def wrong_adjoint(construct: Construct, arguments: Arguments) -> Any:
    assert construct.adjoint is not None
    right = construct.adjoint(arguments)
    right.run()
    return replace(right, run=lambda: right.run() + 1.0)


@pytest.mark.thinned(2)
@every
def test_another_derivative_is_not_timed(construct: Construct) -> None:
    bounds, about = Bounds.load(), construct.objective
    derived = about.derived(about)

    def wrong(*arguments: Any) -> Any:
        value, gradient = derived(*arguments)
        return value, off(gradient)

    with pytest.raises(WrongGradient, match=about.name):
        list(constructs(replace(construct, objective=replace(about, derived=lambda _: wrong)),
                        bounds, True))  # fmt: skip
    if construct.adjoint is not None:
        other = replace(construct, adjoint=lambda at: wrong_adjoint(construct, at))
        with pytest.raises(WrongGradient, match=about.name):
            list(constructs(other, bounds, True))


def test_what_is_not_a_number_is_off() -> None:
    with pytest.raises(WrongGradient, match="name"):
        check_against("name", [np.array([np.nan, 1.0])], [np.array([1.0, 1.0])])
