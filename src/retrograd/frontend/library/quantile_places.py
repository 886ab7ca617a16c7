"""Between which order statistics a quantile lies, by each `method` of `np.quantile`.

R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The American Statistician 50
(1996), with the names that NumPy gives their nine definitions, and four more of NumPy's.
"""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["DISCRETE", "METHODS", "place"]

np: Any = numpy

DISCRETE = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
"""Those that give an element as it is."""

METHODS = (
    *DISCRETE, "averaged_inverted_cdf", "interpolated_inverted_cdf", "hazen", "weibull", "linear",
    "median_unbiased", "normal_unbiased", "midpoint",
)  # fmt: skip


def place(q: Any, count: Any, method: Any) -> Any:
    """The place among `count` sorted elements, counted from zero, between two of which it may be.

    Args:
        q: a float from 0 to 1.
        count: the number of elements, at least one.
        method: one of `METHODS`.

    Returns:
        A float from 0 to `count - 1`.
    """
    last = count - 1.0
    if method == "linear":
        return q * last
    if method == "lower":
        return np.floor(last * q)
    if method == "higher":
        return np.ceil(last * q)
    if method == "nearest":
        return np.round(last * q)
    if method == "midpoint":
        return 0.5 * (np.floor(last * q) + np.ceil(last * q))
    at = _defined(q, count, method)
    return min(max(at, 0.0), last)


def _defined(q: Any, count: Any, method: Any) -> Any:
    """By the nine definitions, before it is moved into the sample."""
    at = count * q - 1.0
    if method == "inverted_cdf":
        return np.ceil(at)
    if method == "averaged_inverted_cdf":
        return at + 0.5 if at == np.floor(at) else np.ceil(at)
    if method == "closest_observation":
        before = np.floor(at - 0.5)
        return before if at - 0.5 == before and before % 2.0 == 1.0 else before + 1.0
    if method == "interpolated_inverted_cdf":
        return at
    if method == "hazen":
        return _between_ends(q, count, 0.5)
    if method == "weibull":
        return _between_ends(q, count, 0.0)
    if method == "median_unbiased":
        return _between_ends(q, count, 1.0 / 3.0)
    return _between_ends(q, count, 3.0 / 8.0)


def _between_ends(q: Any, count: Any, part: Any) -> Any:
    return count * q + (part + q * (1.0 - part - part)) - 1.0
