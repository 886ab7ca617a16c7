"""Dawson's and Fresnel's integrals of `scipy.special`, of which derivatives are formulas.

Sources: Rybicki, Dawson's integral and the sampling theorem (1989); Alazah, Chandler-Wilde and
La Porte, Computing Fresnel integrals via modified trapezium rules (2014); DLMF 7.6.4, 7.6.6, 7.12.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.each_element import as_floats
from retrograd.frontend.library.plain.told import WithRule

__all__ = ["SPECIAL", "dawsn", "fresnel"]

np: Any = numpy

_ROOT_PI = 1.7724538509055159
_FAR = 7.0
"""Beyond it Dawson's integral is its asymptotic series."""
_WIDE = 1e15
"""Beyond it Fresnel's integrals are a half to the last digit."""


def _dawsn_tail(x: Any) -> Any:
    """2 * x times the integral, less one, of large numbers."""
    u = 0.5 / (x * x)
    total, term = 0.0 * x, 1.0 + 0.0 * x
    for k in range(1, 26):
        term = term * (2.0 * k - 1.0) * u
        total = total + term
    return total


def _apart(x: Any) -> Any:
    """Sizes, whether they are large, and what the sum and the series are taken of."""
    size = np.abs(x)
    far = size > _FAR
    large = np.where(np.logical_and(far, size < 1e150), size, 1e150)
    return size, far, np.where(far, 1.0, size), large


def _dawsn(x: Any) -> Any:
    size, far, small, large = _apart(x)
    near = 0.0 * small
    for k in range(27):
        step = 0.25 * (2.0 * k + 1.0)
        away = small - step
        near = near - np.exp(-away * away) * np.expm1(-4.0 * small * step) / (2.0 * k + 1.0)
    beyond = np.where(size < 1e150, (1.0 + _dawsn_tail(large)) / (2.0 * large), 0.5 / size)
    return np.copysign(np.where(far, beyond, near / _ROOT_PI), x)


def _dawsn_rule(primals: Any, tangents: Any) -> Any:
    x = primals[0]
    _, far, _, large = _apart(x)
    found = dawsn_of(x)
    inside = np.where(far, 0.0, x)
    return found, tangents[0] * np.where(far, -_dawsn_tail(large), 1.0 - 2.0 * inside * found)


dawsn_of = WithRule("jvp", _dawsn, (), _dawsn_rule)


def dawsn(x: Any) -> Any:
    return dawsn_of(as_floats(x))


def _angle(x: Any) -> Any:
    """pi / 2 times the square, less whole turns, which are taken off before it is rounded."""
    return 0.5 * np.pi * ((x * x) % 4.0)


def _fresnel_series(x: Any) -> Any:
    """Sums of powers, of numbers of at most 1.2."""
    square = 0.5 * np.pi * x * x
    term = x
    c, s = x, 0.0 * x
    for k in range(1, 26):
        term = term * square / k
        part = term / (2.0 * k + 1.0)
        sign = 1.0 if k % 4 < 2 else -1.0
        if k % 2 == 0:
            c = c + sign * part
        else:
            s = s + sign * part
    return s, c


def _fresnel_sums(x: Any) -> Any:
    """The trapezium rule with the residue of its pole, of numbers of at least 1.2.

    What is left of the integrals beyond x is exp(i * pi / 4) * sqrt(2) times `real + i * imag`.
    """
    end = np.sqrt(12.5 * np.pi)
    y = x * np.sqrt(0.5 * np.pi)
    square = y * y
    real, imag = 0.0 * y, 0.0 * y
    for k in range(12):
        node = ((k + 0.5) * np.pi / end) ** 2
        weight = np.exp(-node) / (square * square + node * node)
        real = real + weight * square
        imag = imag - weight * node
    turn = _angle(x) + 0.25 * np.pi
    p, q = np.cos(turn) * (y / end), np.sin(turn) * (y / end)
    real, imag = p * real - q * imag, p * imag + q * real
    angle = np.sqrt(2.0) * end * y
    small = np.exp(-angle)
    along, across = np.cos(angle) + small, np.sin(angle)
    pole = small / (along * along + across * across)
    real, imag = real + pole * along, imag + pole * across
    return 0.5 - (real + imag), 0.5 - (real - imag)


def _fresnel(x: Any) -> Any:
    size = np.abs(x)
    near = size < 1.2
    middle = np.logical_and(size >= 1.2, size < _WIDE)
    s_near, c_near = _fresnel_series(np.where(near, size, 0.0))
    s_far, c_far = _fresnel_sums(np.where(middle, size, 2.0))
    edge = np.where(np.isnan(x), x, 0.5)
    s = np.where(near, s_near, np.where(middle, s_far, edge))
    c = np.where(near, c_near, np.where(middle, c_far, edge))
    return np.where(x < 0.0, -s, s), np.where(x < 0.0, -c, c)


def _fresnel_rule(primals: Any, tangents: Any) -> Any:
    x = primals[0]
    angle = _angle(x)
    return fresnel_of(x), (tangents[0] * np.sin(angle), tangents[0] * np.cos(angle))


fresnel_of = WithRule("jvp", _fresnel, (), _fresnel_rule)


def fresnel(z: Any) -> Any:
    s, c = fresnel_of(as_floats(z))
    return s, c


SPECIAL = {"dawsn": "x", "fresnel": "z"}
"""Their parameters."""
