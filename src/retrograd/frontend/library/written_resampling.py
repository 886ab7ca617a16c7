"""Images between their elements, and sums of what has the same label."""

from __future__ import annotations

from typing import Any

import numpy as np

from retrograd.frontend.library.written_filters import beyond

__all__ = ["coefficients", "extremes_by_label", "sampled", "sums_by_label"]


def coefficients(x: Any, pole: Any) -> Any:
    """Those of B-splines through lines, which are extended so far that the ends do not count.

    Source: Unser, Splines: a perfect fit for signal and image processing (1999).
    """
    n = x.shape[1]
    out = x * ((1.0 - pole) * (1.0 - 1.0 / pole))
    for k in range(1, n):
        out[:, k] = out[:, k] + pole * out[:, k - 1]
    before = np.zeros((x.shape[0], *x.shape[2:]))
    for k in range(n - 1, -1, -1):
        before = pole * (before - out[:, k])
        out[:, k] = before
    return out


def _placed(at: Any, n: Any, mode: Any) -> Any:
    """A coordinate, and whether it is inside, where a mode knows an outside."""
    if mode == "constant":
        inside = at >= 0.0 and at <= n - 1
        return (at if inside else 0.0), inside
    if mode == "nearest":
        low, high = at < 0.0, at > n - 1
        return (0.0 if low else (n - 1.0 if high else at)), True
    if mode == "period":
        # As wide as from the first element to the last.
        width = n - 1.0
        if at < 0.0:
            at = at + width * (np.floor(-at / max(width, 1.0)) + 1.0)
        elif at > width:
            at = at - width * np.floor(at / max(width, 1.0))
        return at, True
    return at, True


def _taps(at: Any, n: Any, order: Any, mode: Any) -> Any:
    """The places and weights of the splines that are not zero there."""
    start = int(np.floor(at + 0.5) if order % 2 == 0 else np.floor(at))
    t = at - start
    if order == 0:
        first, weights = start, (1.0,)
    elif order == 1:
        first, weights = start, (1.0 - t, t)
    elif order == 2:
        first = start - 1
        weights = (0.5 * (0.5 - t) ** 2, 0.75 - t * t, 0.5 * (0.5 + t) ** 2)
    else:
        first, u = start - 1, 1.0 - t
        inner, outer = (
            (4.0 - 6.0 * t * t + 3.0 * t**3) / 6.0,
            (4.0 - 6.0 * u * u + 3.0 * u**3) / 6.0,
        )
        weights = (u**3 / 6.0, inner, outer, t**3 / 6.0)
    beyond_mode = "mirror" if mode in ("constant", "period") else mode
    return tuple([(beyond(first + k, n, beyond_mode), weights[k]) for k in range(order + 1)])


def _value(x: Any, taps: Any) -> Any:
    """The sum over the places along all axes."""
    total = 0.0
    for i, u in taps[0]:
        if x.ndim == 1:
            total = total + u * x[i]
        else:
            for j, v in taps[1]:
                if x.ndim == 2:
                    total = total + u * v * x[i, j]
                else:
                    for k, w in taps[2]:
                        total = total + u * v * w * x[i, j, k]
    return total


def sampled(x: Any, coordinates: Any, order: Any, mode: Any, cval: Any) -> Any:
    """The values at points, whose coordinates are columns."""
    out = np.full(coordinates.shape[1], cval * 1.0)
    for p in range(coordinates.shape[1]):
        taps = ()
        everywhere = True
        for axis in range(x.ndim):
            at, inside = _placed(coordinates[axis, p], x.shape[axis], mode)
            everywhere = everywhere and inside
            taps = (*taps, _taps(at, x.shape[axis], order, mode))
        if everywhere:
            out[p] = _value(x, taps)
    return out


def sums_by_label(x: Any, labels: Any, index: Any) -> Any:
    """For each of the labels in `index` how often it is there, and the sum of what has it."""
    low = min(np.min(labels), np.min(index))
    count = max(np.max(labels), np.max(index)) - low + 1
    sums, counts = np.zeros(count), np.zeros(count)
    for k in range(len(x)):
        sums[labels[k] - low] += x[k]
        counts[labels[k] - low] += 1.0
    return counts[index - low], sums[index - low]


def extremes_by_label(x: Any, labels: Any, index: Any, sign: Any) -> Any:
    """The largest, or for the sign -1 the least, of what has each label; 0 of nothing."""
    low = min(np.min(labels), np.min(index))
    count = max(np.max(labels), np.max(index)) - low + 1
    at = np.full(count, -1)
    for k in range(len(x)):
        place = labels[k] - low
        if at[place] < 0 or sign * x[k] > sign * x[at[place]]:
            at[place] = k
    out = np.zeros(len(index))
    for k in range(len(index)):
        place = at[index[k] - low]
        if place >= 0:
            out[k] = x[place]
    return out
