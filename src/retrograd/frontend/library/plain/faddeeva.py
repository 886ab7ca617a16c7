"""The function of Faddeeva and the profile of Voigt (`scipy.special`), of parts of complex numbers.

M. Al Azah, S. N. Chandler-Wilde, Computation of the complex error function using modified
trapezoidal rules, 2021: sums of twelve terms, less residues of poles that are close. Derivatives
are those of the formula w' = 2 i / sqrt(pi) - 2 z w, and of the asymptotic series far away.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.each_element import as_floats
from retrograd.frontend.library.plain.told import WithRule, pair

__all__ = ["voigt_profile", "wofz"]

np: Any = numpy

_COUNT = 12
_STEP = 0.5116633539732443
"""sqrt(pi / 12)."""
_ROOT_PI = 1.7724538509055159


def _sum(real: Any, imag: Any, first: Any, shift: Any) -> Any:
    """The sum over places (k + shift) h from `first` on, of a number in the first quadrant."""
    z = pair(real, imag)
    square, total = z * z, pair(0.0 * real, 0.0 * imag)
    for k in range(first, _COUNT):
        place = ((k + shift) * _STEP) ** 2
        off = square - place
        total = total + np.exp(-place) / np.where(np.abs(off) > 0.0, off, 1.0 + 0j)
    return total * z * (2j * _STEP / np.pi)


def _in_quadrant(x: Any, y: Any) -> Any:
    z, part = pair(x, y), x / _STEP - np.floor(x / _STEP)
    size = np.exp(-2.0 * np.pi / _STEP * y)
    turn = pair(size * np.cos(2.0 * np.pi * part), size * np.sin(2.0 * np.pi * part))
    # Of the exponential of -z * z + 2 i pi z / h: bounded where it is used.
    log = np.minimum((y - x) * (y + x) - 2.0 * np.pi / _STEP * y, 1.0)
    angle = 2.0 * np.pi * part - 2.0 * x * y
    both = pair(np.exp(log) * np.cos(angle), np.exp(log) * np.sin(angle))
    middle, whole = 1.0 + turn, 1.0 - turn
    at_whole = np.logical_and(y < x, np.logical_and(part >= 0.25, part <= 0.75))
    far = y >= np.maximum(x, np.pi / _STEP)
    odd = _sum(x, y, 0, 0.5)
    odd = np.where(far, odd, odd + 2.0 * both / np.where(at_whole, 1.0 + 0j, middle))
    safe = np.where(at_whole, z, 1.0 + 0j)
    even = _sum(x, y, 1, 0.0) + 1j * _STEP / np.pi / safe
    even = even - 2.0 * both / np.where(at_whole, whole, 1.0 + 0j)
    return np.where(at_whole, even, odd)


def _faddeeva(x: Any, y: Any) -> Any:
    found = _in_quadrant(np.abs(x), np.abs(y))
    real, imag = found.real * 1.0, found.imag * np.where(x < 0.0, -1.0, 1.0)
    # Below the real axis it is 2 exp(-z * z) - w(-z).
    low = y < 0.0
    size = 2.0 * np.exp(np.where(low, (y - x) * (y + x), 0.0))
    angle = np.where(low, 2.0 * x * y, 0.0)
    real = np.where(low, size * np.cos(angle) - real, real)
    return real, np.where(low, imag - size * np.sin(angle), imag)


def _slope(x: Any, y: Any) -> Any:
    u, v = faddeeva(x, y)
    z, w = pair(x * 1.0, y * 1.0), pair(u * 1.0, v * 1.0)
    near = 2j / _ROOT_PI - 2.0 * z * w
    away = np.logical_and(x * x + y * y > 400.0, y >= -np.abs(x))
    inverse = 1.0 / np.where(away, z, 20.0 + 0j)
    square = inverse * inverse
    total, term = pair(0.0 * x, 0.0 * y), square
    for k in range(10):
        total = total + (2.0 * k + 1.0) * term
        term = term * square * (k + 0.5)
    return np.where(away, total * (-1j / _ROOT_PI), near)


def _rule(primals: Any, tangents: Any) -> Any:
    x, y = primals
    by = _slope(x, y)
    moved = by * pair(tangents[0] * 1.0, tangents[1] * 1.0)
    return faddeeva(x, y), (moved.real * 1.0, moved.imag * 1.0)


faddeeva = WithRule("jvp", _faddeeva, (), _rule)
"""Both parts of the function of both parts of a number."""


def wofz(z: Any) -> Any:
    z = np.asarray(z)
    real, imag = faddeeva(z.real * 1.0, z.imag * 1.0)
    return pair(real, imag)


def voigt_profile(x: Any, sigma: Any, gamma: Any) -> Any:
    x, sigma, gamma = np.broadcast_arrays(as_floats(x), as_floats(sigma), as_floats(gamma))
    wide = sigma > 0.0
    scale = np.where(wide, sigma, 1.0) * np.sqrt(2.0)
    real, _ = faddeeva(x / scale, gamma / scale)
    apart = np.where(wide, 1.0, x * x + gamma * gamma)
    return np.where(wide, real / (scale * _ROOT_PI), gamma / (np.pi * apart))
