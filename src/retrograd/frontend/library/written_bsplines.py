"""Splines as sums of B-splines (`scipy.interpolate.BSpline`, FITPACK), as objects of the program.

C. de Boor, A practical guide to splines, 1978, chapters IX to XIII; P. Dierckx, Curve and surface
fitting with splines, 1993, has the ways to go on beyond the ends.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.scipy_linalg import solve_banded
from retrograd.frontend.library.plain.told import refuse
from retrograd.frontend.library.written_pieces import in_period, not_negative, way_of

__all__ = ["Fitted", "Sheet", "Sums", "at_ends", "coefficients", "knots_through", "valued"]

np: Any = numpy


def knots_through(x: Any, k: Any) -> Any:
    """Knots of the splines of degree `k` through these places, without ends to be said more of."""
    if k % 2 == 1:
        inner = x[(k + 1) // 2 : len(x) - (k + 1) // 2]
    else:
        inner = ((x[1:] + x[:-1]) / 2.0)[k // 2 : len(x) - 1 - k // 2]
    return np.concatenate((np.full(k + 1, x[0]), inner, np.full(k + 1, x[-1])))


def _spans(t: Any, k: Any, q: Any) -> Any:
    return np.clip(np.searchsorted(t, q, side="right") - 1, k, len(t) - k - 2)


def _bases(t: Any, k: Any, q: Any, at: Any) -> Any:
    """The k + 1 B-splines that are not zero between the knots at `at` and `at + 1`, a row for each
    place."""
    out = np.zeros((len(q), k + 1))
    for p in range(len(q)):
        x, i = q[p], at[p]
        out[p, 0] = 1.0
        for degree in range(1, k + 1):
            saved = 0.0
            for r in range(degree):
                right, left = t[i + r + 1] - x, x - t[i + 1 - degree + r]
                part = out[p, r] / (right + left)
                out[p, r] = saved + right * part
                saved = left * part
            out[p, degree] = saved
    return out


def coefficients(x: Any, columns: Any, t: Any, k: Any) -> Any:
    """Those of the spline through points."""
    n, at = len(x), _spans(t, k, x)
    bases, band = _bases(t, k, x, at), np.zeros((2 * k + 1, n))
    for p in range(n):
        for r in range(k + 1):
            column = at[p] - k + r
            band[k + p - column, column] = bases[p, r]
    return solve_banded((k, k), band, columns)


def valued(t: Any, c: Any, k: Any, flat: Any) -> Any:
    """The sums of B-splines by coefficients in columns, a row for each place."""
    at = _spans(t, k, flat)
    bases, out = _bases(t, k, flat, at), np.zeros((len(flat), c.shape[1]))
    for p in range(len(flat)):
        for r in range(k + 1):
            for j in range(c.shape[1]):
                out[p, j] += c[at[p] - k + r, j] * bases[p, r]
    return out


def _derived(t: Any, c: Any, k: Any) -> Any:
    """Knots and coefficients of the derivative, which is of degree k - 1."""
    gaps = t[k + 1 : len(t) - 1] - t[1 : len(t) - k - 1]
    some = gaps > 0.0
    slope = k * (c[1:] - c[:-1]) / np.where(some, gaps, 1.0)[:, None]
    return t[1:-1], np.where(some[:, None], slope, 0.0)


def _summed_up(t: Any, c: Any, k: Any) -> Any:
    """Knots and coefficients of the antiderivative that is zero at the first knot."""
    steps = (t[k + 1 :] - t[: len(t) - k - 1])[:, None] / (k + 1.0)
    whole = np.cumsum(c * steps, axis=0)
    longer = np.concatenate((t[:1], t, t[len(t) - 1 :]))
    return longer, np.concatenate((0.0 * c[:1], whole))


class Sums:
    """`scipy.interpolate.BSpline`; `columns` are the coefficients of each component."""

    def __init__(self, t: Any, columns: Any, k: Any, rest: Any, extrapolate: Any) -> None:
        self.t = t
        self.columns = columns
        self.k = k
        self.rest = rest
        self.beyond = way_of(extrapolate)

    @property
    def c(self) -> Any:
        return np.reshape(self.columns, (self.columns.shape[0], *self.rest))

    @property
    def tck(self) -> Any:
        return self.t, self.c, self.k

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        beyond = self.beyond if extrapolate is None else way_of(extrapolate)
        q = np.asarray(x) * 1.0
        flat = np.ravel(q)
        low, high = self.t[self.k], self.t[len(self.t) - self.k - 1]
        spline = self.derivative(nu)
        inner = in_period(flat, low, high) if beyond == "periodic" else flat
        found = valued(spline.t, spline.columns, spline.k, inner)
        if beyond == "no":
            outside = np.logical_or(flat < low, flat > high)
            found = np.where(outside[:, None], np.nan, found)
        return np.reshape(found, q.shape + self.rest)

    def derivative(self, nu: Any = 1) -> Any:
        not_negative(nu)
        t, c = self.t, self.columns * (0.0 if nu > self.k else 1.0)
        steps = min(nu, self.k)
        for j in range(steps):
            t, c = _derived(t, c, self.k - j)
        return Sums(t, c, self.k - steps, self.rest, self.beyond)

    def antiderivative(self, nu: Any = 1) -> Any:
        not_negative(nu)
        t, c = self.t, self.columns
        for j in range(nu):
            t, c = _summed_up(t, c, self.k + j)
        beyond = "no" if self.beyond == "periodic" else self.beyond
        return Sums(t, c, self.k + nu, self.rest, beyond)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        beyond = self.beyond if extrapolate is None else way_of(extrapolate)
        if beyond == "periodic":
            refuse("the integral of a periodic BSpline", "integrate over each period")
        whole = self.antiderivative()
        low, high = self.t[self.k], self.t[len(self.t) - self.k - 1]
        if beyond != "no":
            return whole(b, 0, True) - whole(a, 0, True)
        return whole(np.clip(b, low, high), 0, True) - whole(np.clip(a, low, high), 0, True)


def at_ends(low: Any, high: Any, q: Any, way: Any) -> Any:
    """Where a spline is evaluated for FITPACK's way to go on beyond its ends."""
    if (way == 2 or way == "raise") and np.any((q < low) | (q > high)):
        raise ValueError("A value in x is outside of the interval of the spline")
    return np.clip(q, low, high) if way == 3 or way == "const" else q


class Fitted:
    """`scipy.interpolate.UnivariateSpline` through points."""

    def __init__(self, spline: Any, ext: Any) -> None:
        self.spline = spline
        self.ext = ext

    def __call__(self, x: Any, nu: Any = 0, ext: Any = None) -> Any:
        way = self.ext if ext is None else ext
        q = np.asarray(x) * 1.0
        low, high = self.spline.t[0], self.spline.t[-1]
        found = self.spline(at_ends(low, high, q, way), nu)
        outside = np.logical_or(q < low, q > high)
        return np.where(outside, 0.0, found) if way == 1 or way == "zeros" else found

    def derivative(self, n: Any = 1) -> Any:
        return Fitted(self.spline.derivative(n), 1 if self.ext in (3, "const") else self.ext)

    def antiderivative(self, n: Any = 1) -> Any:
        return Fitted(self.spline.antiderivative(n), self.ext)

    def integral(self, a: Any, b: Any) -> Any:
        return self.spline.integrate(a, b, False)

    def derivatives(self, x: Any) -> Any:
        return np.array([self.spline(x, j) for j in range(self.spline.k + 1)])

    def get_knots(self) -> Any:
        return self.spline.t[self.spline.k : len(self.spline.t) - self.spline.k].copy()

    def get_coeffs(self) -> Any:
        return self.spline.c


class Sheet:
    """`scipy.interpolate.RectBivariateSpline`: sums of products of B-splines."""

    def __init__(self, s: Any, t: Any, c: Any, degrees: Any) -> None:
        self.s = s
        self.t = t
        self.c = c
        self.degrees = degrees

    def __call__(self, x: Any, y: Any, dx: Any = 0, dy: Any = 0, grid: Any = True) -> Any:
        p, q = np.asarray(x) * 1.0, np.asarray(y) * 1.0
        if not grid:
            p, q = np.broadcast_arrays(p, q)
        elif np.any(np.diff(np.ravel(p)) < 0.0) or np.any(np.diff(np.ravel(q)) < 0.0):
            raise ValueError("x and y must be sorted to be in the grid")
        ends = np.clip(np.ravel(q), self.t[0], self.t[-1])
        along = Sums(self.t, self.c.T, self.degrees[1], (len(self.c),), True)(ends, dy)
        inner = np.clip(np.ravel(p), self.s[0], self.s[-1])
        if grid:
            return Sums(self.s, along.T, self.degrees[0], (len(ends),), True)(inner, dx)
        every = Sums(self.s, np.eye(len(self.c)), self.degrees[0], (len(self.c),), True)
        return np.reshape(np.sum(every(inner, dx) * along, axis=1), p.shape)

    def ev(self, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any:
        return self(xi, yi, dx, dy, False)

    def integral(self, xa: Any, xb: Any, ya: Any, yb: Any) -> Any:
        one = Sums(self.s, self.c, self.degrees[0], (self.c.shape[1],), True)
        row = one.integrate(xa, xb, False)
        return Sums(self.t, row[:, None], self.degrees[1], (), True).integrate(ya, yb, False)
