"""Random directions, and how far two results are from each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from retrograd.testing.trees import Tree, Vector, is_float, map_tree, zero_tangent

__all__ = ["cotangent", "direction", "magnitude", "relative", "relative_sum"]


def direction(tree: Tree, rng: np.random.Generator) -> Tree:
    """Random numbers of the shape of `tree`, each between a half and one times its entry in size;
    zeros where it has no floats.

    An entry that is much smaller than the others of its array moves by a thousandth of the largest.
    """

    def draw(leaf: Any) -> Any:
        if not is_float(leaf):
            return zero_tangent(leaf)
        data = np.asarray(leaf)
        largest = magnitude(data.ravel()) or 1e3
        return _like(leaf, _signed(data.shape, rng) * np.maximum(np.abs(data), 1e-3 * largest))

    return map_tree(draw, tree)


def cotangent(tree: Tree, rng: np.random.Generator) -> Tree:
    """Random numbers between a half and one in size; zero where `tree` is not floating-point."""

    def draw(leaf: Any) -> Any:
        return _like(leaf, _signed(np.shape(leaf), rng)) if is_float(leaf) else zero_tangent(leaf)

    return map_tree(draw, tree)


def magnitude(data: Vector) -> float:
    """The largest absolute value, of what is finite."""
    finite = data[np.isfinite(data)]
    return float(np.max(np.abs(finite))) if finite.size else 0.0


def relative(left: Vector, right: Vector, floor: float = 0.0) -> float:
    """The largest difference over the largest entry (at least `floor`); nan agrees with nan."""
    if left.shape != right.shape:
        return np.inf
    differ = ~((left == right) | (np.isnan(left) & np.isnan(right)))
    if not bool(np.any(differ)):
        return 0.0
    scale = np.float64(max(magnitude(left), magnitude(right), floor))
    with np.errstate(all="ignore"):
        return float(np.max(np.abs(left - right)[differ] / scale))


def relative_sum(left: Vector, right: Vector, floor: float = 0.0) -> float:
    """The difference of two sums over the sizes of their terms."""
    with np.errstate(all="ignore"):
        difference = abs(float(np.sum(left)) - float(np.sum(right)))
        scale = np.max([np.sum(np.abs(left)), np.sum(np.abs(right)), floor])
        return 0.0 if difference == 0.0 else float(difference / scale)


def _signed(shape: tuple[int, ...], rng: np.random.Generator) -> Vector:
    return rng.uniform(0.5, 1.0, shape) * rng.choice([-1.0, 1.0], shape)


def _like(leaf: Any, data: Vector) -> Any:
    return np.asarray(data) if isinstance(leaf, np.ndarray) else float(data)
