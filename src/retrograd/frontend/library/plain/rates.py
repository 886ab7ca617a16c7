"""Signals at other rates, and what is told of them otherwise: `scipy.signal`."""

from __future__ import annotations

import math
from typing import Any

import numpy
import scipy.signal

from retrograd.frontend.library.plain import signals, windows
from retrograd.frontend.library.plain.axes import along, counted_from_zero
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "correlation_lags", "decimate", "deconvolve", "lombscargle", "medfilt2d", "resample_poly",
    "unit_impulse", "upfirdn", "wiener",
]  # fmt: skip

np: Any = numpy
signal: Any = scipy.signal


def _line(h: Any, x: Any, up: Any, down: Any) -> Any:
    if len(x) == 0:
        return np.zeros(0)
    spread = np.zeros((len(x) - 1) * up + 1)
    spread[::up] = x
    return np.convolve(spread, h)[::down].copy()


def upfirdn(h: Any, x: Any, up: Any = 1, down: Any = 1, axis: Any = -1) -> Any:
    h, x = np.asarray(h) * 1.0, np.asarray(x) * 1.0
    if h.ndim != 1 or len(h) == 0:
        raise ValueError("h must be 1-D with non-zero length")
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    if x.ndim == 1:
        return _line(h, x, up, down)
    if x.ndim != 2:
        refuse("scipy.signal.upfirdn of arrays of this rank", "call it for each row")
    place = counted_from_zero(axis, x.ndim)
    rows = x if place == 1 else x.T
    found = np.stack([_line(h, row, up, down) for row in rows])
    return found if place == 1 else found.T


def _low_pass(up: Any, down: Any, beta: Any) -> Any:
    """A filter for what both rates have, as `firwin` makes it."""
    most = max(up, down)
    half = 10 * most
    m = np.arange(2 * half + 1) - half
    h = np.sinc(m / most) / most * np.kaiser(2 * half + 1, beta)
    return h / np.sum(h) * up, half


def resample_poly(
    x: Any, up: Any, down: Any, axis: Any = 0, window: Any = ("kaiser", 5.0),
    padtype: Any = "constant", cval: Any = None,
) -> Any:  # fmt: skip
    x = np.asarray(x) * 1.0
    if padtype != "constant" or cval is not None:
        refuse("scipy.signal.resample_poly with a pad or cval", "pad the signal yourself")
    if up < 1 or down < 1:
        raise ValueError("up and down must be >= 1")
    common = math.gcd(up, down)
    up, down = up // common, down // common
    if up == 1 and down == 1:
        return x.copy()
    place = counted_from_zero(axis, x.ndim)
    n = x.shape[place]
    count = (n * up + down - 1) // down
    if isinstance(window, tuple):
        if window[0] != "kaiser":
            refuse("scipy.signal.resample_poly with this window", "give the filter as an array")
        h, half = _low_pass(up, down, window[1])
    else:
        given = np.asarray(window) * 1.0
        h, half = given * up, (len(given) - 1) // 2
    before = down - half % down
    first = (half + before) // down
    need = (first + count - 1) * down + 1 - (n - 1) * up
    after = max(need - (len(h) + before), 0)
    h = np.concatenate((np.zeros(before), h, np.zeros(after)))
    found = upfirdn(h, x, up, down, place)
    return found[along(place, slice(first, first + count))].copy()


def decimate(
    x: Any, q: Any, n: Any = None, ftype: Any = "iir", axis: Any = -1, zero_phase: Any = True
) -> Any:
    if ftype != "iir":
        refuse("scipy.signal.decimate with an FIR filter", "use resample_poly(x, 1, q)")
    x = np.asarray(x) * 1.0
    place = counted_from_zero(axis, x.ndim)
    order = 8 if n is None else n
    sos = signal.cheby1(order, 0.05, 0.8 / q, output="sos")
    found = signals.sosfiltfilt(sos, x, place) if zero_phase else signal.sosfilt(sos, x, place)
    return found[along(place, slice(None, None, q))].copy()


def lombscargle(
    x: Any, y: Any, freqs: Any, normalize: Any = False, weights: Any = None,
    floating_mean: Any = False,
) -> Any:  # fmt: skip
    x, y, freqs = np.asarray(x) * 1.0, np.asarray(y) * 1.0, np.asarray(freqs) * 1.0
    w = np.ones(len(y)) if weights is None else np.asarray(weights) * 1.0
    if len(x) == 0 or len(x) != len(y) or len(w) != len(y):
        raise ValueError("Parameters x, y, weights must be 1-D arrays of equal non-zero length!")
    if not isinstance(normalize, bool) and normalize not in ("power", "normalize", "amplitude"):
        raise ValueError("normalize must be a bool, 'power', 'normalize' or 'amplitude'")
    if normalize == "amplitude":
        refuse("scipy.signal.lombscargle of amplitudes", "normalize=True and False are known")
    w = w / np.sum(w)
    angle = x[:, None] * freqs
    cos, sin = np.cos(angle), np.sin(angle)
    mean = w @ y
    cc, cs = w @ (cos * cos), w @ (cos * sin)
    ss = 1.0 - cc
    if floating_mean:
        c, s = w @ cos, w @ sin
        cc, ss, cs = cc - c * c, ss - s * s, cs - c * s
    angle = angle - 0.5 * np.arctan2(2.0 * cs, cc - ss)
    cos, sin = np.cos(angle), np.sin(angle)
    yc, ys, cc = (w * y) @ cos, (w * y) @ sin, w @ (cos * cos)
    ss = 1.0 - cc
    if floating_mean:
        c, s = w @ cos, w @ sin
        yc, ys, cc, ss = yc - mean * c, ys - mean * s, cc - c * c, ss - s * s
    least = 1.1102230246251565e-16
    cc, ss = np.maximum(cc, least), np.maximum(ss, least)
    power = 2.0 * (yc * yc / cc + ys * ys / ss)
    if normalize is False or normalize == "power":
        return power * (len(y) / 4.0)
    whole = (w * y) @ y - (mean * mean if floating_mean else 0.0)
    return power * (0.5 / whole)


def deconvolve(signal: Any, divisor: Any) -> Any:
    num, den = np.atleast_1d(signal) * 1.0, np.atleast_1d(divisor) * 1.0
    if num.ndim > 1 or den.ndim > 1:
        raise ValueError("signal and divisor must be 1-D.")
    if len(den) > len(num):
        return np.zeros(0), num
    count = len(num) - len(den) + 1
    found, rest = np.zeros(count), num.copy()
    for k in range(count):
        found[k] = rest[k] / den[0]
        rest[k : k + len(den)] -= found[k] * den
    return found, num - np.convolve(den, found)


def correlation_lags(in1_len: Any, in2_len: Any, mode: Any = "full") -> Any:
    if mode == "full":
        return np.arange(-in2_len + 1, in1_len)
    if mode == "same":
        middle = (in1_len + in2_len - 1) // 2 - in1_len // 2
        return np.arange(-in2_len + 1, in1_len)[middle : middle + in1_len]
    if mode != "valid":
        raise ValueError("Mode must be 'full', 'same' or 'valid'")
    off = in1_len - in2_len
    return np.arange(off + 1) if off >= 0 else np.arange(off, 1)


def unit_impulse(shape: Any, idx: Any = None) -> Any:
    found = np.zeros(shape)
    if idx is None:
        found[(0,) * found.ndim] = 1.0
    elif isinstance(idx, str):
        found[tuple([n // 2 for n in found.shape])] = 1.0
    elif np.ndim(idx) == 0:
        found[(idx,) * found.ndim] = 1.0
    else:
        found[tuple(idx)] = 1.0
    return found


def medfilt2d(input: Any, kernel_size: Any = 3) -> Any:
    x = np.asarray(input) * 1.0
    if x.ndim != 2:
        raise ValueError("Input must be 2-D")
    return windows.median_filter(x, kernel_size, mode="constant")


def wiener(im: Any, mysize: Any = None, noise: Any = None) -> Any:
    x = np.asarray(im) * 1.0
    if x.ndim > 2:
        refuse("scipy.signal.wiener of arrays of more than two axes", "call it for each image")
    size: Any = 3 if mysize is None else mysize
    shape: Any = (size,) * x.ndim if np.ndim(size) == 0 else tuple(size)
    ones = np.ones(shape)
    mean = signal.correlate(x, ones, "same") / ones.size
    spread = signal.correlate(x * x, ones, "same") / ones.size - mean * mean
    by = np.mean(spread) if noise is None else noise
    return np.where(spread < by, mean, mean + (x - mean) * (1.0 - by / spread))
