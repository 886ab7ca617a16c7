"""ADBench's objectives as the examples have them: the time of a derivative over that of the primal.

The programs are those of a user who has not tuned anything. Sizes are ADBench's, data are random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.problems.base import Arguments, Value
from benchmarks.timing import interleave
from benchmarks.validate import STEPS, WrongGradient, difference, moved
from examples.adbench import bundle_adjustment, diagonal_lstm, gaussian_mixture, hand_tracking

__all__ = ["OBJECTIVES", "Objective", "adbench", "check"]

Size = Mapping[str, int]
Parts = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Objective:
    """One objective.

    Attributes:
        name: how `--problem` selects it.
        title: one line for people.
        kind: the section of `bounds.toml`.
        primal: the objective, or the residuals.
        derived: compiles what is timed: the gradient, or a program for the Jacobian.
        along: a derivative times a direction, from what `derived` gives.
        argnums: the arguments that are differentiated.
        data: makes the arguments from a size.
        sizes: `full` for the figures, `quick` for a look.
    """

    name: str
    title: str
    kind: str
    primal: Value
    derived: Callable[[Objective], Value]
    along: Callable[[Any, Parts], Any]
    argnums: tuple[int, ...]
    data: Callable[[Size], Arguments]
    sizes: Mapping[str, Size]


def gradient_of(objective: Objective) -> Value:
    return adapter.gradient(objective.primal, objective.argnums)


def slope_along(found: Any, direction: Parts) -> Any:
    """From value and gradients."""
    return np.array([sum(np.sum(g * d) for g, d in zip(found[1], direction, strict=True))])


def rows_along(found: Any, direction: Parts) -> Any:
    """From row pointers, columns and values."""
    rows, cols, values = found
    flat = np.concatenate([d.ravel() for d in direction])
    return np.add.reduceat(values * flat[cols], rows[:-1])


def pose_along(found: Any, direction: Parts) -> Any:
    """From a full matrix."""
    return found @ direction[0]


def places_along(found: Any, direction: Parts) -> Any:
    """From a matrix whose first two columns are of as many unknowns for each three rows."""
    theta, us = direction
    return found[:, 2:] @ theta + np.sum(found[:, :2] * np.repeat(us, 3, axis=0), axis=1)


def hand_data(size: Size, places: bool) -> Arguments:
    theta, us, *rest = hand_tracking.data(
        size["vertices"], size["points"], np.random.default_rng(5)
    )
    return (theta, us, *rest) if places else (theta, *rest)


HANDS = {
    "full": {"vertices": 544, "points": 100},
    "quick": {"vertices": 60, "points": 20},
}

OBJECTIVES = (
    Objective(
        "adbench_gmm", "ADBench's Gaussian mixture", "gradient_over_primal",
        gaussian_mixture.objective, gradient_of, slope_along, (0, 1, 2),
        lambda size: gaussian_mixture.data(
            size["n"], size["d"], size["k"], np.random.default_rng(2)
        ),
        {"full": {"n": 10_000, "d": 10, "k": 25}, "quick": {"n": 200, "d": 4, "k": 5}},
    ),
    Objective(
        "adbench_lstm", "ADBench's diagonal LSTM", "gradient_over_primal",
        diagonal_lstm.objective, gradient_of, slope_along, (0, 1),
        lambda size: diagonal_lstm.data(size["l"], size["c"], 14, np.random.default_rng(3)),
        {"full": {"l": 4, "c": 1024}, "quick": {"l": 2, "c": 100}},
    ),
    Objective(
        "adbench_ba", "ADBench's bundle adjustment", "jacobian_over_primal",
        bundle_adjustment.residuals, lambda _: adapter.primal(bundle_adjustment.jacobian),
        rows_along, (0, 1, 2),
        lambda size: bundle_adjustment.data(
            size["n"], size["m"], size["p"], np.random.default_rng(4)
        ),
        {"full": {"n": 49, "m": 7776, "p": 31_843}, "quick": {"n": 5, "m": 100, "p": 400}},
    ),
    Objective(
        "adbench_hand", "ADBench's hand tracking", "jacobian_over_primal",
        hand_tracking.residuals, lambda _: adapter.primal(hand_tracking.jacobian),
        pose_along, (0,), lambda size: hand_data(size, False), HANDS,
    ),
    Objective(
        "adbench_hand_u", "ADBench's hand tracking, places in triangles", "jacobian_over_primal",
        hand_tracking.residuals_in_triangles,
        lambda _: adapter.primal(hand_tracking.jacobian_in_triangles),
        places_along, (0, 1), lambda size: hand_data(size, True), HANDS,
    ),
)  # fmt: skip
"""In the order of the tables."""


def flat(value: Any) -> Any:
    """All residuals, or the objective, in a row."""
    parts = value if isinstance(value, tuple) else (value,)
    return np.concatenate([np.ravel(part) for part in parts])


def check(objective: Objective, arguments: Arguments, found: Any, tolerance: float = 1e-6) -> None:
    """Compares with differences of the primal along a random direction, with both steps."""
    primal, draw = adapter.primal(objective.primal), np.random.default_rng(0)
    direction = [draw.normal(size=np.shape(arguments[k])) for k in objective.argnums]
    length = np.sqrt(sum(np.sum(d * d) for d in direction))
    direction = [d / length for d in direction]
    tangent = objective.along(found, direction)

    def at(by: float) -> Any:
        return flat(primal(*moved(arguments, objective.argnums, direction, by)))

    for step in STEPS:
        expected = difference(at, step)
        error = float(np.max(np.abs(tangent - expected)) / np.max(np.abs(expected)))
        if not error <= tolerance:
            raise WrongGradient(f"{objective.name}: {error:.1e} off central differences")


def adbench(objective: Objective, bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """The derivative against its own primal, after it has been checked."""
    arguments = objective.data(objective.sizes["quick" if quick else "full"])
    primal, derived = adapter.primal(objective.primal), objective.derived(objective)
    check(objective, arguments, derived(*arguments))
    pair = interleave(
        lambda: derived(*arguments), lambda: primal(*arguments),
        *((5, 0.002) if quick else (15, 0.01)),
    )  # fmt: skip
    bar = bounds.bar(objective.kind, objective.name)
    yield Figure(
        objective.kind, objective.name, pair.ratio, 1e3 * pair.ours, 1e3 * pair.rival, bar=bar
    )
