"""Polynomials between places (`scipy.interpolate.PPoly`), as objects of the program.

C. de Boor, A practical guide to splines, 1978, chapter VII.
"""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["Pieces", "cubic", "in_period", "not_negative", "way_of"]

np: Any = numpy


def in_period(q: Any, low: Any, high: Any) -> Any:
    """The same places within one period."""
    return low + (q - low) % (high - low)


def way_of(extrapolate: Any) -> Any:
    """How a curve goes on beyond its ends: "yes", "no" or "periodic"."""
    if isinstance(extrapolate, str):
        return extrapolate
    return "yes" if extrapolate is None or extrapolate else "no"


def not_negative(order: Any) -> None:
    if order < 0:
        raise ValueError("the order of a derivative must not be negative here")


def cubic(places: Any, columns: Any, slopes: Any, rest: Any, extrapolate: Any) -> Any:
    """The cubic polynomials with these values and slopes; `rest` are the axes of a value."""
    h = (places[1:] - places[:-1])[:, None]
    rise = (columns[1:] - columns[:-1]) / h
    before, after = slopes[:-1], slopes[1:]
    third = (before + after - 2.0 * rise) / (h * h)
    second = (3.0 * rise - 2.0 * before - after) / h
    return Pieces(places, np.stack((third, second, before, columns[:-1])), rest, extrapolate)


def _sums(parts: Any, at: Any, t: Any, nu: Any) -> Any:
    """The derivatives of order `nu` at places that are `t` behind the first of their pieces."""
    count, out = parts.shape[0], np.zeros((len(t), parts.shape[2]))
    for p in range(len(t)):
        for j in range(parts.shape[2]):
            found = 0.0
            for k in range(count - nu):
                factor = 1.0
                for step in range(nu):
                    factor = factor * (count - 1.0 - k - step)
                found = found * t[p] + factor * parts[k, at[p], j]
            out[p, j] = found
    return out


class Pieces:
    """Sums of `parts`, the highest power first, for every piece and component."""

    def __init__(self, x: Any, parts: Any, rest: Any, extrapolate: Any) -> None:
        self.x = x
        self.parts = parts
        self.rest = rest
        self.beyond = way_of(extrapolate)

    @property
    def c(self) -> Any:
        """The coefficients, as SciPy has them."""
        return np.reshape(self.parts, self.parts.shape[:2] + self.rest)

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        beyond = self.beyond if extrapolate is None else way_of(extrapolate)
        q = np.asarray(x) * 1.0
        flat = np.ravel(q)
        inner = in_period(flat, self.x[0], self.x[-1]) if beyond == "periodic" else flat
        at = np.clip(np.searchsorted(self.x, inner, side="right") - 1, 0, len(self.x) - 2)
        found = _sums(self.parts, at, inner - self.x[at], nu)
        if beyond == "no":
            outside = np.logical_or(flat < self.x[0], flat > self.x[-1])
            found = np.where(outside[:, None], np.nan, found)
        return np.reshape(found, q.shape + self.rest)

    def derivative(self, nu: Any = 1) -> Any:
        not_negative(nu)
        count = self.parts.shape[0]
        kept = max(count - nu, 1)
        factors = np.ones(kept) if count > nu else np.zeros(kept)
        for step in range(min(nu, count - 1)):
            factors = factors * (count - 1.0 - step - np.arange(kept))
        parts = self.parts[:kept] * factors[:, None, None]
        return Pieces(self.x, parts, self.rest, self.beyond)

    def antiderivative(self, nu: Any = 1) -> Any:
        not_negative(nu)
        parts, h = self.parts, self.x[1:] - self.x[:-1]
        for _ in range(nu):
            parts = _summed_up(parts, h)
        beyond = "no" if self.beyond == "periodic" else self.beyond
        return Pieces(self.x, parts, self.rest, beyond)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        beyond = self.beyond if extrapolate is None else way_of(extrapolate)
        whole = self.antiderivative()
        if beyond != "periodic":
            return whole(b, 0, beyond) - whole(a, 0, beyond)
        low, high = self.x[0], self.x[-1]
        return _of_periods(whole, b * 1.0, low, high) - _of_periods(whole, a * 1.0, low, high)


def _summed_up(parts: Any, h: Any) -> Any:
    """The parts of the antiderivative that is zero at the first place."""
    count, pieces, columns = parts.shape
    out = np.zeros((count + 1, pieces, columns))
    for j in range(columns):
        for p in range(pieces):
            whole = 0.0
            for k in range(count):
                out[k, p, j] = parts[k, p, j] / (count - k)
                whole = (whole + out[k, p, j]) * h[p]
            if p + 1 < pieces:
                out[count, p + 1, j] = out[count, p, j] + whole
    return out


def _of_periods(whole: Any, x: Any, low: Any, high: Any) -> Any:
    """The integral of a periodic function from `low` on."""
    periods = np.floor((x - low) / (high - low))
    return periods * whole(high, 0, True) + whole(x - periods * (high - low), 0, True)
