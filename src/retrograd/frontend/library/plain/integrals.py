"""Exponential integrals, the scaled error function and the zeta function of `scipy.special`.

Series and continued fractions are those of DLMF 6.6.2, 6.9.1, 6.12.2 and 7.12.1; the sum of Euler
and Maclaurin is DLMF 25.11.28. Of the first three, derivatives are formulas.
"""

from __future__ import annotations

import math
from typing import Any

import numpy
import scipy.special

from retrograd.frontend.library.plain.each_element import as_floats
from retrograd.frontend.library.plain.told import WithRule

__all__ = [
    "SPECIAL", "erfcx", "exp1", "expi", "gammasgn", "loggamma", "multigammaln", "poch", "zeta",
]  # fmt: skip

np: Any = numpy
special: Any = scipy.special

_EULER = 0.5772156649015329
_ROOT_PI = 1.7724538509055159


def _even_series(x: Any, terms: Any) -> Any:
    """The sum of x**k / (k * k!) from k = 1 on."""
    term, total = x, x
    for k in range(2, terms):
        term = term * x / k
        total = total + term / k
    return total


def _exp1(x: Any) -> Any:
    small = np.where(np.logical_and(x > 0.0, x <= 2.0), x, 1.0)
    near = -_EULER - np.log(small) - _even_series(-small, 32)
    large = np.where(np.logical_and(x > 2.0, x < np.inf), x, 3.0)
    fraction = 0.0 * large
    for k in range(60, 0, -1):
        fraction = k / (1.0 + k / (large + fraction))
    far = np.where(x < np.inf, np.exp(-large) / (large + fraction), 0.0)
    edge = np.where(x == 0.0, np.inf, np.nan)
    return np.where(x > 2.0, far, np.where(x > 0.0, near, edge))


def _exp1_rule(primals: Any, tangents: Any) -> Any:
    x = primals[0]
    return exp1_of(x), -tangents[0] * np.exp(-x) / x


def _expi(x: Any) -> Any:
    small = np.where(np.logical_and(x > 0.0, x <= 40.0), x, 1.0)
    near = _EULER + np.log(small) + _even_series(small, 160)
    large = np.where(np.logical_and(x > 40.0, x < np.inf), x, 50.0)
    total, term = 1.0 + 0.0 * large, 1.0 + 0.0 * large
    for k in range(1, 40):
        term = term * k / large
        total = total + term
    far = np.exp(large) / large * total
    below = -_exp1(np.where(x < 0.0, -x, 1.0))
    edge = np.where(x == 0.0, -np.inf, np.nan)
    positive = np.where(x == np.inf, x, np.where(x > 40.0, far, near))
    return np.where(x > 0.0, positive, np.where(x < 0.0, below, edge))


def _expi_rule(primals: Any, tangents: Any) -> Any:
    x = primals[0]
    return expi_of(x), tangents[0] * np.exp(x) / x


def _erfcx(x: Any) -> Any:
    near = np.where(x < 8.0, x, 1.0)
    large = np.where(np.logical_and(x >= 8.0, x < np.inf), x, 9.0)
    u = 0.5 / (large * large)
    total, term = 1.0 + 0.0 * large, 1.0 + 0.0 * large
    for k in range(1, 26):
        term = -term * (2.0 * k - 1.0) * u
        total = total + term
    close = np.exp(near * near) * special.erfc(near)
    far = np.where(x < np.inf, total / (large * _ROOT_PI), 0.0)
    return np.where(np.isnan(x), x, np.where(x < 8.0, close, far))


def _erfcx_rule(primals: Any, tangents: Any) -> Any:
    x = primals[0]
    found = erfcx_of(x)
    return found, tangents[0] * (2.0 * x * found - 2.0 / _ROOT_PI)


exp1_of = WithRule("jvp", _exp1, (), _exp1_rule)
expi_of = WithRule("jvp", _expi, (), _expi_rule)
erfcx_of = WithRule("jvp", _erfcx, (), _erfcx_rule)


def exp1(z: Any) -> Any:
    return exp1_of(as_floats(z))


def expi(x: Any) -> Any:
    return expi_of(as_floats(x))


def erfcx(x: Any) -> Any:
    return erfcx_of(as_floats(x))


def gammasgn(x: Any) -> Any:
    x = as_floats(x)
    pole = np.logical_and(x < 0.0, np.floor(x) == x)
    odd = np.logical_and(x < 0.0, np.floor(x) % 2.0 != 0.0)
    return np.where(np.logical_or(np.isnan(x), pole), np.nan, np.where(odd, -1.0, 1.0))


def loggamma(z: Any) -> Any:
    """Of real numbers, where the logarithm is real."""
    z = as_floats(z)
    found = special.gammaln(np.where(z >= 0.0, z, 1.0))
    return np.where(z >= 0.0, found, np.nan)


def poch(z: Any, m: Any) -> Any:
    z, m = as_floats(z), as_floats(m)
    if np.any((z <= 0.0) | (z + m <= 0.0)):
        raise ValueError("scipy.special.poch takes positive z and z + m here")
    return np.exp(special.gammaln(z + m) - special.gammaln(z))


def multigammaln(a: Any, d: Any) -> Any:
    a = as_floats(a)
    if np.any(a <= 0.5 * (d - 1.0)):
        raise ValueError("condition a > 0.5 * (d-1) not met")
    total = 0.25 * d * (d - 1.0) * math.log(math.pi) + 0.0 * a
    for j in range(d):
        total = total + special.gammaln(a - 0.5 * j)
    return total


_BERNOULLI = (
    1.0 / 12.0, -1.0 / 720.0, 1.0 / 30240.0, -1.0 / 1209600.0, 1.0 / 47900160.0,
    -691.0 / 1307674368000.0, 1.0 / 74724249600.0, -3617.0 / 10670622842880000.0,
)  # fmt: skip
"""Bernoulli's numbers of 2, 4, .. over the factorials of 2, 4, .."""


def zeta(x: Any, q: Any = 1.0) -> Any:
    """Of real numbers beyond one."""
    x, q = as_floats(x), as_floats(q)
    if np.any((x < 1.0) | (q <= 0.0)):
        raise ValueError("scipy.special.zeta takes x of at least one and positive q here")
    inside = x > 1.0
    s = np.where(inside, np.minimum(x, 1e4), 2.0)
    total = 0.0 * s * q
    for k in range(12):
        total = total + (q + k) ** -s
    end = q + 12.0
    power = end**-s
    total = total + power * end / (s - 1.0) + 0.5 * power
    factor = s * power / end
    for j in range(8):
        total = total + _BERNOULLI[j] * factor
        factor = factor * (s + 2.0 * j + 1.0) * (s + 2.0 * j + 2.0) / (end * end)
    return np.where(inside, total, np.where(x == 1.0, np.inf, np.nan))


SPECIAL = {
    "erfcx": "x", "exp1": "z", "expi": "x", "gammasgn": "x", "loggamma": "z",
    "multigammaln": "a d", "poch": "z m", "zeta": "x q",
}  # fmt: skip
"""Their parameters."""
