"""Slopes of curves through points: of cubic splines, monotone and Akima's ones.

C. de Boor, A practical guide to splines, 1978, chapter IV; F. N. Fritsch and J. Butland, A method
for constructing local monotone piecewise cubic interpolants, 1984; H. Akima, 1970.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain.told import refuse

__all__ = ["akima_slopes", "monotone_slopes", "periodic_slopes", "spline_slopes"]

np: Any = numpy


def _rises(places: Any, columns: Any) -> Any:
    h = (places[1:] - places[:-1])[:, None]
    return h, (columns[1:] - columns[:-1]) / h


def spline_slopes(places: Any, columns: Any, ends: Any) -> Any:
    """Slopes with which the second derivative is continuous; `ends` says what holds at the ends."""
    h, rise = _rises(places, columns)
    n = len(places)
    first, last = (ends, ends) if isinstance(ends, str) else (ends[0], ends[1])
    if n == 3 and first == "not-a-knot" and last == "not-a-knot":
        bend = (rise[1:] - rise[:1]) / (h[:1] + h[1:])
        return np.concatenate((rise[:1] - h[:1] * bend, rise[:1] + h[:1] * bend,
                               rise[1:] + h[1:] * bend))  # fmt: skip
    step = h[:, 0]
    lower, middle, upper = np.zeros(n), np.ones(n), np.zeros(n)
    right = np.zeros(columns.shape)
    lower[1:-1], upper[1:-1] = step[1:], step[:-1]
    middle[1:-1] = 2.0 * (step[:-1] + step[1:])
    right[1:-1] = 3.0 * (h[1:] * rise[:-1] + h[:-1] * rise[1:])
    middle[0], upper[0], start = _end(first, step, rise, 1.0)
    middle[-1], lower[-1], stop = _end(last, step[::-1], rise[::-1], -1.0)
    right[0], right[-1] = start, stop
    return written_kernels.tridiagonal(lower, middle, upper, right)


def periodic_slopes(places: Any, columns: Any) -> Any:
    """The same of curves that go on from their last point as from their first.

    The system has two elements in its corners: J. Sherman, W. J. Morrison, 1950.
    """
    h, rise = _rises(places, columns)
    m = len(places) - 1
    if m == 1:
        return np.concatenate((rise, rise))
    step, last = h[:, 0], np.roll(h[:, 0], 1)
    right = 3.0 * (h * np.roll(rise, 1, axis=0) + last[:, None] * rise)
    middle = 2.0 * (step + last)
    # The corner of the first row is step[0], that of the last one is last[-1].
    middle[0] = middle[0] + step[0]
    middle[-1] = middle[-1] + last[-1]
    lower, upper, both = step.copy(), last.copy(), np.zeros((m, 1))
    lower[0], upper[-1] = 0.0, 0.0
    both[0, 0], both[-1, 0] = -step[0], last[-1]
    found = written_kernels.tridiagonal(lower, middle, upper, np.concatenate((right, both), axis=1))
    slopes, turned = found[:, :-1], found[:, -1:]
    part = (slopes[:1] - slopes[-1:]) / (1.0 + turned[:1] - turned[-1:])
    slopes = slopes - turned * part
    return np.concatenate((slopes, slopes[:1]))


def _end(kind: Any, step: Any, rise: Any, way: Any) -> Any:
    """A row of the system at an end: the factors of its slope and the next, and the right side.
    `way` is -1 where places are gone through backwards."""
    if isinstance(kind, str):
        if kind == "not-a-knot" and len(step) == 1:
            return 1.0, 0.0, rise[0]
        if kind == "not-a-knot":
            both = step[0] + step[1]
            side = (step[0] + 2.0 * both) * step[1] * rise[0] + step[0] * step[0] * rise[1]
            return step[1], both, side / both
        if kind == "natural":
            return 2.0, 1.0, 3.0 * rise[0]
        if kind == "clamped":
            return 1.0, 0.0, 0.0 * rise[0]
        refuse(
            f"the end {kind!r} of a spline", "'not-a-knot', 'natural', 'clamped', or (order, value)"
        )
    order, value = kind
    if order == 1:
        return 1.0, 0.0, 0.0 * rise[0] + value
    if order == 2:
        return 2.0, 1.0, 3.0 * rise[0] - way * 0.5 * step[0] * value
    raise ValueError("The specified derivative order must be 1 or 2.")


def monotone_slopes(places: Any, columns: Any) -> Any:
    h, rise = _rises(places, columns)
    if len(places) == 2:
        return np.concatenate((rise, rise))
    same = rise[:-1] * rise[1:] > 0.0
    early, late = np.where(same, rise[:-1], 1.0), np.where(same, rise[1:], 1.0)
    one, two = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    mean = np.where(same, (one + two) / (one / early + two / late), 0.0)
    first = _monotone_end(h[:1], h[1:2], rise[:1], rise[1:2])
    last = _monotone_end(h[-1:], h[-2:-1], rise[-1:], rise[-2:-1])
    return np.concatenate((first, mean, last))


def _monotone_end(h: Any, other: Any, rise: Any, after: Any) -> Any:
    slope = ((2.0 * h + other) * rise - h * after) / (h + other)
    slope = np.where(np.sign(slope) == np.sign(rise), slope, 0.0)
    steep = (np.sign(rise) != np.sign(after)) & (np.abs(slope) > 3.0 * np.abs(rise))
    return np.where(steep, 3.0 * rise, slope)


def akima_slopes(places: Any, columns: Any) -> Any:
    _, rise = _rises(places, columns)
    if len(places) == 2:
        return np.concatenate((rise, rise))
    before = 2.0 * rise[:1] - rise[1:2]
    after = 2.0 * rise[-1:] - rise[-2:-1]
    m = np.concatenate((2.0 * before - rise[:1], before, rise, after, 2.0 * after - rise[-1:]))
    size = np.abs(m[1:] - m[:-1])
    one, two = size[2:], size[:-2]
    both = one + two
    some = both > 1e-9 * np.max(both)
    mean = (one * m[1:-2] + two * m[2:-1]) / np.where(some, both, 1.0)
    return np.where(some, mean, 0.5 * (m[3:] + m[:-3]))
