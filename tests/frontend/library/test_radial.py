"""Curves of radial functions through scattered points: values and derivatives are SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import KroghInterpolator, Rbf, RBFInterpolator, krogh_interpolate

import retrograd as rg
from retrograd.errors import UserError
from retrograd.frontend.library.plain import radial

_DRAWS = np.random.default_rng(4)
P, Q, V = _DRAWS.random((6, 2)), _DRAWS.random((2, 2)), _DRAWS.random(6)


def plates(p: Any, v: Any) -> Any:
    return np.sum(RBFInterpolator(p, v, smoothing=0.01)(Q))


def bells(p: Any, v: Any) -> Any:
    curve = RBFInterpolator(p, np.stack((v, v * v), axis=1), kernel="gaussian", epsilon=1.5)
    return np.sum(curve(Q) * Q)


def older(p: Any, v: Any) -> Any:
    return Rbf(p[:, 0], p[:, 1], v)(0.3, 0.4) + np.sum(Rbf(p[:, 0], v, function="linear")(Q[0]))


def polynomial(p: Any, v: Any) -> Any:
    return KroghInterpolator(p[:, 0], v)(0.3) + np.sum(krogh_interpolate(p[:, 1], v, Q[0]))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [plates, bells, older, polynomial])
def test_derivatives(f: Any) -> None:
    value, bars = rg.value_and_grad(f, argnums=(0, 1))(P, V)
    assert value == pytest.approx(f(P, V), rel=1e-9)
    d, e = np.cos(np.arange(12.0)).reshape(6, 2), np.sin(np.arange(6.0))
    rise = (f(P + 1e-6 * d, V + 1e-6 * e) - f(P - 1e-6 * d, V - 1e-6 * e)) / 2e-6
    assert np.sum(bars[0] * d) + bars[1] @ e == pytest.approx(rise, rel=1e-6)
    tangent = rg.jvp(f, (P, V), (d, e))[1]
    assert tangent == pytest.approx(np.sum(bars[0] * d) + bars[1] @ e, rel=1e-9)


def test_linear_in_the_values_also_in_a_budget() -> None:
    f = rg.grad(plates, argnums=1)
    np.testing.assert_allclose(f(P, 2.0 * V), f(P, V), rtol=1e-12)
    np.testing.assert_array_equal(rg.grad(plates, argnums=1, memory="64kB")(P, V), f(P, V))
    np.testing.assert_allclose(rg.hessian(lambda v: plates(P, v))(V), np.zeros((6, 6)), atol=1e-9)


KERNELS = ("linear", "cubic", "quintic", "multiquadric", "inverse_quadratic")


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_without_compiling(kernel: str) -> None:
    epsilon = 1.3 if "quadr" in kernel else None
    real = RBFInterpolator(P, V, kernel=kernel, epsilon=epsilon)(Q)
    own = radial.RBFInterpolator(P, V, kernel=kernel, epsilon=epsilon)(Q)
    np.testing.assert_allclose(own, real, rtol=1e-9)


def test_bad_input() -> None:
    with pytest.raises(UserError, match="with neighbors"):
        rg.jit(lambda v: RBFInterpolator(P, v, neighbors=3)(Q))(V)
    with pytest.raises(ValueError, match="must be specified"):
        rg.jit(lambda v: RBFInterpolator(P, v, kernel="gaussian")(Q))(V)
    with pytest.raises(ValueError, match="first axis of `d`"):
        rg.jit(lambda v: RBFInterpolator(P, v[:4])(Q))(V)
