"""Steps of embedded Runge-Kutta pairs, and the polynomials between their ends.

The first step, and how long the next one is, are those of E. Hairer, S. P. Norsett, G. Wanner,
Solving ordinary differential equations I, section II.4. How long steps are is constant, but for the
last one, which ends where the interval does.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.tableaus import EIGHTH, FIFTH, NESTED, THIRD
from retrograd.frontend.library.plain.told import constant

__all__ = ["curve", "first_size", "longer", "pair_of", "size_of", "slope", "tried", "within"]

np: Any = numpy


def pair_of(method: Any) -> Any:
    return EIGHTH if method == "DOP853" else FIFTH if method == "RK45" else THIRD


def slope(fun: Any, t: Any, y: Any, more: Any) -> Any:
    return np.array(fun(t, y, *more)) * 1.0


def size_of(x: Any) -> Any:
    return np.sqrt(np.sum(x * x) / len(x))


def first_size(fun: Any, t: Any, end: Any, y: Any, f: Any, more: Any, limits: Any) -> Any:
    rtol, atol, side, longest, order = limits
    whole = abs(end - t)
    if len(y) == 0 or whole == 0.0:
        return whole
    scale = atol + np.abs(constant(y)) * rtol
    d0, d1 = size_of(constant(y) / scale), size_of(constant(f) / scale)
    h0 = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, whole)
    other = slope(fun, t + h0 * side, y + h0 * side * f, more)
    d2 = size_of(constant(other - f) / scale) / h0
    flat = d1 <= 1e-15 and d2 <= 1e-15
    h1 = max(1e-6, h0 * 1e-3) if flat else (0.01 / max(d1, d2)) ** (1.0 / order)
    return min(min(100.0 * h0, h1), min(whole, longest))


def tried(
    fun: Any, t: Any, end: Any, y: Any, f: Any, more: Any, pair: Any, size: Any, limits: Any
) -> Any:
    """A step: where it ends, the slopes, how large the error is, and the length for another."""
    rtol, atol, side, _ = limits
    weights, places, errors = np.array(pair[0]), np.array(pair[1]), np.array(pair[2])
    after = t + size * side
    if side * (after - end) > 0.0:
        after = end
    h = after - t
    slopes = np.zeros((len(places), len(y)))
    slopes[0] = f
    z = y
    for s in range(1, len(places)):
        z = y + h * (weights[s, :s] @ slopes[:s])
        slopes[s] = slope(fun, t + places[s] * h, z, more)
    scale = atol + np.maximum(np.abs(constant(y)), np.abs(constant(z))) * rtol
    off = _error(constant(h), constant(errors @ slopes), scale) if len(y) > 0 else 0.0
    return after, h, z, slopes, constant(off * 1.0)


def _error(h: Any, off: Any, scale: Any) -> Any:
    if off.ndim == 1:
        return size_of(h * off / scale)
    fifth, third = np.sum((off[0] / scale) ** 2), np.sum((off[1] / scale) ** 2)
    both = fifth + 0.01 * third
    return abs(h) * fifth / np.sqrt(both * len(scale)) if both > 0.0 else 0.0


def longer(off: Any, order: Any, rejected: Any) -> Any:
    """By what the length of steps is multiplied."""
    factor = 10.0 if off == 0.0 else 0.9 * off ** (-1.0 / order)
    if off < 1.0:
        return min(1.0, factor) if rejected else min(10.0, factor)
    return max(0.2, factor)


def within(size: Any, t: Any, limits: Any, rejected: Any) -> Any:
    """The length of the next step, and whether it can be told from none."""
    least = 10.0 * 2.220446049250313e-16 * max(abs(constant(t)), 2.3e-308)
    if not rejected:
        size = max(min(size, limits[3]), least)
    return size, size >= least


def curve(fun: Any, t: Any, y: Any, h: Any, z: Any, slopes: Any, more: Any, pair: Any) -> Any:
    """The solution from y to z in powers of the part of the step, without y itself."""
    if len(pair) == 5:
        return h * (np.array(pair[3]).T @ slopes)
    weights, places, count = np.array(pair[3]), np.array(pair[4]), len(pair[1])
    every = np.zeros((count + len(places), len(y)))
    every[:count] = slopes
    for s in range(len(places)):
        at = y + h * (weights[s, : count + s] @ every[: count + s])
        every[count + s] = slope(fun, t + places[s] * h, at, more)
    terms, step = np.zeros((len(NESTED), len(y))), z - y
    terms[0], terms[1] = step, h * slopes[0] - step
    terms[2] = 2.0 * step - h * (slopes[count - 1] + slopes[0])
    terms[3:] = h * (np.array(pair[5]) @ every)
    return np.array(NESTED).T @ terms
