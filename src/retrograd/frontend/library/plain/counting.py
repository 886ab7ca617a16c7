"""Binomials and their kin, and short formulas of `scipy.special`."""

from __future__ import annotations

from typing import Any

import numpy
import scipy.special

from retrograd.frontend.library.plain.each_element import as_floats
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "binom", "comb", "cosdg", "exp10", "exprel", "huber", "inv_boxcox", "pseudo_huber",
    "radian", "rgamma", "sindg", "tandg",
]  # fmt: skip

np: Any = numpy
special: Any = scipy.special

_DEGREE = 0.017453292519943295


def rgamma(z: Any) -> Any:
    z = as_floats(z)
    pole = (z <= 0.0) & (z == np.floor(z))
    return np.where(pole, 0.0, 1.0 / special.gamma(np.where(pole, 1.0, z)))


def _whole_binomial(n: Any, k: Any) -> Any:
    """Of ints, as floats."""
    found = 1.0
    for i in range(1, min(k, n - k) + 1):
        found = found * ((n - min(k, n - k) + i) / i)
    return np.round(found) if found < 9007199254740992.0 else found


def binom(x: Any, y: Any) -> Any:
    x, y = as_floats(x), as_floats(y)
    whole = (x <= -1.0) & (x == np.floor(x))
    n = np.where(whole, 1.0, x)
    sides = special.gammaln(y + 1.0) + special.gammaln(n - y + 1.0)
    size = np.exp(special.gammaln(n + 1.0) - sides)
    signs = _sign(n + 1.0) * _sign(y + 1.0) * _sign(n - y + 1.0)
    return np.where(whole, np.nan, signs * size)


def _sign(x: Any) -> Any:
    """The sign of the gamma function, 0 at its poles, over which is divided here."""
    below = np.floor(x)
    pole = (x <= 0.0) & (x == below)
    odd = np.where(x < 0.0, np.mod(-below, 2.0), 0.0)
    return np.where(pole, 0.0, 1.0 - 2.0 * odd)


def comb(N: Any, k: Any, exact: Any = False, repetition: Any = False) -> Any:
    if repetition:
        return comb(N + k - 1, k, exact)
    if np.ndim(N) > 0 or np.ndim(k) > 0:
        return _binomials(np.asarray(N), np.asarray(k), exact)
    if np.asarray(N).dtype == np.int64 and np.asarray(k).dtype == np.int64:
        found = 0.0 if k < 0 or N < 0 or k > N else _whole_binomial(N, k)
        return int(found) if exact else found
    if exact:
        raise ValueError("exact takes ints")
    return 0.0 if k < 0 or N < 0 or k > N else binom(N, k)


def _binomials(n: Any, k: Any, exact: Any) -> Any:
    """Binomial coefficients of arrays: of ints they are whole, where floats are."""
    if exact:
        refuse("scipy.special.comb of arrays with exact=True", "leave `exact` out")
    found = binom(n, k)
    if n.dtype != np.float64 and k.dtype != np.float64:
        found = np.where(found < 4503599627370496.0, np.rint(found), found)
    return np.where((k >= 0) & (n >= 0) & (k <= n), found, 0.0)


def exp10(x: Any) -> Any:
    return 10.0 ** as_floats(x)


def _turn(x: Any, whole: Any) -> Any:
    """Degrees within a turn, in radians; infinite ones have no sine, and SciPy's is zero."""
    return np.mod(np.where(np.isinf(x), 0.0, x), whole) * _DEGREE


def sindg(x: Any) -> Any:
    x = as_floats(x)
    return np.where(np.isinf(x), 0.0, np.sin(_turn(x, 360.0)))


def cosdg(x: Any) -> Any:
    x = as_floats(x)
    return np.where(np.isinf(x), 0.0, np.cos(_turn(x, 360.0)))


def tandg(x: Any) -> Any:
    x = as_floats(x)
    return np.where(np.isinf(x), 0.0, np.tan(_turn(x, 180.0)))


def radian(d: Any, m: Any, s: Any) -> Any:
    return ((as_floats(s) / 60.0 + m) / 60.0 + d) * _DEGREE


def huber(delta: Any, r: Any) -> Any:
    delta, r = as_floats(delta), as_floats(r)
    inside = np.abs(r) <= delta
    found = np.where(inside, 0.5 * r * r, delta * (np.abs(r) - 0.5 * delta))
    return np.where(delta < 0.0, np.inf, found)


def pseudo_huber(delta: Any, r: Any) -> Any:
    delta, r = as_floats(delta), as_floats(r)
    safe = np.where(delta <= 0.0, 1.0, delta)
    v = r / safe
    found = safe * safe * (v * v / (1.0 + np.sqrt(1.0 + v * v)))
    return np.where(delta < 0.0, np.inf, np.where(delta == 0.0, 0.0, found))


def exprel(x: Any) -> Any:
    x = as_floats(x)
    small = np.abs(x) < 1e-5
    safe = np.where(small, 1.0, x)
    series = 1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0)))
    return np.where(small, series, np.expm1(safe) / safe)


def inv_boxcox(y: Any, lmbda: Any) -> Any:
    y, lmbda = as_floats(y), as_floats(lmbda)
    none = lmbda == 0.0
    safe = np.where(none, 1.0, lmbda)
    inside = np.where(none, 0.0, lmbda * y)
    return np.where(none, np.exp(y), np.exp(np.log1p(inside) / safe))
