"""Integrals of samples, linear filters, elliptic integrals, Bessel functions: SciPy's modules."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain import calculus, products
from retrograd.frontend.library.plain.axes import along, counted_from_zero, folded
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "convolve", "cumulative_simpson", "cumulative_trapezoid", "ellipe", "ellipk", "ellipkm1", "j0",
    "j1", "norm", "romb", "simpson", "trapezoid",
]  # fmt: skip

np: Any = numpy


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    return calculus.trapezoid(y, x, dx, axis)


def norm(
    a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True
) -> Any:
    if check_finite and not np.all(np.isfinite(np.asarray(a))):
        raise ValueError("array must not contain infs or NaNs")
    return products.norm(a, ord, axis, keepdims)


def _steps(y: Any, x: Any, dx: Any, place: Any) -> Any:
    """The distances along an axis, so that they fit to differences of the samples."""
    if x is None:
        line = np.full((y.shape[place] - 1,), dx * 1.0)
        return line[(slice(None),) + (None,) * (y.ndim - place - 1)]
    x = np.asarray(x)
    if x.ndim == 1:
        if len(x) != y.shape[place]:
            raise ValueError("If given, length of x along axis must be the same as y.")
        return np.diff(x)[(slice(None),) + (None,) * (y.ndim - place - 1)]
    return np.diff(x, axis=place)


def cumulative_trapezoid(
    y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None
) -> Any:
    y = np.asarray(y) * 1.0
    place = counted_from_zero(axis, y.ndim)
    if y.shape[place] == 0:
        raise ValueError("At least one point is required along `axis`.")
    late, early = along(place, slice(1, None)), along(place, slice(None, -1))
    found = np.cumsum(_steps(y, x, dx, place) * (y[late] + y[early]) / 2.0, axis=place)
    if initial is None:
        return found
    if initial != 0:
        raise ValueError("`initial` must be `None` or `0`.")
    first = np.zeros((*y.shape[:place], 1, *y.shape[place + 1 :]))
    return np.concatenate((first, found), place)


def _parabolas(y: Any, h: Any) -> Any:
    """The integrals from each sample but the last to the next, by the parabola through three."""
    before, after = h[:-1], h[1:]
    low, middle, high = y[:-2], y[1:-1], y[2:]
    share, ratio = before / (before + after), before / after
    both = share * ratio
    return before / 6.0 * ((3.0 - share) * low + (3.0 + both + share) * middle - both * high)


def cumulative_simpson(
    y: Any, *, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None
) -> Any:
    y = np.asarray(y) * 1.0
    place = counted_from_zero(axis, y.ndim)
    if y.shape[place] < 3:
        found = cumulative_trapezoid(y, x, dx, axis)
    else:
        steps = np.broadcast_to(_steps(y, x, dx, place), np.diff(y, axis=place).shape)
        if np.any(steps <= 0.0):
            raise ValueError("Input x must be strictly increasing.")
        rows, h = np.moveaxis(y, place, 0), np.moveaxis(steps, place, 0)
        ahead, back = _parabolas(rows, h), _parabolas(rows[::-1], h[::-1])[::-1]
        parts = np.zeros(h.shape)
        parts[:-1:2] = ahead[::2]
        parts[1::2] = back[::2]
        parts[-1] = back[-1]
        found = np.moveaxis(np.cumsum(parts, axis=0), 0, place)
    if initial is None:
        return found
    first = np.zeros((*y.shape[:place], 1, *y.shape[place + 1 :])) + initial
    return np.concatenate((first, found + initial), axis=place)


def romb(y: Any, dx: Any = 1.0, axis: Any = -1, show: Any = False) -> Any:
    y = np.asarray(y) * 1.0
    if show:
        refuse("scipy.integrate.romb that prints its table", "leave show out")
    rows = np.moveaxis(y, axis, 0)
    n = len(rows) - 1
    count = 0
    while 2**count < n:
        count += 1
    if 2**count != n:
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    wide = n * dx
    last = np.zeros((count + 1, *rows.shape[1:]))
    last[0] = (rows[0] + rows[-1]) / 2.0 * wide
    step = n
    for k in range(1, count + 1):
        new = np.zeros((count + 1, *rows.shape[1:]))
        new[0] = 0.5 * (last[0] + wide * np.sum(rows[step // 2 :: step], axis=0))
        for j in range(1, k + 1):
            new[j] = new[j - 1] + (new[j - 1] - last[j - 1]) / (4.0**j - 1.0)
        last, step, wide = new, step // 2, wide / 2.0
    return last[count]


def simpson(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    y = np.asarray(y) * 1.0
    place = counted_from_zero(axis, y.ndim)
    n = y.shape[place]
    h = np.broadcast_to(_steps(y, x, dx, place), (*y.shape[:place], n - 1, *y.shape[place + 1 :]))
    found = written_kernels.simpson_along(folded(y, place), folded(h, place))
    return np.reshape(found, (*y.shape[:place], *y.shape[place + 1 :]))


def _means(b: Any) -> Any:
    """The arithmetic-geometric mean of 1 and b, and the sum of what the means differed by."""
    a, total, weight = np.ones_like(b), 0.5 * (1.0 - b * b), 0.5
    for _ in range(14):
        middle, gap = 0.5 * (a + b), 0.5 * (a - b)
        b = np.sqrt(a * b)
        a = middle
        weight = 2.0 * weight
        total = total + weight * gap * gap
    return a, total


def _complement(m: Any) -> Any:
    """sqrt(1 - m), or 1 where an elliptic integral is infinite or none."""
    rest = 1.0 - np.asarray(m) * 1.0
    return np.sqrt(np.where(rest > 0.0, rest, 1.0)), rest


def ellipk(m: Any) -> Any:
    b, rest = _complement(m)
    found = 0.5 * np.pi / _means(b)[0]
    return np.where(rest > 0.0, found, np.where(rest == 0.0, np.inf, np.nan))


def ellipkm1(p: Any) -> Any:
    rest = np.asarray(p) * 1.0
    b = np.sqrt(np.where(rest > 0.0, rest, 1.0))
    found = 0.5 * np.pi / _means(b)[0]
    return np.where(rest > 0.0, found, np.where(rest == 0.0, np.inf, np.nan))


def ellipe(m: Any) -> Any:
    b, rest = _complement(m)
    mean, total = _means(b)
    found = 0.5 * np.pi / mean * (1.0 - total)
    return np.where(rest > 0.0, found, np.where(rest == 0.0, 1.0, np.nan))


def rosen(x: Any) -> Any:
    x = np.asarray(x) * 1.0
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1.0 - x[:-1]) ** 2.0, axis=0)


def convolve(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    a, b = np.asarray(in1), np.asarray(in2)
    if a.ndim != b.ndim:
        raise ValueError("volume and kernel should have the same dimensionality")
    if a.ndim == 0:
        return a * b
    if a.ndim > 2:
        what = f"scipy.signal.convolve of arrays of rank {a.ndim}"
        refuse(what, "write a loop over the first axis")
    if mode != "full" and mode != "same" and mode != "valid":
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if a.size == 0 or b.size == 0:
        raise ValueError("the convolution of nothing is refused here")
    rows = (a[None, :], b[None, :]) if a.ndim == 1 else (a, b)
    found = written_kernels.convolved_planes(rows[0] * 1.0, rows[1] * 1.0)
    found = _inside(found, rows[0], rows[1], mode)
    found = found[0] if a.ndim == 1 else found
    return found if a.dtype == np.float64 or b.dtype == np.float64 else found.astype(int)


def _inside(found: Any, a: Any, b: Any, mode: Any) -> Any:
    """The part of a full convolution that a mode asks for."""
    if mode == "full":
        return found
    (m, n), (p, q) = a.shape, b.shape
    if mode == "same":
        first, second = (p - 1) // 2, (q - 1) // 2
        return found[first : first + m, second : second + n].copy()
    if not (m >= p and n >= q) and not (p >= m and q >= n):
        raise ValueError("For 'valid' mode, one must be at least as large as the other")
    first, second = min(m, p) - 1, min(n, q) - 1
    return found[first : max(m, p), second : max(n, q)].copy()


_FEW = 25.0
"""Below it Bessel functions are a mean over the circle, above it Hankel's expansion."""


def _hankel(x: Any, order: Any) -> Any:
    """J_n of large numbers: Abramowitz and Stegun, 9.2.5, with 20 terms."""
    p, q, term = 1.0, 0.0, 1.0
    for k in range(1, 21):
        term = term * (4.0 * order * order - (2.0 * k - 1.0) ** 2) / (8.0 * k * x)
        sign = 1.0 if k % 4 < 2 else -1.0
        if k % 2 == 0:
            p = p + sign * term
        else:
            q = q + sign * term
    turned = x - (0.5 * order + 0.25) * np.pi
    return np.sqrt(2.0 / (np.pi * x)) * (p * np.cos(turned) - q * np.sin(turned))


def _near_and_far(x: Any) -> Any:
    """The number, whether it is small, and what the sum and the series are taken of."""
    x = np.asarray(x) * 1.0
    few = np.abs(x) < _FEW
    return x, few, np.where(few, x, 0.0), np.where(few, _FEW, np.abs(x))


def j0(x: Any) -> Any:
    x, few, near, far = _near_and_far(x)
    total = 0.0
    for k in range(16):
        total = total + np.cos(near * np.sin((k + 0.5) * np.pi / 32.0))
    return np.where(few, total / 16.0, _hankel(far, 0.0))


def j1(x: Any) -> Any:
    x, few, near, far = _near_and_far(x)
    total = 0.0
    for k in range(16):
        height = np.sin((k + 0.5) * np.pi / 32.0)
        total = total + height * np.sin(near * height)
    return np.where(few, total / 16.0, np.copysign(1.0, x) * _hankel(far, 1.0))


def lengthened(rows: Any, edge: Any, padtype: Any) -> Any:
    """Lines that go on by `edge` at both ends."""
    n = rows.shape[1]
    if padtype is None or edge == 0:
        return rows
    if n <= edge:
        raise ValueError("The length of the input vector x must be greater than padlen.")
    low, high = rows[:, 1 : edge + 1][:, ::-1], rows[:, n - 1 - edge : n - 1][:, ::-1]
    first, last = rows[:, :1], rows[:, n - 1 :]
    if padtype == "odd":
        low, high = 2.0 * first - low, 2.0 * last - high
    elif padtype == "constant":
        low, high = first + 0.0 * low, last + 0.0 * high
    elif padtype != "even":
        raise ValueError("padtype must be 'even', 'odd', 'constant', or None.")
    return np.concatenate((low, rows, high), 1)
