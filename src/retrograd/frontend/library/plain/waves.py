"""Wave forms of `scipy.signal`, its median filter, and signals with another number of samples."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import filters, fourier, windows
from retrograd.frontend.library.plain.axes import counted_from_zero
from retrograd.frontend.library.plain.told import refuse

__all__ = ["chirp", "gausspulse", "medfilt", "resample", "sawtooth", "square"]

np: Any = numpy

_TURN = 6.283185307179586


def sawtooth(t: Any, width: Any = 1) -> Any:
    t, width = np.asarray(t) * 1.0, np.asarray(width) * 1.0
    phase = np.mod(t, _TURN)
    rising = phase < width * _TURN
    # The side that is not taken is without a width in the end: its slope is not to be nan.
    up = phase / (np.pi * np.where(width == 0.0, 1.0, width)) - 1.0
    rest = np.where(width == 1.0, 1.0, 1.0 - width)
    down = (np.pi * (width + 1.0) - phase) / (np.pi * rest)
    outside = (width > 1.0) | (width < 0.0)
    return np.where(outside, np.nan, np.where(rising, up, down))


def square(t: Any, duty: Any = 0.5) -> Any:
    t, duty = np.asarray(t) * 1.0, np.asarray(duty) * 1.0
    high = np.mod(t, _TURN) < duty * _TURN
    outside = (duty > 1.0) | (duty < 0.0)
    return np.where(outside, np.nan, np.where(high, 1.0, -1.0))


def chirp(
    t: Any, f0: Any, t1: Any, f1: Any, method: Any = "linear", phi: Any = 0,
    vertex_zero: Any = True, *, complex: Any = False,
) -> Any:  # fmt: skip
    if complex:
        refuse("scipy.signal.chirp with complex=True", "its parts are cosine and sine of the phase")
    phase = _phase(np.asarray(t) * 1.0, f0 * 1.0, t1 * 1.0, f1 * 1.0, method, vertex_zero)
    return np.cos(phase + phi * np.pi / 180.0)


def _phase(t: Any, f0: Any, t1: Any, f1: Any, method: Any, vertex_zero: Any) -> Any:
    if method in ("linear", "lin", "li"):
        return _TURN * (f0 * t + 0.5 * ((f1 - f0) / t1) * t * t)
    if method in ("quadratic", "quad", "q"):
        bend = (f1 - f0) / (t1 * t1)
        if vertex_zero:
            return _TURN * (f0 * t + bend * t**3 / 3.0)
        return _TURN * (f1 * t + bend * ((t1 - t) ** 3 - t1**3) / 3.0)
    if method in ("logarithmic", "log", "lo"):
        if f0 * f1 <= 0.0:
            raise ValueError("For a logarithmic chirp, f0 and f1 must be nonzero and have the same"
                             " sign.")  # fmt: skip
        if f0 == f1:
            return _TURN * f0 * t
        rate = t1 / np.log(f1 / f0)
        return _TURN * rate * f0 * ((f1 / f0) ** (t / t1) - 1.0)
    if method in ("hyperbolic", "hyp"):
        if f0 == 0.0 or f1 == 0.0:
            raise ValueError("For a hyperbolic chirp, f0 and f1 must be nonzero.")
        if f0 == f1:
            return _TURN * f0 * t
        pole = -f1 * t1 / (f0 - f1)
        return _TURN * (-pole * f0) * np.log(np.abs(1.0 - t / pole))
    raise ValueError("method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic', but a"
                     f" value of {method!r} was given.")  # fmt: skip


def gausspulse(
    t: Any, fc: Any = 1000, bw: Any = 0.5, bwr: Any = -6, tpr: Any = -60, retquad: Any = False,
    retenv: Any = False,
) -> Any:  # fmt: skip
    if fc < 0:
        raise ValueError(f"Center frequency (fc={fc:.2f}) must be >=0.")
    if bw <= 0:
        raise ValueError(f"Fractional bandwidth (bw={bw:.2f}) must be > 0.")
    if bwr >= 0:
        raise ValueError(f"Reference level for bandwidth (bwr={bwr:.2f}) must be < 0 dB")
    fall = -((np.pi * fc * bw) ** 2) / (4.0 * np.log(10.0 ** (bwr / 20.0)))
    if isinstance(t, str):
        if t != "cutoff":
            raise ValueError("If `t` is a string, it must be 'cutoff'")
        if tpr >= 0:
            raise ValueError("Reference level for time cutoff must be < 0 dB")
        return np.sqrt(-np.log(10.0 ** (tpr / 20.0)) / fall)
    t = np.asarray(t) * 1.0
    around = np.exp(-fall * t * t)
    real, other = around * np.cos(_TURN * fc * t), around * np.sin(_TURN * fc * t)
    if retquad:
        return (real, other, around) if retenv else (real, other)
    return (real, around) if retenv else real


def medfilt(volume: Any, kernel_size: Any = None) -> Any:
    volume = np.atleast_1d(volume)
    if volume.dtype == np.bool_:
        raise ValueError("dtype=bool is not supported by medfilt")
    sizes: Any = filters.each(3 if kernel_size is None else kernel_size, volume.ndim)
    for k in range(len(sizes)):
        if sizes[k] % 2 != 1:
            raise ValueError("Each element of kernel_size should be odd.")
    return windows.median_filter(volume, sizes, mode="constant")


def resample(
    x: Any, num: Any, t: Any = None, axis: Any = 0, window: Any = None, domain: Any = "time"
) -> Any:
    if domain != "time":
        refuse("scipy.signal.resample of a spectrum", "give it the samples")
    if window is not None:
        refuse("scipy.signal.resample with a window", "leave it out")
    x = np.asarray(x) * 1.0
    place = counted_from_zero(axis, x.ndim)
    n = x.shape[place]
    kept = min(num, n)
    spectrum = fourier.rfft(np.moveaxis(x, place, -1))[..., : kept // 2 + 1]
    both = kept % 2 == 0 and num != n  # the frequency in the middle is half of a pair
    last = (2.0 if num < n else 0.5) if both else 1.0
    weights = np.where(np.arange(kept // 2 + 1) == kept // 2, last, 1.0) * (num / n)
    found = np.moveaxis(fourier.irfft(spectrum * weights, num), -1, place)
    if t is None:
        return found
    return found, t[0] + (t[1] - t[0]) * (n / num) * np.arange(num)
