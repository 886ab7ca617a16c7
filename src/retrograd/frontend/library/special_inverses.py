"""Inverse functions, found by approximation or iteration, with the derivatives of inverses.

`normal_quantile(q, tail)` depends on its second argument by the first one, so the rule leaves it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from retrograd.draws import CENTRE, FAR, MIDDLE
from retrograd.frontend.library.plain.told import WithRule

__all__ = ["lower_lambertw", "normal_quantile", "upper_lambertw"]

np: Any = numpy

_BRANCH = -0.36787944117144233
_STEPS = 10
_WIDTH = 2.5066282746310002


def _ratio(x: Any, of: Any) -> Any:
    top, bottom = x * of[0][7] + of[0][6], x * of[1][7] + of[1][6]
    for a, b in zip(of[0][5::-1], of[1][5::-1], strict=True):
        top, bottom = top * x + a, bottom * x + b
    return top / bottom


def _quantile(q: Any, tail: Any) -> Any:
    """At the probability 1/2 + q, of which `tail` is the smaller side.

    Source: Wichura, The percentage points of the normal distribution, Applied Statistics 37
    (1988), algorithm AS 241.
    """
    inside = np.abs(q) <= 0.425
    near = np.where(inside, q, 0.0)
    centre = near * _ratio(0.180625 - near * near, CENTRE)
    known = np.where(np.logical_or(inside, tail <= 0.0), 0.05, tail)
    r = np.sqrt(-np.log(known))
    far = r > 5.0
    outside = _ratio(np.where(far, r, 6.0) - 5.0, FAR)
    size = np.where(far, outside, _ratio(np.where(far, 5.0, r) - 1.6, MIDDLE))
    size = np.where(tail > 0.0, size, np.where(tail == 0.0, np.inf, np.nan))
    return np.where(inside, centre, np.where(q < 0.0, -size, size))


def _halley(w: Any, z: Any) -> Any:
    """A step towards w * exp(w) = z."""
    e = np.exp(-w)
    off = w - z * e
    bottom = w + 1.0 - off * (w + 2.0) / (2.0 * w + 2.0)
    return np.where(w == -1.0, w, w - off / np.where(w == -1.0, 1.0, bottom))


def _upper(z: Any) -> Any:
    branch = np.sqrt(np.maximum(2.0 * (math.e * z + 1.0), 0.0))
    large = np.log(np.where(z > 2.0, z, 3.0))
    w = np.where(z > 2.0, large - np.log(large), branch - 1.0 - branch * branch / 3.0)
    middle = np.logical_and(z > -0.2, z <= 2.0)
    w = np.where(middle, np.log1p(np.maximum(z, -0.5)), w)
    known = np.logical_and(z >= _BRANCH, z < np.inf)
    safe, w = np.where(known, z, 1.0), np.where(known, w, 0.6)
    for _ in range(_STEPS):
        w = _halley(w, safe)
    return np.where(known, w, np.where(z == np.inf, z, np.nan))


def _lower(z: Any) -> Any:
    branch = np.sqrt(np.maximum(2.0 * (math.e * z + 1.0), 0.0))
    small = np.log(np.where(np.logical_and(z > -0.2, z < 0.0), -z, 0.2))
    near = -1.0 - branch - branch * branch / 3.0
    w = np.where(z > -0.2, small - np.log(-small), near)
    known = np.logical_and(z >= _BRANCH, z < 0.0)
    safe, w = np.where(known, z, -0.1), np.where(known, w, -3.6)
    for _ in range(_STEPS):
        w = _halley(w, safe)
    return np.where(known, w, np.where(z == 0.0, -np.inf, np.nan))


def _upper_rule(primals: Any, tangents: Any) -> Any:
    w = upper_lambertw(primals[0])
    return w, tangents[0] / (np.exp(w) * (1.0 + w))


def _lower_rule(primals: Any, tangents: Any) -> Any:
    w = lower_lambertw(primals[0])
    return w, tangents[0] / (np.exp(w) * (1.0 + w))


def _quantile_rule(primals: Any, tangents: Any) -> Any:
    x = normal_quantile(primals[0], primals[1])
    return x, tangents[0] * (_WIDTH * np.exp(0.5 * x * x))


normal_quantile = WithRule("jvp", _quantile, (), _quantile_rule)
upper_lambertw = WithRule("jvp", _upper, (), _upper_rule)
lower_lambertw = WithRule("jvp", _lower, (), _lower_rule)
