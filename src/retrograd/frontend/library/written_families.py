"""Series of orthogonal polynomials as objects: `Chebyshev`, `Legendre`, `Hermite`, `HermiteE` and
`Laguerre` of `np.polynomial`.

Each is told by its recurrence, p[k + 1] = (a x + b) p[k] - c p[k - 1]; products go by Clenshaw's
scheme, so that coefficients are those of the family all the way.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import refuse
from retrograd.frontend.library.written_series import Power, Series, added, trimmed

__all__ = ["Family", "family_fit", "steps_of"]

np: Any = numpy


def steps_of(kind: Any, k: Any) -> Any:
    """What the recurrence of a family has at a degree."""
    if kind == "Chebyshev":
        return (1.0, 0.0, 0.0) if k == 0 else (2.0, 0.0, 1.0)
    if kind == "Legendre":
        return (2.0 * k + 1.0) / (k + 1.0), 0.0, k / (k + 1.0)
    if kind == "Hermite":
        return 2.0, 0.0, 2.0 * k
    if kind == "HermiteE":
        return 1.0, 0.0, 1.0 * k
    return -1.0 / (k + 1.0), (2.0 * k + 1.0) / (k + 1.0), k / (k + 1.0)


def _times_x(kind: Any, c: Any) -> Any:
    """The coefficients of x times a series."""
    out = np.zeros(len(c) + 1)
    for k in range(len(c)):
        a, b, back = steps_of(kind, k)
        out[k + 1] += c[k] / a
        out[k] -= c[k] * b / a
        if k > 0:
            out[k - 1] += c[k] * back / a
    return out


def _moved(kind: Any, c: Any, start: Any, scale: Any) -> Any:
    """The series in x that a series in start + scale x is, by Clenshaw's scheme."""
    one, two = np.zeros(1), np.zeros(1)
    for j in range(len(c)):
        k = len(c) - 1 - j
        a, b, _ = steps_of(kind, k)
        back = steps_of(kind, k + 1)[2]
        line = added((a * start + b) * one, a * scale * _times_x(kind, one), 1.0)
        new = added(line, -back * two, 1.0)
        new[0] += c[k]
        one, two = new, one
    return trimmed(one)


def _product(kind: Any, c: Any, d: Any) -> Any:
    """The product of two series, by Clenshaw's scheme."""
    one, two = np.zeros(1), np.zeros(1)
    for j in range(len(c)):
        k = len(c) - 1 - j
        a, b, _ = steps_of(kind, k)
        back = steps_of(kind, k + 1)[2]
        moved = added(b * one, a * _times_x(kind, one), 1.0)
        one, two = added(added(moved, -back * two, 1.0), c[k] * d, 1.0), one
    return trimmed(one)


def _powers(kind: Any, c: Any, start: Any, scale: Any) -> Any:
    """The coefficients of powers of x of a series in start + scale x."""
    one, two = np.zeros(1), np.zeros(1)
    for j in range(len(c)):
        k = len(c) - 1 - j
        a, b, _ = steps_of(kind, k)
        back = steps_of(kind, k + 1)[2]
        line = np.array([a * start + b, a * scale])
        new = added(np.convolve(one, line), -back * two, 1.0)
        new[0] += c[k]
        one, two = new, one
    return one


def _slopes(kind: Any, c: Any) -> Any:
    """The coefficients of the derivative: of p[k] it is known by those of lower degrees."""
    n = len(c) - 1
    if n < 1:
        return np.zeros(1)
    out, rest = np.zeros(n), c.copy()
    for j in range(n):
        k = n - j
        if kind == "Chebyshev":
            out[k - 1] = 2.0 * k * rest[k] if k > 1 else rest[k]
            if k > 2:
                rest[k - 2] += k * rest[k] / (k - 2.0)
        elif kind == "Legendre":
            out[k - 1] = (2.0 * k - 1.0) * rest[k]
            if k > 1:
                rest[k - 2] += rest[k]
        elif kind == "Laguerre":
            out[k - 1] = -rest[k]
            rest[k - 1] += rest[k]
        else:
            out[k - 1] = (2.0 * k if kind == "Hermite" else 1.0 * k) * rest[k]
    return out


def _antiderivative(kind: Any, c: Any) -> Any:
    """The coefficients of an antiderivative."""
    out = np.zeros(len(c) + 1)
    for k in range(len(c)):
        if kind == "Chebyshev":
            out[k + 1] += c[k] if k == 0 else c[k] / (2.0 * (k + 1.0))
            if k > 1:
                out[k - 1] -= c[k] / (2.0 * (k - 1.0))
        elif kind == "Legendre":
            out[k + 1] += c[k] / (2.0 * k + 1.0)
            if k > 0:
                out[k - 1] -= c[k] / (2.0 * k + 1.0)
        elif kind == "Laguerre":
            out[k] += c[k]
            out[k + 1] -= c[k]
        else:
            out[k + 1] = c[k] / (2.0 * (k + 1.0) if kind == "Hermite" else k + 1.0)
    return out


class Family(Series):
    """A series of polynomials of one kind, in the place within its domain."""

    def __init__(self, kind: Any, coef: Any, domain: Any, window: Any) -> None:
        given = np.atleast_1d(coef) * 1.0
        if given.ndim != 1 or len(given) == 0:
            raise ValueError("Coefficient array is not 1-d, or empty")
        self.kind = kind
        self.coef = given
        usual = np.array([0.0, 1.0]) if kind == "Laguerre" else np.array([-1.0, 1.0])
        self.domain = usual if domain is None else np.asarray(domain) * 1.0
        self.window = usual if window is None else np.asarray(window) * 1.0

    def __call__(self, arg: Any) -> Any:
        start, scale = self.mapparms()
        x = start + scale * np.asarray(arg)
        one, two = 0.0 * x, 0.0 * x
        c = self.coef
        for j in range(len(c)):
            k = len(c) - 1 - j
            a, b, _ = steps_of(self.kind, k)
            back = steps_of(self.kind, k + 1)[2]
            one, two = c[k] + (a * x + b) * one - back * two, one
        return one

    def _times(self, a: Any, b: Any) -> Any:
        return _product(self.kind, a, b)

    def _with(self, coef: Any) -> Any:
        return Family(self.kind, coef, self.domain, self.window)

    def _coef_of(self, other: Any) -> Any:
        if isinstance(other, Power):
            raise TypeError("Polynomial types differ")
        if isinstance(other, Family):
            if self.kind != other.kind:
                raise TypeError("Polynomial types differ")
            return self._coef_in_domain(other)
        return np.atleast_1d(other) * 1.0

    def deriv(self, m: Any = 1) -> Any:
        c, scale = self.coef, self.mapparms()[1]
        for _ in range(m):
            c = _slopes(self.kind, c) * scale
        return self._with(c)

    def integ(self, m: Any = 1, k: Any = 0.0, lbnd: Any = None) -> Any:
        start, scale = self.mapparms()
        low = 0.0 if lbnd is None else start + scale * lbnd
        c, constants = self.coef, np.atleast_1d(k) * 1.0
        for j in range(m):
            c = _antiderivative(self.kind, c) / scale
            own = constants[j] if j < len(constants) else 0.0
            c[0] += own - Family(self.kind, c, self.window, self.window)(low)
        return self._with(c)

    def convert(self, domain: Any = None, kind: Any = None) -> Any:
        """In the argument itself: of the same kind, or in powers."""
        if domain is not None:
            refuse("convert to another domain", "leave it out, and kind=Polynomial gives powers")
        start, scale = self.mapparms()
        if kind is None:
            usual = np.array([0.0, 1.0]) if self.kind == "Laguerre" else np.array([-1.0, 1.0])
            return Family(self.kind, _moved(self.kind, self.coef, start, scale), usual, None)
        if kind is not np.polynomial.Polynomial:
            refuse("convert to this kind of series", "kind=np.polynomial.Polynomial gives powers")
        return Power(self._of_powers())

    def _of_powers(self) -> Any:
        start, scale = self.mapparms()
        return trimmed(_powers(self.kind, self.coef, start, scale))

    def roots(self) -> Any:
        return np.sort(np.roots(self._of_powers()[::-1]))


def family_fit(kind: Any, x: Any, y: Any, deg: Any, given: Any, w: Any) -> Any:
    """The series of a degree that is nearest to points."""
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    low, high = (np.min(x), np.max(x)) if given is None else (given[0], given[1])
    low, high = (low - 1.0, high + 1.0) if low == high else (low * 1.0, high * 1.0)
    domain = np.array([low, high])
    window = np.array([0.0, 1.0]) if kind == "Laguerre" else np.array([-1.0, 1.0])
    scale = (window[1] - window[0]) / (high - low)
    inner = window[0] + (x - low) * scale
    columns = np.zeros((len(x), deg + 1))
    columns[:, 0] = 1.0
    for k in range(deg):
        a, b, back = steps_of(kind, k)
        columns[:, k + 1] = (a * inner + b) * columns[:, k]
        if k > 0:
            columns[:, k + 1] -= back * columns[:, k - 1]
    right = y
    if w is not None:
        columns, right = columns * np.asarray(w)[:, None], y * w
    sizes = np.sqrt(np.sum(columns * columns, axis=0))
    sizes = np.where(sizes == 0.0, 1.0, sizes)
    found = np.linalg.lstsq(columns / sizes, right, len(x) * 2.220446049250313e-16)[0]
    return Family(kind, found / sizes, domain, None)
