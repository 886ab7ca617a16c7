"""Differences, integrals and interpolation of samples."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain.axes import along, as_tuple, counted_from_zero

__all__ = ["convolve", "correlate", "cross", "diff", "ediff1d", "gradient", "interp", "trapezoid"]

np: Any = numpy


def _beside(value: Any, like: Any, axis: Any) -> Any:
    """What is put before or after an array: a number stands for as many as there have to be."""
    if np.ndim(value) > 0:
        return np.asarray(value)
    return np.full((*like.shape[:axis], 1, *like.shape[axis + 1 :]), value)


def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    x = np.asarray(a)
    if n < 0:
        raise ValueError("order must be non-negative")
    if x.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    place = counted_from_zero(axis, x.ndim)
    if prepend is not None:
        x = np.concatenate((_beside(prepend, x, place), x), place)
    if append is not None:
        x = np.concatenate((x, _beside(append, x, place)), place)
    late, early = along(place, slice(1, None)), along(place, slice(None, -1))
    for _ in tuple(range(n)):
        x = x[late] != x[early] if x.dtype == np.bool_ else x[late] - x[early]
    return x


def _beyond(given: Any, ary: Any, name: str) -> Any:
    given = np.ravel(np.asarray(given))
    if given.dtype == np.float64 and ary.dtype != np.float64:
        raise TypeError(
            f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
        )
    return given.astype(ary.dtype)


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    ary = np.ravel(np.asarray(ary))
    if ary.dtype == np.bool_:
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported")
    found = diff(ary)
    if to_begin is not None:
        found = np.concatenate((_beyond(to_begin, ary, "to_begin"), found))
    if to_end is not None:
        found = np.concatenate((found, _beyond(to_end, ary, "to_end")))
    return found


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    y = np.asarray(y)
    place = counted_from_zero(axis, y.ndim)
    late, early = along(place, slice(1, None)), along(place, slice(None, -1))
    if x is None:
        return np.sum(dx * (y[late] + y[early]) / 2.0, axis=place)
    step = diff(x, axis=-1 if np.ndim(x) == 1 else axis)
    if np.ndim(x) == 1:
        step = step[(slice(None),) + (None,) * (y.ndim - place - 1)]
    return np.sum(step * (y[late] + y[early]) / 2.0, axis=place)


def _gradient(f: Any, spacing: Any, axis: Any, edge_order: Any) -> Any:
    n = f.shape[axis]
    if n < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient")
    first, second, third = (
        along(axis, slice(0, 1)),
        along(axis, slice(1, 2)),
        along(axis, slice(2, 3)),
    )
    last, before, far = (
        along(axis, slice(-1, None)), along(axis, slice(-2, -1)), along(axis, slice(-3, -2))
    )  # fmt: skip
    middle, late, early = (
        along(axis, slice(1, -1)), along(axis, slice(2, None)), along(axis, slice(None, -2))
    )  # fmt: skip
    if np.ndim(spacing) == 0:
        inside = (f[late] - f[early]) / (2.0 * spacing)
        start, end = (f[second] - f[first]) / spacing, (f[last] - f[before]) / spacing
        if edge_order == 2:
            start = (-1.5 * f[first] + 2.0 * f[second] - 0.5 * f[third]) / spacing
            end = (1.5 * f[last] - 2.0 * f[before] + 0.5 * f[far]) / spacing
        return np.concatenate((start, inside, end), axis)
    step = np.diff(spacing)
    if len(spacing) != n:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    h = step[(slice(None),) + (None,) * (f.ndim - axis - 1)]
    one, two = along(0, slice(None, -1)), along(0, slice(1, None))
    a = -h[two] / (h[one] * (h[one] + h[two]))
    b = (h[two] - h[one]) / (h[one] * h[two])
    c = h[one] / (h[two] * (h[one] + h[two]))
    inside = a * f[early] + b * f[middle] + c * f[late]
    start, end = (f[second] - f[first]) / h[:1], (f[last] - f[before]) / h[-1:]
    if edge_order == 2:
        p, q = h[:1], h[1:2]
        start = (
            -(2.0 * p + q) / (p * (p + q)) * f[first] + (p + q) / (p * q) * f[second]
            - p / (q * (p + q)) * f[third]
        )  # fmt: skip
        p, q = h[-2:-1], h[-1:]
        end = (
            q / (p * (p + q)) * f[far] - (q + p) / (p * q) * f[before]
            + (2.0 * q + p) / (q * (p + q)) * f[last]
        )  # fmt: skip
    return np.concatenate((start, inside, end), axis)


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    f = np.asarray(f)
    if edge_order > 2 or edge_order < 1:
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.dtype == np.bool_:
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported")
    f = f if f.dtype == np.float64 else f.astype(float)
    if axis is None:
        axes = tuple(range(f.ndim))
    else:
        given = as_tuple(axis)
        axes = tuple([counted_from_zero(k, f.ndim) for k in given])
    steps = (1.0,) * len(axes) if len(varargs) == 0 else varargs
    if len(steps) == 1 and np.ndim(steps[0]) == 0:
        steps = steps * len(axes)
    if len(steps) != len(axes):
        raise TypeError("invalid number of arguments")
    found = [_gradient(f, h, k, edge_order) for h, k in zip(steps, axes, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    x, xp, fp = np.asarray(x), np.asarray(xp), np.asarray(fp)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    fp = fp if fp.dtype == np.float64 else fp.astype(float)
    xp = xp if xp.dtype == np.float64 else xp.astype(float)
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        size = abs(period)
        x, xp = x % size, xp % size
        order = np.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = np.concatenate((xp[-1:] - size, xp, xp[:1] + size))
        fp = np.concatenate((fp[-1:], fp, fp[:1]))
    low = float(fp[0] if left is None or period is not None else left)
    high = float(fp[-1] if right is None or period is not None else right)
    if x.ndim == 0:
        return written_kernels.interpolated(float(x), xp, fp, low, high)
    flat = np.ravel(x) if x.dtype == np.float64 else np.ravel(x.astype(float))
    return np.reshape(written_kernels.every_interpolated(flat, xp, fp, low, high), x.shape)


def _vector(x: Any) -> Any:
    x = np.asarray(x)
    x = np.full((1,), x) if x.ndim == 0 else x
    return x.astype(int) if x.dtype == np.bool_ else x


def _as(x: Any, other: Any) -> Any:
    """The array, of floats if the other is."""
    return x.astype(float) if other.dtype == np.float64 and x.dtype != np.float64 else x


def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    a, v = _vector(a), _vector(v)
    if a.ndim > 1 or v.ndim > 1:
        raise ValueError("object too deep for desired array")
    a, v = _as(a, v), _as(v, a)
    if len(a) == 0:
        raise ValueError("a cannot be empty")
    if len(v) == 0:
        raise ValueError("v cannot be empty")
    if mode == "valid":
        return written_kernels.convolved_inside(a, v)
    out = written_kernels.convolved(a, v)
    if mode == "full":
        return out
    if mode == "same":
        short, long = min(len(a), len(v)), max(len(a), len(v))
        first = (short - 1) // 2
        return out[first : first + long].copy()
    raise ValueError("mode must be one of 'valid', 'same', or 'full'")


def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    if np.ndim(a) == 0 or np.ndim(v) == 0:
        raise ValueError("object of too small depth for desired array")
    a, v = _vector(a), _vector(v)
    if mode == "same":
        short, long = min(len(a), len(v)), max(len(a), len(v))
        first = (short - 1) // 2 if len(a) >= len(v) else short // 2
        return convolve(a, v[::-1])[first : first + long].copy()
    return convolve(a, v[::-1], mode)


def cross(a: Any, b: Any, axis: Any = -1) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("At least one array has zero dimension")
    one, two = counted_from_zero(axis, a.ndim), counted_from_zero(axis, b.ndim)
    if a.shape[one] != 3 or b.shape[two] != 3:
        raise ValueError("both input arrays must be (arrays of) 3-dimensional vectors")
    a0, a1, a2 = a[along(one, 0)], a[along(one, 1)], a[along(one, 2)]
    b0, b1, b2 = b[along(two, 0)], b[along(two, 1)], b[along(two, 2)]
    x, y, z = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    return np.stack((x, y, z), axis)
