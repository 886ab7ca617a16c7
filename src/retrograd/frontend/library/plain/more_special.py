"""Elliptic integrals and functions, integrals of sines, exponentials and logarithms, spherical
Bessel functions, Legendre's functions and sums of distributions of `scipy.special`.

B. C. Carlson, Numerical computation of real or complex elliptic integrals, 1995; M. Abramowitz and
I. A. Stegun, Handbook of mathematical functions, 16.4; DLMF 6.6, 6.9, 8.19, 9.6, 10.29, 14.10,
25.12. Derivatives of integrals are what is integrated.
"""

from __future__ import annotations

import math
from typing import Any

import numpy
import scipy.special

from retrograd.frontend.library import written_special
from retrograd.frontend.library.plain.each_element import as_floats, of_each
from retrograd.frontend.library.plain.told import WithRule, pair

__all__ = ["SPECIAL"]

np: Any = numpy
special: Any = scipy.special


def _first_kind(x: Any, y: Any, z: Any) -> Any:
    """Carlson's R_F."""
    for _ in range(11):
        root = np.sqrt(x * y) + np.sqrt(y * z) + np.sqrt(z * x)
        x, y, z = (x + root) / 4.0, (y + root) / 4.0, (z + root) / 4.0
    mean = (x + y + z) / 3.0
    a, b = 1.0 - x / mean, 1.0 - y / mean
    c = -a - b
    two, three = a * b - c * c, a * b * c
    return (1.0 - two / 10.0 + three / 14.0 + two * two / 24.0) / np.sqrt(mean)


def _second_kind(x: Any, y: Any, z: Any) -> Any:
    """Carlson's R_D."""
    total, factor = 0.0 * x, 1.0
    for _ in range(13):
        root = np.sqrt(x * y) + np.sqrt(y * z) + np.sqrt(z * x)
        total = total + factor / (np.sqrt(z) * (z + root))
        factor = factor / 4.0
        x, y, z = (x + root) / 4.0, (y + root) / 4.0, (z + root) / 4.0
    mean = (x + y + 3.0 * z) / 5.0
    a, b = 1.0 - x / mean, 1.0 - y / mean
    c = (-a - b) / 3.0
    two, three = a * b - 6.0 * c * c, (3.0 * a * b - 8.0 * c * c) * c
    series = 1.0 - 3.0 * two / 14.0 + three / 6.0
    return 3.0 * total + factor * series / (mean * np.sqrt(mean))


def _periods(phi: Any) -> Any:
    """How many half turns an angle has, and the rest."""
    turns = np.round(phi / np.pi)
    return turns, phi - turns * np.pi


def ellipkinc(phi: Any, m: Any) -> Any:
    phi, m = as_floats(phi), as_floats(m)
    turns, rest = _periods(phi)
    s, c = np.sin(rest), np.cos(rest)
    found = s * _first_kind(c * c, 1.0 - m * s * s, 1.0 + 0.0 * s)
    some = turns != 0.0
    whole = special.ellipk(np.where(some, m, 0.0))
    return np.where(some, found + 2.0 * np.where(m == 1.0, np.abs(turns), turns) * whole, found)


def ellipeinc(phi: Any, m: Any) -> Any:
    phi, m = as_floats(phi), as_floats(m)
    turns, rest = _periods(phi)
    s, c = np.sin(rest), np.cos(rest)
    one = 1.0 + 0.0 * s
    first = s * _first_kind(c * c, 1.0 - m * s * s, one)
    found = first - m * s**3 / 3.0 * _second_kind(c * c, 1.0 - m * s * s, one)
    return found + 2.0 * turns * special.ellipe(m)


def ellipj(u: Any, m: Any) -> Any:
    u, m = as_floats(u), as_floats(m)
    a, b, c = 1.0 + 0.0 * m * u, np.sqrt(1.0 - m) + 0.0 * u, np.sqrt(m) + 0.0 * u
    means, halves = np.zeros((10, *a.shape)), np.zeros((10, *a.shape))
    for k in range(10):
        means[k], halves[k] = a, c
        a, b, c = (a + b) / 2.0, np.sqrt(a * b), (a - b) / 2.0
    phi = 2.0**10 * a * u
    last = c
    for k in range(10):
        phi = (phi + np.arcsin(np.clip(last * np.sin(phi) / a, -1.0, 1.0))) / 2.0
        a, last = means[9 - k], halves[9 - k]
    s = np.sin(phi)
    return s, np.cos(phi), np.sqrt(1.0 - m * s * s), phi


def agm(a: Any, b: Any) -> Any:
    a, b = as_floats(a), as_floats(b)
    one, other = np.abs(a) + 0.0 * b, np.abs(b) + 0.0 * a
    for _ in range(12):
        one, other = (one + other) / 2.0, np.sqrt(one * other)
    sign = np.where(a < 0.0, -1.0, 1.0)
    return np.where(a * b <= 0.0, np.where(a * b == 0.0, 0.0, np.nan), sign * one)


def expn(n: Any, x: Any) -> Any:
    return of_each(written_special.expn, written_special.every_expn, n, x)


def _sines(x: Any) -> Any:
    return of_each(written_special.sine_integral, written_special.every_sine, x)


def _cosines(x: Any) -> Any:
    return of_each(written_special.cosine_integral, written_special.every_cosine, x)


def _sines_rule(primals: Any, tangents: Any) -> Any:
    x = primals[0]
    return sines_of(x), tangents[0] * np.sinc(x / np.pi)


def _cosines_rule(primals: Any, tangents: Any) -> Any:
    x = primals[0]
    return cosines_of(x), tangents[0] * np.cos(x) / x


sines_of = WithRule("jvp", _sines, (), _sines_rule)
cosines_of = WithRule("jvp", _cosines, (), _cosines_rule)


def sici(x: Any) -> Any:
    x = as_floats(x)
    return sines_of(x), cosines_of(x)


def _odd_series(x: Any) -> Any:
    """The integral of sinh(t) / t."""
    term, total = x, x
    for k in range(1, 16):
        term = term * x * x / ((2.0 * k) * (2.0 * k + 1.0))
        total = total + term / (2.0 * k + 1.0)
    return total


def _even_series(x: Any) -> Any:
    """The integral of (cosh(t) - 1) / t."""
    term, total = 1.0 + 0.0 * x, 0.0 * x
    for k in range(1, 17):
        term = term * x * x / ((2.0 * k - 1.0) * (2.0 * k))
        total = total + term / (2.0 * k)
    return total


def shichi(x: Any) -> Any:
    x = as_floats(x)
    near = np.abs(x) <= 3.0
    small, large = np.where(near, x, 1.0), np.where(near, 4.0, np.abs(x))
    rises, falls = special.expi(large), special.exp1(large)
    far = np.sign(x) * (rises + falls) / 2.0
    sizes = np.where(small == 0.0, 1.0, np.abs(small))
    close = 0.5772156649015329 + np.log(sizes) + _even_series(small)
    even = np.where(near, close, (rises - falls) / 2.0)
    return np.where(near, _odd_series(small), far), np.where(x == 0.0, -np.inf, even)


def _dilogarithm(y: Any) -> Any:
    """The sum of y**k / k**2, for y between -1 and 1/2."""
    bent = np.where(y < 0.0, y / (y - 1.0), y)
    power, total = bent, bent
    for k in range(2, 56):
        power = power * bent
        total = total + power / (k * k)
    return np.where(y < 0.0, -total - 0.5 * np.log1p(-y) ** 2, total)


def _spence(z: Any) -> Any:
    y = 1.0 - z
    third = np.pi**2 / 6.0
    middle = np.logical_and(y >= -1.0, y <= 0.5)
    close = _dilogarithm(np.where(middle, y, 0.0))
    high = np.logical_and(y > 0.5, z > 0.0)
    u = np.where(high, z, 0.5)
    near = third - np.log(u) * np.log1p(-u) - _dilogarithm(u)
    low = np.where(y < -1.0, y, -2.0)
    far = -third - 0.5 * np.log(-low) ** 2 - _dilogarithm(1.0 / low)
    found = np.where(middle, close, np.where(high, near, far))
    return np.where(z < 0.0, np.nan, np.where(z == 0.0, third, found))


def _spence_rule(primals: Any, tangents: Any) -> Any:
    z = primals[0]
    off = np.where(z == 1.0, 0.5, 1.0 - z)
    return spence_of(z), tangents[0] * np.where(z == 1.0, -1.0, np.log(z) / off)


spence_of = WithRule("jvp", _spence, (), _spence_rule)


def spence(z: Any) -> Any:
    return spence_of(as_floats(z))


def _spherical(n: Any, z: Any, first: Any) -> Any:
    z = as_floats(z)
    size = np.where(z == 0.0, 1.0, np.abs(z))
    by = np.sqrt(0.5 * np.pi / size)
    turned = np.where(np.logical_and(z < 0.0, np.asarray(n) % 2 == (1 if first else 0)), -by, by)
    if first:
        start = np.where(np.asarray(n) == 0, 1.0, 0.0)
        return np.where(z == 0.0, start, turned * special.jv(n + 0.5, size))
    return np.where(z == 0.0, -np.inf, turned * special.yv(n + 0.5, size))


def _spherical_slope(n: Any, z: Any, first: Any) -> Any:
    z = as_floats(z)
    if n == 0:
        return -_spherical(1, z, first)
    part = (n + 1.0) / np.where(z == 0.0, 1.0, z) * _spherical(n, z, first)
    inner = _spherical(n - 1, z, first) - part
    return np.where(z == 0.0, 1.0 / 3.0 if n == 1 else 0.0, inner)


def spherical_jn(n: Any, z: Any, derivative: Any = False) -> Any:
    return _spherical_slope(n, z, True) if derivative else _spherical(n, z, True)


def spherical_yn(n: Any, z: Any, derivative: Any = False) -> Any:
    return _spherical_slope(n, z, False) if derivative else _spherical(n, z, False)


def _binomials(n: Any, k: Any) -> Any:
    return special.binom(n * 1.0, k * 1.0)


def jvp(v: Any, z: Any, n: Any = 1) -> Any:
    total: Any = 0.0
    for k in range(n + 1):
        total = total + (-1.0) ** k * _binomials(n, k) * special.jv(v - n + 2 * k, z)
    return total / 2.0**n


def yvp(v: Any, z: Any, n: Any = 1) -> Any:
    total: Any = 0.0
    for k in range(n + 1):
        total = total + (-1.0) ** k * _binomials(n, k) * special.yv(v - n + 2 * k, z)
    return total / 2.0**n


def ivp(v: Any, z: Any, n: Any = 1) -> Any:
    total: Any = 0.0
    for k in range(n + 1):
        total = total + _binomials(n, k) * special.iv(v - n + 2 * k, z)
    return total / 2.0**n


def kvp(v: Any, z: Any, n: Any = 1) -> Any:
    total: Any = 0.0
    for k in range(n + 1):
        total = total + _binomials(n, k) * special.kv(v - n + 2 * k, z)
    return total * (-0.5) ** n


def _positive(z: Any) -> Any:
    if np.any(np.asarray(z) < 0.0):
        raise ValueError("Hankel functions take positive numbers here")
    return as_floats(z)


def hankel1(v: Any, z: Any) -> Any:
    z = _positive(z)
    return pair(special.jv(v, z), special.yv(v, z))


def hankel2(v: Any, z: Any) -> Any:
    z = _positive(z)
    return pair(special.jv(v, z), -special.yv(v, z))


def _legendre(m: Any, n: Any, x: Any) -> Any:
    """Legendre's function of whole degree n and order m >= 0."""
    last, found = 0.0 * x, 1.0 + 0.0 * x
    for k in range(m):
        found = -found * (2.0 * k + 1.0) * np.sqrt((1.0 - x) * (1.0 + x))
    for k in range(m, n):
        last, found = found, ((2.0 * k + 1.0) * x * found - (k + m) * last) / (k - m + 1.0)
    return found if n >= m else 0.0 * x


def lpmv(m: Any, v: Any, x: Any) -> Any:
    if np.ndim(m) > 0 or np.ndim(v) > 0:
        raise ValueError("scipy.special.lpmv takes one order and one degree here")
    order, degree = int(m), int(v)
    if degree != v or order != m or degree < 0:
        raise ValueError("scipy.special.lpmv takes a whole order and degree here")
    found = _legendre(abs(order), degree, as_floats(x))
    for k in range(degree - abs(order) + 1, degree + abs(order) + 1):
        found = -found / k if order < 0 and k % 2 == 0 else found / k if order < 0 else found
    return found


def sph_harm_y(n: Any, m: Any, theta: Any, phi: Any) -> Any:
    if np.ndim(m) > 0 or np.ndim(n) > 0:
        raise ValueError("scipy.special.sph_harm_y takes one degree and one order here")
    theta, phi = as_floats(theta), as_floats(phi)
    size: Any = 2.0 * n + 1.0
    for k in range(n - abs(m) + 1, n + abs(m) + 1):
        size = size / k
    found = np.sqrt(size / (4.0 * np.pi)) * _legendre(abs(m), n, np.cos(theta))
    sign = -1.0 if m < 0 and m % 2 != 0 else 1.0
    return pair(sign * found * np.cos(m * phi), sign * found * np.sin(m * phi))


def gdtr(a: Any, b: Any, x: Any) -> Any:
    return special.gammainc(b, as_floats(a) * x)


def gdtrc(a: Any, b: Any, x: Any) -> Any:
    return special.gammaincc(b, as_floats(a) * x)


def pdtr(k: Any, m: Any) -> Any:
    return special.gammaincc(np.floor(as_floats(k)) + 1.0, m)


def pdtrc(k: Any, m: Any) -> Any:
    return special.gammainc(np.floor(as_floats(k)) + 1.0, m)


def bdtr(k: Any, n: Any, p: Any) -> Any:
    k, n = np.floor(as_floats(k)), as_floats(n)
    inner = np.where(k < n, k, n - 1.0)
    return np.where(k >= n, 1.0, special.betainc(n - inner, inner + 1.0, 1.0 - as_floats(p)))


def bdtrc(k: Any, n: Any, p: Any) -> Any:
    k, n = np.floor(as_floats(k)), as_floats(n)
    inner = np.where(k < n, k, n - 1.0)
    return np.where(k >= n, 0.0, special.betainc(inner + 1.0, n - inner, as_floats(p)))


def nbdtr(k: Any, n: Any, p: Any) -> Any:
    return special.betainc(as_floats(n), np.floor(as_floats(k)) + 1.0, p)


def nbdtrc(k: Any, n: Any, p: Any) -> Any:
    return special.betainc(np.floor(as_floats(k)) + 1.0, as_floats(n), 1.0 - as_floats(p))


def zetac(x: Any) -> Any:
    return special.zeta(x) - 1.0


def cosm1(x: Any) -> Any:
    return -2.0 * np.sin(0.5 * as_floats(x)) ** 2


def powm1(x: Any, y: Any) -> Any:
    return np.expm1(y * np.log(as_floats(x)))


def diric(x: Any, n: Any) -> Any:
    x = as_floats(x)
    below = np.sin(0.5 * x)
    flat = np.abs(below) < 1e-9
    turns = np.round(x / (2.0 * np.pi))
    at = np.cos(np.pi * turns * (n - 1.0))
    return np.where(flat, at, np.sin(0.5 * n * x) / (n * np.where(flat, 1.0, below)))


def perm(N: Any, k: Any, exact: Any = False) -> Any:
    if exact:
        return math.perm(N, k)
    if np.ndim(k) > 0:
        raise ValueError("scipy.special.perm takes one number of places here")
    total = 1.0 + 0.0 * as_floats(N)
    for j in range(int(k)):
        total = total * (N - j)
    return np.where((np.asarray(N) < k) | (np.asarray(k) < 0), 0.0, total)


SPECIAL = {
    "ellipkinc": "phi m", "ellipeinc": "phi m", "ellipj": "u m", "agm": "a b", "expn": "n x",
    "sici": "x", "shichi": "x", "spence": "z", "spherical_jn": "", "spherical_yn": "",
    "jvp": "", "yvp": "", "ivp": "", "kvp": "", "hankel1": "v z", "hankel2": "v z",
    "lpmv": "m v x", "sph_harm_y": "n m theta phi", "gdtr": "a b x", "gdtrc": "a b x",
    "pdtr": "k m", "pdtrc": "k m", "bdtr": "k n p", "bdtrc": "k n p", "nbdtr": "k n p",
    "nbdtrc": "k n p", "zetac": "x", "cosm1": "x", "powm1": "x y", "diric": "", "perm": "",
}  # fmt: skip
"""Functions, with their parameters where Python cannot be asked for them."""
