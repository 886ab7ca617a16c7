"""Series of orthogonal polynomials as objects: arithmetic, fits and derivatives are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Chebyshev, Hermite, HermiteE, Laguerre, Legendre, Polynomial

import retrograd as rg
from retrograd.errors import UserError

pytestmark = pytest.mark.thinned(2)

C = np.array([1.0, -0.7, 0.5, 0.3])


def chebyshev(c: Any) -> Any:
    p, q = Chebyshev(c), Chebyshev(c[:2])
    f = Chebyshev.fit(
        np.arange(6.0), np.cos(np.arange(6.0)) * c[0], 3, w=np.arange(6.0) + c[1] ** 2
    )
    ends = np.array([(p**2)(0.5), f(1.1), f.deriv()(0.4), f.integ(lbnd=0.0)(2.0), p.degree()])
    r = (1 - p) * q + 2 * p - q / 3.0
    powers = f.convert(kind=Polynomial)
    return np.concatenate((r.coef, f.coef, f.convert().coef, powers.coef, f.linspace(4)[1], ends))


def others(c: Any) -> Any:
    x = np.linspace(0.1, 0.9, 4)
    found = []
    for p in (Legendre(c, [0.0, 2.0]), Hermite(c), HermiteE(c), Laguerre(c)):
        found.append(p(x) + p.deriv()(x) + p.integ()(x))
    return np.concatenate(found)


@pytest.mark.parametrize("f", [chebyshev, others])
def test_values_and_derivatives(f: Any) -> None:
    value = f(C)
    np.testing.assert_allclose(rg.jit(f)(C), value, rtol=1e-12, atol=1e-13)
    weights, d = np.cos(np.arange(float(value.size))), np.array([0.3, 0.2, -0.5, 0.1])
    rise = (f(C + 1e-5 * d) - f(C - 1e-5 * d)) @ weights / 2e-5
    (slopes,) = rg.vjp(f, C)[1](weights)
    assert abs(slopes @ d - rise) < 1e-7 * (1.0 + abs(rise))
    assert rg.jvp(f, (C,), (d,))[1] @ weights == pytest.approx(slopes @ d, rel=1e-9)


def test_second_order_and_a_budget() -> None:
    def f(c: Any) -> Any:
        return (Legendre(c) ** 2)(0.3)

    p = np.array([np.polynomial.legendre.legval(0.3, row) for row in np.eye(4)])
    np.testing.assert_allclose(rg.hessian(f)(C), 2.0 * np.outer(p, p), rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(rg.grad(f, memory="64kB")(C), rg.grad(f)(C))


def test_bad_input() -> None:
    with pytest.raises(TypeError, match="Polynomial types differ"):
        rg.jit(lambda c: (Chebyshev(c) + Legendre(c))(0.3))(C)
    with pytest.raises(UserError, match="convert to this kind"):
        rg.jit(lambda c: Chebyshev(c).convert(kind=Legendre)(0.3))(C)
    with pytest.raises(UserError, match="has no attribute 'cutdeg'"):
        rg.jit(lambda c: Chebyshev(c).cutdeg(1)(0.3))(C)
