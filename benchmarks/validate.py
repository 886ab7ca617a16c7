"""No gradient is timed before it has been checked.

Against the hand-written C adjoint where there is one, and always against differences of the C
primal along random directions. Differences are of fourth order and taken with two neighbouring
steps that must agree with each other, so that a step that happens to fit proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.problems.base import Arguments, Problem

__all__ = ["Check", "WrongGradient", "check_gradient", "check_value", "difference"]

DIRECTIONS = 3
STEPS = (1e-3, 5e-4)


class WrongGradient(AssertionError):
    """A gradient or a value that must not be timed."""


@dataclass(frozen=True, slots=True)
class Check:
    """The largest relative error found, and what it was measured against."""

    error: float
    against: str


def moved(arguments: Arguments, argnums: Sequence[int], direction: Sequence[Any], by: float):
    """The arguments with those in `argnums` moved along `direction`."""
    out = list(arguments)
    for position, d in zip(argnums, direction, strict=True):
        out[position] = arguments[position] + by * d
    return tuple(out)


def difference(along: Callable[[float], float], step: float) -> float:
    """Derivative at 0 by central differences of fourth order."""
    near = along(step) - along(-step)
    far = along(2.0 * step) - along(-2.0 * step)
    return (8.0 * near - far) / (12.0 * step)


def relative(found: float, expected: float, scale: float) -> float:
    return float(abs(found - expected) / max(abs(expected), scale, 1e-300))


def check_value(problem: Problem, arguments: Arguments, value: float, tolerance: float) -> Check:
    """Compares a value with that of the rival in C."""
    expected = problem.c_primal(arguments).run()
    error = relative(value, expected, 0.0)
    if not error <= tolerance:
        raise WrongGradient(f"{problem.name}: value {value!r}, in C {expected!r}")
    return Check(error, "C")


def check_gradient(
    problem: Problem, arguments: Arguments, gradient: Sequence[Any], tolerance: float = 1e-6
) -> Check:
    """Checks a gradient, one array or number for each position in `argnums`; raises if wrong."""
    if len(gradient) != len(problem.argnums):
        raise WrongGradient(f"{problem.name}: {len(gradient)} parts, not {len(problem.argnums)}")
    for position, part in zip(problem.argnums, gradient, strict=True):
        if np.shape(part) != np.shape(arguments[position]):
            raise WrongGradient(f"{problem.name}: shape {np.shape(part)} for argument {position}")
        # Said here, because max() below would lose a NaN.
        if not np.all(np.isfinite(part)):
            raise WrongGradient(f"{problem.name}: not finite for argument {position}")
    if problem.c_adjoint is not None:
        return against_adjoint(problem, arguments, gradient, tolerance)
    return against_differences(problem, arguments, gradient, tolerance)


def against_adjoint(
    problem: Problem, arguments: Arguments, gradient: Sequence[Any], tolerance: float
) -> Check:
    """Compares componentwise, relative to the largest component of each part."""
    if problem.c_adjoint is None:
        raise ValueError(f"{problem.name} has no adjoint in C")
    rival = problem.c_adjoint(arguments)
    rival.run()
    worst = 0.0
    for found, expected in zip(gradient, rival.gradient, strict=True):
        worst = max(worst, float(np.max(np.abs(found - expected)) / np.max(np.abs(expected))))
    if not worst <= tolerance:
        raise WrongGradient(f"{problem.name}: gradient is {worst:.1e} off the adjoint in C")
    return Check(worst, "C adjoint")


def against_differences(
    problem: Problem, arguments: Arguments, gradient: Sequence[Any], tolerance: float
) -> Check:
    """Compares along random directions; the scale is what the gradient can give at most."""
    draw = np.random.default_rng(0)
    worst = 0.0
    for _ in range(DIRECTIONS):
        direction = [draw.normal(size=np.shape(arguments[p])) for p in problem.argnums]
        length = np.sqrt(sum(float(np.sum(d * d)) for d in direction))
        direction = [d / length for d in direction]
        slope = sum(float(np.sum(g * d)) for g, d in zip(gradient, direction, strict=True))

        def along(by: float, direction: Sequence[Any] = direction) -> float:
            return problem.c_primal(moved(arguments, problem.argnums, direction, by)).run()

        first, second = (difference(along, step) for step in STEPS)
        size = np.sqrt(sum(float(np.sum(np.square(g))) for g in gradient))
        scale = float(size) / np.sqrt(sum(np.size(d) for d in direction))
        worst = max(worst, relative(slope, first, scale), relative(slope, second, scale))
    if not worst <= tolerance:
        raise WrongGradient(f"{problem.name}: gradient is {worst:.1e} off central differences")
    return Check(worst, "differences")
