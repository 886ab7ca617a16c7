"""Polynomials as objects: arithmetic and fits are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import retrograd as rg
from retrograd.errors import UserError

C = np.array([1.0, -2.0, 0.5, 0.3])


def calculated(c: Any) -> Any:
    p, q = Polynomial(c), Polynomial(c[:2])
    r = (1 - p) * q + 2 * p - q / 3.0 - 1.5 + p % q
    x = np.linspace(0.0, 3.0, 9)
    f = Polynomial.fit(x, np.cos(x) * c[0] + c[1] * x, 3)
    ends = np.array([(p**2)(0.5), f(1.1), f.deriv()(0.4), f.integ()(2.0), p.degree()])
    return np.concatenate((r.coef, f.coef, f.convert().coef, f.domain, f.linspace(4)[1], ends))


def highest_first(c: Any) -> Any:
    p, q = np.poly1d(c), np.poly1d([1.0, 2.0 + c[3]], True)
    found, rest = p / q
    numbers = np.array([(2 * p)(0.1), (p**2)(0.4), p[1], p[7], p.order, (1.0 - p)(0.2)])
    fit = np.poly1d(np.polyfit(np.arange(5.0), np.arange(5.0) ** 2 * c[0], 2))
    return np.concatenate((found.c, rest.c, numbers, fit.coeffs, (p + q).coef, q.r))


def test_values_and_derivatives() -> None:
    for f in (calculated, highest_first):
        value = f(C)
        np.testing.assert_allclose(rg.jit(f)(C), value, rtol=1e-13, atol=1e-13)
        weights, d = np.cos(np.arange(float(value.size))), np.array([0.3, 0.2, -0.5, 0.1])
        rise = (f(C + 1e-5 * d) - f(C - 1e-5 * d)) @ weights / 2e-5
        (slopes,) = rg.vjp(f, C)[1](weights)
        assert abs(slopes @ d - rise) < 1e-8 * (1.0 + abs(rise))


def test_bad_input() -> None:
    with pytest.raises(TypeError, match="Domains differ"):
        rg.jit(lambda c: (Polynomial(c) + Polynomial(c, domain=[0.0, 1.0]))(0.3))(C)
    with pytest.raises(ValueError, match="non-negative"):
        rg.jit(lambda c: (Polynomial(c) ** -1)(0.3))(C)
    with pytest.raises(UserError, match="has no attribute 'cutdeg'"):
        rg.jit(lambda c: Polynomial(c).cutdeg(1)(0.3))(C)
