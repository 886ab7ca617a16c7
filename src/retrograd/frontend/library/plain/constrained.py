"""Minima under constraints (`scipy.optimize.minimize`), by the method of multipliers.

J. Nocedal, S. J. Wright, Numerical optimization, 2006, chapters 12 and 17. What is minimised
between the bounds is the Lagrangian with the squares of what is violated; the multipliers follow.
In the end the conditions of Karush, Kuhn and Tucker are solved by steps with a constant inverse,
from the solution as a constant: so the derivatives are those of the solution, and what is active
stays so.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import as_tuple
from retrograd.frontend.library.plain.told import constant, gradient_of
from retrograd.frontend.library.written_descent import descended

__all__ = ["conditions", "least_under", "values_of"]

np: Any = numpy

_ROUNDS = 60
_HARDEST = 1e4


def values_of(group: Any, kind: Any, x: Any) -> Any:
    """What all constraints of a kind give, one after the other."""
    found = np.zeros(0)
    for own, fun, more in group:
        if own == kind:
            given = fun(x, *as_tuple(more))
            found = np.concatenate((found, np.ravel(np.asarray(given) * 1.0)))
    return found


def least_under(value: Any, x: Any, low: Any, high: Any, group: Any) -> Any:
    """The least value, as a constant, with the multipliers of both kinds of constraints."""
    equal = np.zeros(len(values_of(group, "eq", x)))
    above = np.zeros(len(values_of(group, "ineq", x)))
    weight, off, before, rounds = 10.0, np.inf, np.inf, 0
    while off > 1e-7 and rounds < _ROUNDS:
        rounds = rounds + 1
        x = _nearer(value, x, low, high, group, equal, above, weight)
        c, g = constant(values_of(group, "eq", x)), constant(values_of(group, "ineq", x))
        equal, above = equal + weight * c, np.maximum(above - weight * g, 0.0)
        off = _largest(c) + _largest(np.minimum(g, above))
        if off > 0.25 * before:
            weight = min(5.0 * weight, _HARDEST)
        before = off
    return x, equal, above


def _nearer(
    value: Any, x: Any, low: Any, high: Any, group: Any, equal: Any, above: Any, weight: Any
) -> Any:
    """Where the Lagrangian with the squares is least."""

    def lagrangian(y: Any) -> Any:
        c = values_of(group, "eq", y)
        held = np.maximum(above - weight * values_of(group, "ineq", y), 0.0)
        penalty = np.sum(c * (equal + 0.5 * weight * c)) + np.sum(held * held) / (2.0 * weight)
        return value(y) + penalty

    return descended(lagrangian, gradient_of(lagrangian), x, low, high)[0]


def _largest(x: Any) -> Any:
    return np.max(np.abs(x)) if len(x) > 0 else 0.0


def conditions(value: Any, group: Any, at: Any, low: Any, high: Any) -> Any:
    """What is zero at a minimum: of the numbers and the multipliers, one after the other."""
    x, equal, above = at
    n, m = len(x), len(x) + len(equal)
    active = above > constant(values_of(group, "ineq", x))

    def slope(y: Any, by: Any, over: Any) -> Any:
        def lagrangian(w: Any) -> Any:
            held = np.sum(values_of(group, "ineq", w) * over)
            return value(w) + np.sum(values_of(group, "eq", w) * by) - held

        return gradient_of(lagrangian)(y)

    here = constant(slope(x, equal, above))
    near = 1e-8 * (1.0 + np.abs(x))  # a bound is reached up to roundings
    down = np.logical_and(x <= constant(low) + near, here > 0.0)
    up = np.logical_and(x >= constant(high) - near, here < 0.0)
    free = np.logical_not(np.logical_or(down, up))

    def residual(z: Any) -> Any:
        y, by, over = z[:n], z[n:m], z[m:]
        bound = np.where(down, y - np.where(down, low, 0.0), y - np.where(up, high, 0.0))
        first = np.where(free, slope(y, by, over), bound)
        last = np.where(active, values_of(group, "ineq", y), over)
        return np.concatenate((first, values_of(group, "eq", y), last))

    return residual
