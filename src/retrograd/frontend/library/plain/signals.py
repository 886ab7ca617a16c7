"""Filters and trends of `scipy.signal`."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain import filters, samples
from retrograd.frontend.library.plain.axes import counted_from_zero, folded, size_of, unfolded
from retrograd.frontend.library.plain.told import refuse
from retrograd.frontend.library.written_filters import weighted_windows

__all__ = [
    "convolve2d", "correlate", "correlate2d", "detrend", "fftconvolve", "filtfilt", "lfilter",
    "lfilter_zi", "savgol_filter", "sosfilt", "sosfiltfilt",
]  # fmt: skip

np: Any = numpy


def correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    b = np.asarray(in2)
    return samples.convolve(in1, b[(slice(None, None, -1),) * b.ndim], mode, method)


def fftconvolve(in1: Any, in2: Any, mode: Any = "full") -> Any:
    a, b = np.asarray(in1), np.asarray(in2)
    if a.ndim == b.ndim and (a.size == 0 or b.size == 0):
        return np.zeros(0)
    return samples.convolve(a * 1.0, b * 1.0, mode)


def _coefficients(b: Any, a: Any) -> Any:
    b, a = np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0
    if b.ndim != 1 or a.ndim != 1 or len(b) == 0 or len(a) == 0:
        raise ValueError("object of too small depth for desired array")
    if a[0] == 0.0:
        raise ValueError("`a[0]` cannot be zero")
    return b / a[0], a / a[0]


def lfilter(b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    b, a = _coefficients(b, a)
    x = np.asarray(x) * 1.0
    if x.ndim == 0:
        raise ValueError("object of too small depth for desired array")
    place = counted_from_zero(axis, x.ndim)
    lines = folded(x, place)
    count = max(len(a), len(b)) - 1
    start = np.zeros((lines.shape[0], count, lines.shape[2]))
    if zi is not None:
        given = np.asarray(zi) * 1.0
        if given.ndim != x.ndim or given.shape[place] != count:
            raise ValueError("the shape of zi does not fit to the filter and the signal")
        shape = (*x.shape[:place], count, *x.shape[place + 1 :])
        start = folded(np.broadcast_to(given, shape), place)
    found, end = written_kernels.filtered(b, a, lines, start)
    y = unfolded(found, x.shape, place)
    return y if zi is None else (y, unfolded(end, x.shape, place))


def lfilter_zi(b: Any, a: Any) -> Any:
    """The state in which the response to a step is constant."""
    b, a = _coefficients(b, a)
    n = max(len(a), len(b))
    b = np.concatenate((b, np.zeros(n - len(b))))
    a = np.concatenate((a, np.zeros(n - len(a))))
    rest = b[1:] - a[1:] * b[0]
    first = np.sum(rest) / np.sum(a)
    sums, changes = np.cumsum(a)[:-1], np.cumsum(rest) - rest
    return sums * first - changes


def filtfilt(
    b: Any, a: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None,
    method: Any = "pad",
) -> Any:  # fmt: skip
    if method != "pad":
        refuse("scipy.signal.filtfilt by another method", "leave method='pad'")
    taps = max(np.atleast_1d(b).shape[0], np.atleast_1d(a).shape[0])
    start = lfilter_zi(b, a)[None, :]

    def along(rows: Any) -> Any:
        return lfilter(b, a, rows, 1, start * rows[:, :1])[0]

    return _there_and_back(along, np.asarray(x) * 1.0, axis, padtype, padlen, taps)


def _there_and_back(along: Any, x: Any, axis: Any, padtype: Any, padlen: Any, taps: Any) -> Any:
    """A signal that is filtered in both directions; `along` begins in the state of a step."""
    place = counted_from_zero(axis, x.ndim)
    moved = np.moveaxis(x, place, -1)
    n = x.shape[place]
    rows = np.reshape(moved, (size_of(moved.shape[:-1]), n))
    edge = 0 if padtype is None else 3 * taps if padlen is None else padlen
    there = along(samples.lengthened(rows, edge, padtype))
    back = along(there[:, ::-1])
    found = np.reshape(back[:, ::-1][:, edge : edge + n], moved.shape)
    return np.moveaxis(found, -1, place)


def sections_of(sos: Any) -> Any:
    """The filters of second order that follow each other, a row each."""
    sections = np.asarray(sos) * 1.0
    if sections.ndim != 2 or sections.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if not np.all(sections[:, 3] == 1.0):
        raise ValueError("sos[:, 3] should be all ones")
    return sections


def sosfiltfilt(sos: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    sections = sections_of(sos)

    def along(rows: Any) -> Any:
        y, scale = rows, 1.0
        for k in range(len(sections)):
            b, a = sections[k, :3], sections[k, 3:]
            y, _ = lfilter(b, a, y, 1, scale * lfilter_zi(b, a)[None, :] * rows[:, :1])
            scale = scale * (np.sum(b) / np.sum(a))
        return y

    missing = min(np.sum(sections[:, 2] == 0.0), np.sum(sections[:, 5] == 0.0))
    taps = 2 * len(sections) + 1 - missing
    return _there_and_back(along, np.asarray(x) * 1.0, axis, padtype, padlen, taps)


def sosfilt(sos: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    sections = sections_of(sos)
    y = np.asarray(x) * 1.0
    if zi is None:
        for k in range(len(sections)):
            y = lfilter(sections[k, :3], sections[k, 3:], y, axis)
        return y
    states = np.asarray(zi) * 1.0
    if states.ndim != y.ndim + 1 or states.shape[0] != len(sections):
        raise ValueError("Invalid zi shape.")
    ends = np.zeros(states.shape)
    for k in range(len(sections)):
        y, end = lfilter(sections[k, :3], sections[k, 3:], y, axis, states[k])
        ends[k] = end
    return y, ends


def sosfilt_zi(sos: Any) -> Any:
    """The states in which the response to a step is constant."""
    sections = sections_of(sos)
    states, scale = np.zeros((len(sections), 2)), 1.0
    for k in range(len(sections)):
        b, a = sections[k, :3], sections[k, 3:]
        states[k] = scale * lfilter_zi(b, a)
        scale = scale * (np.sum(b) / np.sum(a))
    return states


def detrend(data: Any, axis: Any = -1, type: Any = "linear", bp: Any = 0) -> Any:
    x = np.asarray(data) * 1.0
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    place = counted_from_zero(axis, x.ndim)
    off = x - np.mean(x, axis=place, keepdims=True)
    if type == "constant" or type == "c":
        return off
    if np.ndim(bp) > 0 or bp != 0:
        refuse("scipy.signal.detrend with breaks", "detrend each piece")
    n = x.shape[place]
    line = (np.arange(n) - 0.5 * (n - 1))[(slice(None),) + (None,) * (x.ndim - place - 1)]
    width = max(n * (n * n - 1.0) / 12.0, 0.5)
    return off - line * (np.sum(line * off, axis=place, keepdims=True) / width)


def _fit(window: Any, degree: Any, deriv: Any, delta: Any, points: Any) -> Any:
    """The weights by which the samples of a window give a derivative of the polynomial of least
    squares at points, which are counted from its middle."""
    half = max(0.5 * (window - 1), 1.0)
    k = np.arange(degree + 1)
    t = (np.arange(window) - 0.5 * (window - 1)) / half
    q, r = np.linalg.qr(t[:, None] ** k[None, :])
    factor = np.ones(degree + 1)
    for j in range(deriv):
        factor = factor * (k - j)
    at = factor * (points / half)[:, None] ** np.maximum(k - deriv, 0)[None, :]
    return np.linalg.solve(r.T, at.T).T @ q.T / (half * delta) ** deriv


def savgol_filter(
    x: Any, window_length: Any, polyorder: Any, deriv: Any = 0, delta: Any = 1.0, axis: Any = -1,
    mode: Any = "interp", cval: Any = 0.0,
) -> Any:  # fmt: skip
    if mode not in ("mirror", "constant", "nearest", "interp", "wrap"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    if polyorder >= window_length:
        raise ValueError("polyorder must be less than window_length.")
    x = np.asarray(x) * 1.0
    place = counted_from_zero(axis, x.ndim)
    middle = _fit(window_length, polyorder, deriv, delta, np.zeros(1))[0]
    if mode != "interp":
        return filters.convolve1d(x, middle[::-1], place, mode, cval)
    n, half = x.shape[place], window_length // 2
    if window_length > n:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size"
                         " of x.")  # fmt: skip
    inside = filters.convolve1d(x, middle[::-1], place, "constant")
    points = np.arange(half) - 0.5 * (window_length - 1)
    first = _fit(window_length, polyorder, deriv, delta, points)
    last = _fit(window_length, polyorder, deriv, delta, points + (window_length - half))
    moved, kept = np.moveaxis(x, place, -1), np.moveaxis(inside, place, -1)
    rows = np.reshape(moved, (size_of(moved.shape[:-1]), n))
    within = np.reshape(kept, (size_of(moved.shape[:-1]), n))[:, half : n - half]
    low, high = rows[:, :window_length] @ first.T, rows[:, n - window_length :] @ last.T
    whole = np.reshape(np.concatenate((low, within, high), 1), moved.shape)
    return np.moveaxis(whole, -1, place)


def _as_planes(in1: Any, in2: Any) -> Any:
    a, b = np.asarray(in1) * 1.0, np.asarray(in2) * 1.0
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("convolve2d inputs must both be 2-D arrays")
    return a, b


def _in_order(a: Any, b: Any, mode: Any) -> Any:
    """Whether the second one is the larger, which only matters to the mode "valid"."""
    if mode not in ("full", "same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if mode != "valid":
        return False
    larger = a.shape[0] >= b.shape[0] and a.shape[1] >= b.shape[1]
    smaller = a.shape[0] <= b.shape[0] and a.shape[1] <= b.shape[1]
    if not larger and not smaller:
        raise ValueError("For 'valid' mode, one must be at least as large as the other")
    return not larger


def _plane(a: Any, b: Any, mode: Any, boundary: Any, fillvalue: Any, back: Any) -> Any:
    """The sums of products of windows of `a` with `b`; `back` says that `b` was turned round."""
    p, q = b.shape
    pads: Any = ((p - 1, p - 1), (q - 1, q - 1))
    if mode == "valid":
        wide = a
    elif boundary == "fill":
        wide = np.pad(a, pads, constant_values=fillvalue * 1.0)
    elif boundary == "wrap":
        wide = np.pad(a, pads, mode="wrap")
    elif boundary == "symm":
        wide = np.pad(a, pads, mode="symmetric")
    else:
        raise ValueError("acceptable boundary flags are 'fill', 'circular' (or 'wrap'), 'symm'")
    out = weighted_windows(wide[None], b[None])[0]
    if mode != "same":
        return out
    i = (p - 1) // 2 if back else p - 1 - (p - 1) // 2
    j = (q - 1) // 2 if back else q - 1 - (q - 1) // 2
    return out[i : i + a.shape[0], j : j + a.shape[1]].copy()


def convolve2d(
    in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0
) -> Any:
    a, b = _as_planes(in1, in2)
    if _in_order(a, b, mode):
        return _plane(b, a[::-1, ::-1], mode, boundary, fillvalue, True)
    return _plane(a, b[::-1, ::-1], mode, boundary, fillvalue, True)


def correlate2d(
    in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0
) -> Any:
    a, b = _as_planes(in1, in2)
    if _in_order(a, b, mode):
        return _plane(b, a, mode, boundary, fillvalue, False)[::-1, ::-1].copy()
    return _plane(a, b, mode, boundary, fillvalue, False)
