"""Functions of `np.polynomial` of further bases: values by Clenshaw's recurrence, slopes, sums.

Coefficients are vectors, the constant first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy

from retrograd.frontend.library.plain import series
from retrograd.frontend.library.plain.series import coefficients

__all__ = ["MODULES"]

np: Any = numpy

MODULES: Mapping[str, tuple[str, ...]] = {
    "polynomial": ("polyfromroots", "polypow", "polyvalfromroots"),
    "chebyshev": ("chebadd", "chebder", "chebint", "chebsub"),
    "legendre": ("legadd", "legder", "legint", "legsub"),
    "hermite": ("hermval",), "hermite_e": ("hermeval",), "laguerre": ("lagval",),
}  # fmt: skip
"""The modules of `np.polynomial`, and those of their functions that are here."""


def hermval(x: Any, c: Any) -> Any:
    c, x = coefficients(c), np.asarray(x) * 1.0
    low, high = 0.0 * x, 0.0 * x
    for j in range(len(c)):
        k = len(c) - 1 - j
        low, high = c[k] - high * (2.0 * (k + 1.0)), low + high * (2.0 * x)
    return low + high * (2.0 * x)


def hermeval(x: Any, c: Any) -> Any:
    c, x = coefficients(c), np.asarray(x) * 1.0
    low, high = 0.0 * x, 0.0 * x
    for j in range(len(c)):
        k = len(c) - 1 - j
        low, high = c[k] - high * (k + 1.0), low + high * x
    return low + high * x


def lagval(x: Any, c: Any) -> Any:
    c, x = coefficients(c), np.asarray(x) * 1.0
    low, high = 0.0 * x, 0.0 * x
    for j in range(len(c)):
        n = len(c) + 1.0 - j
        k = len(c) - 1 - j
        low, high = c[k] - high * (n - 1.0) / n, low + high * ((2.0 * n - 1.0) - x) / n
    return low + high * (1.0 - x)


def polyvalfromroots(x: Any, r: Any) -> Any:
    roots, x = coefficients(r), np.asarray(x) * 1.0
    found = 0.0 * x + 1.0
    for k in range(len(roots)):
        found = found * (x - roots[k])
    return found


def polyfromroots(roots: Any) -> Any:
    return np.poly(np.sort(coefficients(roots)))[::-1].copy()


def polypow(c: Any, pow: Any, maxpower: Any = None) -> Any:
    line = coefficients(c)
    if pow < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and pow > maxpower:
        raise ValueError("Power is too large")
    found = np.ones(1)
    for _ in range(pow):
        found = np.convolve(found, line)
    return found


def chebadd(c1: Any, c2: Any) -> Any:
    return series.polyadd(c1, c2)


def chebsub(c1: Any, c2: Any) -> Any:
    return series.polysub(c1, c2)


def legadd(c1: Any, c2: Any) -> Any:
    return series.polyadd(c1, c2)


def legsub(c1: Any, c2: Any) -> Any:
    return series.polysub(c1, c2)


def _slope(c: Any, chebyshev: Any) -> Any:
    n = len(c) - 1
    if n < 1:
        return 0.0 * c[:1]
    c, found = c.copy(), np.zeros(n)
    for k in range(n - 2):
        j = n - k
        found[j - 1] = (2.0 * j if chebyshev else 2.0 * j - 1.0) * c[j]
        c[j - 2] += j * c[j] / (j - 2.0) if chebyshev else c[j]
    if n > 1:
        found[1] = (4.0 if chebyshev else 3.0) * c[2]
    found[0] = c[1]
    return found


def _slopes(c: Any, m: Any, scl: Any, chebyshev: Any) -> Any:
    c = coefficients(c)
    if m < 0:
        raise ValueError("The order of derivation must be non-negative")
    for _ in range(m):
        c = _slope(c * scl, chebyshev)
    return c


def chebder(c: Any, m: Any = 1, scl: Any = 1) -> Any:
    return _slopes(c, m, scl, True)


def legder(c: Any, m: Any = 1, scl: Any = 1) -> Any:
    return _slopes(c, m, scl, False)


def _area(c: Any, chebyshev: Any) -> Any:
    """An integral without its constant."""
    n = len(c)
    found = np.zeros(n + 1)
    found[1] = c[0]
    if n > 1:
        found[2] = c[1] / (4.0 if chebyshev else 3.0)
    for j in range(2, n):
        if chebyshev:
            found[j + 1] = c[j] / (2.0 * (j + 1.0))
            found[j - 1] -= c[j] / (2.0 * (j - 1.0))
        else:
            found[j + 1] = c[j] / (2.0 * j + 1.0)
            found[j - 1] -= c[j] / (2.0 * j + 1.0)
    return found


def _areas(c: Any, given: Any, lbnd: Any, scl: Any, chebyshev: Any) -> Any:
    m, k = given
    c = coefficients(c)
    if m < 0:
        raise ValueError("The order of integration must be non-negative")
    constants = np.zeros(0) if k is None else np.atleast_1d(k) * 1.0
    if len(constants) > m:
        raise ValueError("Too many integration constants")
    for j in range(m):
        c = _area(c * scl, chebyshev)
        own = constants[j] if j < len(constants) else 0.0
        at = series.chebval(lbnd, c) if chebyshev else series.legval(lbnd, c)
        c[0] += own - at
    return c


def chebint(c: Any, m: Any = 1, k: Any = None, lbnd: Any = 0, scl: Any = 1) -> Any:
    return _areas(c, (m, k), lbnd, scl, True)


def legint(c: Any, m: Any = 1, k: Any = None, lbnd: Any = 0, scl: Any = 1) -> Any:
    return _areas(c, (m, k), lbnd, scl, False)
