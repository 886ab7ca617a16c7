"""Polynomials as objects of the program: `np.polynomial.Polynomial` and `np.poly1d`."""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["Highest", "Power", "Series", "added", "power_fit", "trimmed"]

np: Any = numpy


def trimmed(c: Any) -> Any:
    """Without zeros at the end, but for one number."""
    n = len(c)
    while n > 1 and c[n - 1] == 0.0:
        n -= 1
    return c[:n].copy()


def added(a: Any, b: Any, sign: Any) -> Any:
    """The sum or difference of coefficients, the constant first."""
    out = np.zeros(max(len(a), len(b)))
    out[: len(a)] = a
    out[: len(b)] += sign * b
    return out


def _sum(a: Any, b: Any, sign: Any) -> Any:
    return trimmed(added(a, b, sign))


def _quotient(a: Any, b: Any) -> Any:
    """The quotient and the remainder of coefficients, the constant first."""
    if b[-1] == 0.0:
        raise ZeroDivisionError("the divisor's highest coefficient is zero")
    if len(a) < len(b):
        return np.zeros(1), a.copy()
    rest, count = a.copy(), len(a) - len(b) + 1
    found = np.zeros(count)
    for k in range(count):
        at = count - 1 - k
        found[at] = rest[at + len(b) - 1] / b[-1]
        rest[at : at + len(b)] -= found[at] * b
    return found, trimmed(rest[: max(len(b) - 1, 1)] if len(b) > 1 else np.zeros(1))


def _power(c: Any, exponent: Any) -> Any:
    if exponent < 0:
        raise ValueError("Power must be a non-negative integer.")
    found = np.ones(1)
    for _ in range(exponent):
        found = np.convolve(found, c)
    return found


class Series:
    """What series of polynomials of all kinds have: a place within the domain, and arithmetic.

    A class of them says how coefficients are multiplied (`_times`), which series has others
    (`_with`), and which ones an operand has (`_coef_of`).
    """

    coef: Any
    domain: Any
    window: Any

    def _times(self, a: Any, b: Any) -> Any: ...
    def _with(self, coef: Any) -> Any: ...
    def _coef_of(self, other: Any) -> Any: ...
    def __call__(self, arg: Any) -> Any: ...

    def mapparms(self) -> Any:
        low, high = self.domain[0], self.domain[1]
        first, last = self.window[0], self.window[1]
        width = high - low
        return (high * first - low * last) / width, (last - first) / width

    def _coef_in_domain(self, other: Any) -> Any:
        """The coefficients of a series of the same kind."""
        if np.any(self.domain != other.domain) or np.any(self.window != other.window):
            raise TypeError("Domains differ")
        return other.coef

    def __neg__(self) -> Any:
        return self._with(-self.coef)

    def __pos__(self) -> Any:
        return self

    def __add__(self, other: Any) -> Any:
        return self._with(trimmed(added(self.coef, self._coef_of(other), 1.0)))

    def __radd__(self, other: Any) -> Any:
        return self._with(trimmed(added(self.coef, self._coef_of(other), 1.0)))

    def __sub__(self, other: Any) -> Any:
        return self._with(trimmed(added(self.coef, self._coef_of(other), -1.0)))

    def __rsub__(self, other: Any) -> Any:
        return self._with(trimmed(added(self._coef_of(other), self.coef, -1.0)))

    def __mul__(self, other: Any) -> Any:
        return self._with(trimmed(self._times(self.coef, self._coef_of(other))))

    def __rmul__(self, other: Any) -> Any:
        return self._with(trimmed(self._times(self.coef, self._coef_of(other))))

    def __truediv__(self, other: Any) -> Any:
        return self._with(self.coef / other)

    def __pow__(self, other: Any) -> Any:
        if other < 0:
            raise ValueError("Power must be a non-negative integer.")
        found = np.ones(1)
        for _ in range(other):
            found = self._times(found, self.coef)
        return self._with(found)

    def degree(self) -> Any:
        return len(self.coef) - 1

    def linspace(self, n: Any = 100, domain: Any = None) -> Any:
        ends = self.domain if domain is None else domain
        x = np.linspace(ends[0], ends[1], n)
        return x, self(x)

    def trim(self) -> Any:
        return self._with(trimmed(self.coef))

    def copy(self) -> Any:
        return self._with(self.coef.copy())

    def __len__(self) -> int:
        return len(self.coef)


class Power(Series):
    """`np.polynomial.Polynomial`: coefficients of powers, the constant first."""

    def __init__(self, coef: Any, domain: Any = None, window: Any = None) -> None:
        given = np.atleast_1d(coef) * 1.0
        if given.ndim != 1 or len(given) == 0:
            raise ValueError("Coefficient array is not 1-d, or empty")
        self.coef = given
        self.domain = np.array([-1.0, 1.0]) if domain is None else np.asarray(domain) * 1.0
        self.window = np.array([-1.0, 1.0]) if window is None else np.asarray(window) * 1.0

    def __call__(self, arg: Any) -> Any:
        start, scale = self.mapparms()
        return np.polyval(self.coef[::-1], start + scale * np.asarray(arg))

    def _times(self, a: Any, b: Any) -> Any:
        return np.convolve(a, b)

    def _with(self, coef: Any) -> Any:
        return Power(coef, self.domain, self.window)

    def _coef_of(self, other: Any) -> Any:
        if isinstance(other, Power):
            return self._coef_in_domain(other)
        return np.atleast_1d(other) * 1.0

    def __floordiv__(self, other: Any) -> Any:
        return self._with(_quotient(self.coef, self._coef_of(other))[0])

    def __mod__(self, other: Any) -> Any:
        return self._with(_quotient(self.coef, self._coef_of(other))[1])

    def deriv(self, m: Any = 1) -> Any:
        c, scale = self.coef, self.mapparms()[1]
        for _ in range(m):
            c = c[1:] * np.arange(1, len(c)) * scale if len(c) > 1 else np.zeros(1)
        return self._with(c)

    def integ(self, m: Any = 1, k: Any = 0.0, lbnd: Any = None) -> Any:
        start, scale = self.mapparms()
        low = 0.0 if lbnd is None else start + scale * lbnd
        c, constants = self.coef, np.atleast_1d(k) * 1.0
        for j in range(m):
            c = np.concatenate((np.zeros(1), c / np.arange(1, len(c) + 1) / scale))
            own = constants[j] if j < len(constants) else 0.0
            c[0] = own - np.polyval(c[::-1], low)
        return self._with(c)

    def roots(self) -> Any:
        start, scale = self.mapparms()
        return (np.sort(np.roots(self.coef[::-1])) - start) / scale

    def convert(self) -> Any:
        """In powers of the argument itself."""
        start, scale = self.mapparms()
        found, line = np.zeros(1), np.array([start, scale])
        for k in range(len(self.coef)):
            found = _sum(
                np.convolve(found, line),
                self.coef[len(self.coef) - 1 - k : len(self.coef) - k],
                1.0,
            )
        return Power(found)


def power_fit(
    x: Any, y: Any, deg: Any, domain: Any = None, rcond: Any = None, w: Any = None
) -> Any:
    """`Polynomial.fit`, in powers of the place within the domain."""
    x = np.asarray(x) * 1.0
    low, high = (np.min(x), np.max(x)) if domain is None else (domain[0], domain[1])
    low, high = (low - 1.0, high + 1.0) if low == high else (low * 1.0, high * 1.0)
    inner = (x - low) * (2.0 / (high - low)) - 1.0
    return Power(np.polyfit(inner, y, deg, rcond, False, w)[::-1], np.array([low, high]))


class Highest:
    """`np.poly1d`: coefficients of powers, the highest first."""

    def __init__(self, c_or_r: Any, r: Any = False) -> None:
        given = np.poly(c_or_r) if r else np.atleast_1d(c_or_r) * 1.0
        if given.ndim != 1:
            raise ValueError("Polynomial must be 1d only.")
        self.coeffs = trimmed(given[::-1])[::-1].copy() if len(given) > 0 else np.zeros(1)

    @property
    def c(self) -> Any:
        return self.coeffs

    @property
    def coef(self) -> Any:
        return self.coeffs

    @property
    def order(self) -> Any:
        return len(self.coeffs) - 1

    @property
    def o(self) -> Any:
        return len(self.coeffs) - 1

    @property
    def roots(self) -> Any:
        return np.roots(self.coeffs)

    @property
    def r(self) -> Any:
        return np.roots(self.coeffs)

    def __call__(self, val: Any) -> Any:
        return np.polyval(self.coeffs, val)

    def __array__(self) -> Any:
        return self.coeffs

    def __len__(self) -> int:
        return len(self.coeffs) - 1

    def __getitem__(self, power: Any) -> Any:
        """The coefficient of a power, zero beyond the highest."""
        order = len(self.coeffs) - 1
        return self.coeffs[order - power] if 0 <= power <= order else 0.0

    def __neg__(self) -> Any:
        return Highest(-self.coeffs)

    def __add__(self, other: Any) -> Any:
        return Highest(np.polyadd(self.coeffs, _highest(other)))

    def __radd__(self, other: Any) -> Any:
        return Highest(np.polyadd(_highest(other), self.coeffs))

    def __sub__(self, other: Any) -> Any:
        return Highest(np.polysub(self.coeffs, _highest(other)))

    def __rsub__(self, other: Any) -> Any:
        return Highest(np.polysub(_highest(other), self.coeffs))

    def __mul__(self, other: Any) -> Any:
        return Highest(np.convolve(self.coeffs, _highest(other)))

    def __rmul__(self, other: Any) -> Any:
        return Highest(np.convolve(_highest(other), self.coeffs))

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Highest):
            found, rest = _quotient(self.coeffs[::-1], other.coeffs[::-1])
            return Highest(found[::-1]), Highest(rest[::-1])
        return Highest(self.coeffs / other)

    def __pow__(self, other: Any) -> Any:
        return Highest(_power(self.coeffs, other))

    def deriv(self, m: Any = 1) -> Any:
        return Highest(np.polyder(self.coeffs, m))

    def integ(self, m: Any = 1, k: Any = 0.0) -> Any:
        return Highest(np.polyint(self.coeffs, m, k))


def _highest(other: Any) -> Any:
    return other.coeffs if isinstance(other, Highest) else np.atleast_1d(other) * 1.0
