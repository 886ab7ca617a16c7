"""Functions of each element, choices between arrays, ranges of numbers, windows."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_arrays, written_kernels
from retrograd.frontend.library.plain.axes import (
    as_tuple,
    counting,
    folded,
    is_sequence,
    numbers,
    unfolded,
)
from retrograd.frontend.library.plain.told import constant, refuse

__all__ = [
    "angle", "bartlett", "blackman", "digitize", "eye", "fix", "fromiter", "geomspace", "hamming",
    "hanning", "identity", "isneginf", "isposinf", "linspace", "logspace", "pad", "round_to",
    "searchsorted", "select", "sinc",
]  # fmt: skip

np: Any = numpy


def sinc(x: Any) -> Any:
    x = np.asarray(x) * 1.0
    near = np.abs(x) < 0.01
    y, z = np.pi * np.where(near, 1.0, x), np.pi * np.where(near, x, 0.0)
    u = z * z
    # The series, for the derivatives at zero.
    series = 1.0 - u / 6.0 * (1.0 - u / 20.0 * (1.0 - u / 42.0 * (1.0 - u / 72.0)))
    return np.where(near, series, np.sin(y) / y)


def angle(z: Any, deg: Any = False) -> Any:
    z = np.asarray(z)
    turned = np.arctan2(0.0, constant(z * 1.0))
    return turned * (180.0 / np.pi) if deg else turned


def isposinf(x: Any) -> Any:
    return np.asarray(x) == np.inf


def isneginf(x: Any) -> Any:
    return np.asarray(x) == -np.inf


def fix(x: Any) -> Any:
    return np.trunc(np.asarray(x))


def round_to(a: Any, decimals: Any = 0) -> Any:
    a = np.asarray(a)
    if a.dtype == np.bool_:
        refuse("np.round of bools", "convert them: x.astype(float)")
    if a.dtype == np.float64:
        return _to_decimals(a, decimals)
    return a.copy() if decimals >= 0 else _to_decimals(a, decimals).astype(np.int64)


def _to_decimals(a: Any, decimals: Any) -> Any:
    """Floats that are scaled, rounded and scaled back."""
    if decimals == 0:
        return np.rint(a)
    scale = 10.0 ** abs(decimals)
    return np.rint(a * scale) / scale if decimals > 0 else np.rint(a / scale) * scale


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    found = default
    for condition, choice in zip(condlist[::-1], choicelist[::-1], strict=True):
        found = np.where(condition, choice, found)
    return found


def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    a, v = numbers(a), numbers(v)
    if sorter is not None:
        a = a[np.asarray(sorter)]
    if a.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    if side != "left" and side != "right":
        raise ValueError("search side must be 'left' or 'right'")
    if v.ndim == 0:
        if side == "left":
            return written_arrays.searched_left(a, v)
        return written_arrays.searched_right(a, v)
    flat = np.ravel(v)
    every = written_arrays.every_left if side == "left" else written_arrays.every_right
    return np.reshape(every(a, flat), v.shape)


def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    bins = np.asarray(bins)
    if len(bins) > 1 and bins[0] > bins[-1]:
        back = bins[::-1].copy()
        return len(bins) - searchsorted(back, x, "left" if not right else "right")
    return searchsorted(bins, x, "left" if right else "right")


def eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    columns = N if M is None else M
    return (counting(N)[:, None] + k == counting(columns)[None, :]).astype(dtype)


def identity(n: Any, dtype: Any = None) -> Any:
    return eye(n, n, 0, float if dtype is None else dtype)


def linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False,
    dtype: Any = None,
) -> Any:  # fmt: skip
    if np.ndim(start) > 0 or np.ndim(stop) > 0:
        refuse(
            "np.linspace between arrays", "write a + (b - a) * np.linspace(0.0, 1.0, n)[:, None]"
        )
    if num < 0:
        raise ValueError("Number of samples must be non-negative.")
    gaps = num - 1 if endpoint else num
    step = (stop * 1.0 - start * 1.0) / float(max(gaps, 1))
    ramp = counting(num) * 1.0
    values = ramp * step + start
    if endpoint:
        values = np.where(np.logical_and(counting(num) == gaps, num > 1), stop * 1.0, values)
    if dtype is not None:
        values = _of_dtype(values, dtype)
    return (values, step if gaps > 0 else np.nan) if retstep else values


def _of_dtype(values: Any, dtype: Any) -> Any:
    """Ints are those below, not those nearer to zero."""
    found = values.astype(dtype)
    return np.floor(values).astype(dtype) if found.dtype == np.int64 else found


def fromiter(iter: Any, dtype: Any, count: Any = -1) -> Any:
    found = np.array(list(iter), dtype=dtype)
    if found.ndim != 1:
        raise ValueError("setting an array element with a sequence.")
    if count < 0:
        return found
    if len(found) < count:
        raise ValueError("iterator too short")
    return found[:count]


def logspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0) -> Any:
    return np.power(base * 1.0, linspace(start, stop, num, endpoint))


def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True) -> Any:
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    if (start < 0) != (stop < 0):
        raise ValueError("both ends of a geometric sequence need one sign here")
    side = -1.0 if start < 0 else 1.0
    low, high = np.log10(side * start), np.log10(side * stop)
    inside = side * np.power(10.0, linspace(low, high, num, endpoint))
    found = np.where(counting(num) == 0, start * 1.0, inside)
    if endpoint:
        found = np.where(np.logical_and(counting(num) == num - 1, num > 1), stop * 1.0, found)
    return found


def _window(M: Any) -> Any:
    """Odd numbers around zero, as NumPy has them."""
    return counting(max(M, 0)) * 2.0 + (1.0 - M)


def hanning(M: Any) -> Any:
    return np.ones(M) if M == 1 else 0.5 + 0.5 * np.cos(np.pi * _window(M) / (M - 1.0))


def hamming(M: Any) -> Any:
    return np.ones(M) if M == 1 else 0.54 + 0.46 * np.cos(np.pi * _window(M) / (M - 1.0))


def blackman(M: Any) -> Any:
    if M == 1:
        return np.ones(M)
    angle = np.pi * _window(M) / (M - 1.0)
    return 0.42 + 0.5 * np.cos(angle) + 0.08 * np.cos(2.0 * angle)


def bartlett(M: Any) -> Any:
    if M == 1:
        return np.ones(M)
    n = _window(M)
    return np.where(n <= 0.0, 1.0 + n / (M - 1.0), 1.0 - n / (M - 1.0))


def _pairs(width: Any, rank: Any) -> Any:
    """What is put before and after each axis."""
    if not is_sequence(width):
        return ((width, width),) * rank
    if not is_sequence(width[0]):
        return (as_tuple(width) if len(width) == 2 else (width[0], width[0]),) * rank
    pairs = tuple([as_tuple(w) if len(w) == 2 else (w[0], w[0]) for w in width])
    return pairs * rank if len(pairs) == 1 else pairs


def _places(n: Any, before: Any, after: Any, mode: Any) -> Any:
    """For each element of the longer axis where it comes from."""
    at = counting(before + n + after) - before
    if mode == "edge" or (mode == "reflect" and n == 1):
        return np.clip(at, 0, n - 1)
    if mode == "reflect":
        at = at % max(2 * n - 2, 1)
        return np.where(at < n, at, 2 * n - 2 - at)
    if mode == "symmetric":
        at = at % (2 * n)
        return np.where(at < n, at, 2 * n - 1 - at)
    if mode == "wrap":
        return at % n
    return refuse("this mode of np.pad", "constant, edge, reflect, symmetric and wrap are known")


def _padded(x: Any, before: Any, after: Any, axis: Any, mode: Any, ends: Any) -> Any:
    n = x.shape[axis]
    if before < 0 or after < 0:
        raise ValueError("index can't contain negative values")
    if mode == "constant":
        one = (*x.shape[:axis], before, *x.shape[axis + 1 :])
        two = (*x.shape[:axis], after, *x.shape[axis + 1 :])
        first, last = np.full(one, ends[0]).astype(x.dtype), np.full(two, ends[1]).astype(x.dtype)
        return np.concatenate((first, x, last), axis)
    if n == 0:
        raise ValueError("can't extend empty axis using modes other than 'constant' or 'empty'")
    places = _places(n, before, after, mode)
    return unfolded(written_kernels.taken(folded(x, axis), places), x.shape, axis)


def pad(array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0) -> Any:
    x = np.asarray(array)
    widths, ends = _pairs(pad_width, x.ndim), _pairs(constant_values, x.ndim)
    if len(widths) != x.ndim:
        raise ValueError("operands could not be broadcast together")
    for axis in range(x.ndim):
        before, after = widths[axis]
        x = _padded(x, before, after, axis, mode, ends[axis])
    return x
