"""Bessel functions of real orders, with derivatives in the order and in the number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

import retrograd as rg

PLACES = (
    (0.0, 0.7), (1.0, 2.5), (2.0, 34.0), (0.5, 1.3), (2.5, 7.0), (-1.5, 3.0), (12.0, 5.5),
    (25.3, 20.0), (-1.0, 2.5), (-3.0, 0.4), (-0.5, 33.0), (3.0, 100.0),
)  # fmt: skip
EDGES = np.array([0.0, 1.0, -2.0, np.nan, 1e-300, 1e-5, 600.0])


def jv(v, x):
    return special.jv(v, x)


def yv(v, x):
    return special.yv(v, x)


def iv(v, x):
    return special.iv(v, x)


def ive(v, x):
    return special.ive(v, x)


def kv(v, x):
    return special.kv(v, x)


EVERY = pytest.mark.parametrize(
    "f", [jv, kv, *(pytest.param(f, marks=pytest.mark.slow) for f in (yv, iv, ive))]
)


@EVERY
def test_values_and_slopes(f: Callable[[float, float], float]) -> None:
    slopes_of = rg.value_and_grad(f, (0, 1))
    for v, x in PLACES:
        value, slopes = slopes_of(v, x)
        h = 1e-5
        of_order = (f(v + h, x) - f(v - h, x)) / (2.0 * h)
        of_number = (f(v, x + h) - f(v, x - h)) / (2.0 * h)
        scale = abs(f(v, x)) + abs(of_order) + abs(of_number)
        assert abs(value - f(v, x)) < 1e-12 * scale, (v, x)
        assert abs(slopes[0] - of_order) < 1e-6 * scale, (v, x)
        assert abs(slopes[1] - of_number) < 1e-6 * scale, (v, x)


@EVERY
def test_edges(f: Callable[..., object]) -> None:
    compiled = rg.jit(f)
    for v in (0.0, -1.0, 0.5, -0.5, -3.0):
        with np.errstate(all="ignore"):
            expected = np.asarray(f(v, EDGES))
        np.testing.assert_allclose(compiled(v, EDGES), expected, rtol=1e-11, atol=1e-14)


@pytest.mark.slow
def test_slopes_at_zero() -> None:
    assert rg.grad(lambda x: special.jv(1, x) + 2.0 * special.iv(1, x))(0.0) == 1.5
    assert rg.grad(lambda x: special.jv(2, x) + special.iv(0, x))(0.0) == 0.0


def test_the_kernel_of_matern() -> None:
    def kernel(nu, length):
        r = np.sqrt(2.0 * nu) * np.array([0.3, 1.2, 2.5]) / length
        return np.sum(2.0 ** (1.0 - nu) / special.gamma(nu) * r**nu * special.kv(nu, r))

    value, slopes = rg.value_and_grad(kernel, (0, 1))(1.3, 0.8)
    assert value == pytest.approx(kernel(1.3, 0.8), rel=1e-12)
    rises = (
        (kernel(1.3 + 1e-6, 0.8) - kernel(1.3 - 1e-6, 0.8)) / 2e-6,
        (kernel(1.3, 0.8 + 1e-6) - kernel(1.3, 0.8 - 1e-6)) / 2e-6,
    )
    np.testing.assert_allclose(slopes, rises, rtol=1e-6)
    assert rg.grad(kernel, (0, 1), memory="200kB")(1.3, 0.8) == slopes
