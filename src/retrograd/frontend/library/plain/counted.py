"""Quantiles of distributions that count: the least number that is as probable as that.

A probability that a sum of rounded ones gives is taken for it, to thirteen digits.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import constant

__all__ = ["FIRST", "LAST", "inverse_survival", "quantile"]

np: Any = numpy


def _none(shapes: Any) -> Any:
    return np.inf


def _trials(shapes: Any) -> Any:
    return shapes[0] * 1.0


def _one(shapes: Any) -> Any:
    return 1.0


_MOST = 4503599627370496.0
"""Beyond it not every number is a float."""

LAST: Any = {
    "binom": _trials, "bernoulli": _one, "poisson": _none, "nbinom": _none, "geom": _none,
}  # fmt: skip
"""The largest number that each may give, of its shapes."""
FIRST = {"geom": 1.0}
"""The least one, where that is not zero."""


def _enough(of: Any, k: Any, q: Any, shapes: Any, above: Any) -> Any:
    """Whether numbers up to k have the probability q, or those beyond it no more than that."""
    found = constant(of(k, *shapes))
    slack = np.minimum(1e-13 * q, 1e-3 * (1.0 - q))
    return found <= q + slack if above else found >= q - slack


def _least(of: Any, q: Any, shapes: Any, loc: Any, ends: Any, above: Any) -> Any:
    first, last = ends
    meant = of(first, *shapes)  # NaN where a parameter means nothing
    q = np.asarray(q) * 1.0 + 0.0 * np.where(np.isnan(meant), 0.0, meant)
    inside = np.logical_and(np.logical_and(q > 0.0, q < 1.0), np.logical_not(np.isnan(meant)))
    p = np.where(inside, q, 0.5)
    low, high = 0.0 * p + first - 1.0, 0.0 * p + first
    most = np.minimum(last, _MOST)
    missing = np.logical_and(inside, np.logical_not(_enough(of, high, p, shapes, above)))
    while np.any(np.logical_and(missing, high < most)):
        low = np.where(missing, high, low)
        high = np.where(missing, np.minimum(2.0 * high + 1.0, most), high)
        missing = np.logical_and(missing, np.logical_not(_enough(of, high, p, shapes, above)))
    low = np.where(missing, high - 1.0, low)  # more than there are
    while np.any(high - low > 1.0):
        middle = np.floor(0.5 * (low + high))
        enough = _enough(of, middle, p, shapes, above)
        apart = high - low > 1.0
        high = np.where(np.logical_and(apart, enough), middle, high)
        low = np.where(np.logical_and(apart, np.logical_not(enough)), middle, low)
    high = np.where(missing, last, high)
    none, all_ = (1.0, 0.0) if above else (0.0, 1.0)
    edge = np.where(q == none, first - 1.0, np.where(q == all_, last, np.nan))
    return np.where(inside, high, np.where(np.isnan(meant), np.nan, edge)) + loc


def quantile(of: Any, shapes: Any, name: Any) -> Any:
    """The method `ppf`, from the one that gives the probability of numbers up to one."""
    return _found(of, shapes, name, False)


def inverse_survival(of: Any, shapes: Any, name: Any) -> Any:
    """The method `isf`, from the one that gives the probability of numbers beyond one."""
    return _found(of, shapes, name, True)


def _found(of: Any, shapes: Any, name: Any, above: Any) -> Any:
    first, last = FIRST.get(name, 0.0), LAST[name]

    def one(q: Any, a: Any, loc: Any = 0) -> Any:
        return _least(of, q, (a,), loc, (first, last((a,))), above)

    def two(q: Any, a: Any, b: Any, loc: Any = 0) -> Any:
        return _least(of, q, (a, b), loc, (first, last((a, b))), above)

    return one if shapes == 1 else two
