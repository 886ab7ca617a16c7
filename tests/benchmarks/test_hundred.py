"""The program whose first gradient is timed: as long as it says, and differentiated rightly."""

from __future__ import annotations

import inspect

import numpy as np

from benchmarks import adapter
from benchmarks.programs.hundred import catchment, forcing
from benchmarks.validate import difference


def test_it_has_a_hundred_lines() -> None:
    assert len(inspect.getsource(catchment).splitlines()) == 100


def test_gradient_against_differences() -> None:
    parameters, *rest = forcing(40)
    value, (gradient,) = adapter.gradient(catchment, (0,))(parameters, *rest)
    assert np.isclose(value, catchment(parameters, *rest), rtol=1e-12)
    for at in range(len(parameters)):

        def along(by: float, at: int = at) -> float:
            moved = parameters.copy()
            moved[at] += by
            return float(catchment(moved, *rest))

        # Branches depend on the data, so the step is small and the tolerance that of differences.
        assert np.isclose(gradient[at], difference(along, 1e-5), rtol=1e-6, atol=1e-8)
