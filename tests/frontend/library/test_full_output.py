"""What solvers tell besides the solution, minima without bounds, fixed points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft as sf
import scipy.ndimage as sn
import scipy.optimize as so

import retrograd as rg
from retrograd.errors import UserError

pytestmark = pytest.mark.thinned(2)

A = np.array([0.7, 1.3, 0.4])
T = np.arange(5.0)


def with_rest(a: Any) -> Any:
    x, told, flag, text = so.fsolve(lambda q: q**2 - a[:2], np.array([1.0, 1.0]), full_output=True)
    assert text == "The solution converged."
    p, _, more, _, _ = so.curve_fit(
        lambda t, b, c: b * np.exp(-c * t), T, a[1] * np.exp(-0.4 * T), p0=[1.0, 0.3],
        full_output=True,
    )  # fmt: skip
    q, spread, *_ = so.leastsq(lambda q: q[0] * T - a[0], np.array([1.0]), full_output=True)
    rest = told["fvec"].sum() + more["fvec"].sum()
    return x.sum() * flag + p @ a[:2] + rest + q[0] + spread[0, 0]


def lowest(a: Any) -> Any:
    one = so.minimize_scalar(lambda q: (q - a[0]) ** 2 + 0.1 * np.exp(q * a[1]))
    two = so.minimize_scalar(lambda q, b: np.cos(q * b) + 0.1 * q * q, bracket=(1, 2), args=a[1])
    three = so.brent(lambda q: (q - a[0]) ** 4 + a[2] * (q - 1.0) ** 2, brack=(-5.0, 0.1, 2.0))
    return one.x + 2.0 * one.fun + two.x + three


def fixed(a: Any) -> Any:
    root = so.toms748(lambda q: q**3 - a[1], 0.0, 3.0)
    return root + so.fixed_point(lambda q, b: np.sqrt(b + q), 1.0, args=(a[1],), xtol=1e-12)


@pytest.mark.parametrize("f", [with_rest, lowest, fixed])
def test_derivatives(f: Any) -> None:
    value, slope = rg.value_and_grad(f)(A)
    assert value == pytest.approx(f(A), rel=1e-6)
    d = np.array([0.3, -0.5, 0.2])
    rise = (f(A + 1e-3 * d) - f(A - 1e-3 * d)) / 2e-3
    assert slope @ d == pytest.approx(rise, rel=1e-3)
    assert rg.jvp(f, (A,), (d,))[1] == pytest.approx(slope @ d, rel=1e-9)


def test_second_order_and_a_budget() -> None:
    found = rg.hessian(fixed)(A)
    step = 1e-5 * np.array([0.0, 1.0, 0.0])
    rise = (rg.grad(fixed)(A + step) - rg.grad(fixed)(A - step)) / 2e-5
    np.testing.assert_allclose(found[1], rise, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(rg.grad(fixed, memory="64kB")(A), rg.grad(fixed)(A))


def test_bad_input() -> None:
    with pytest.raises(UserError, match="depends on SciPy's way"):
        rg.jit(lambda a: so.fsolve(lambda q: q - a, 1.0, full_output=True)[1]["nfev"])(0.3)
    with pytest.raises(ValueError, match="f\\(xb\\) < f\\(xa\\)"):
        rg.jit(lambda a: so.minimize_scalar(lambda q: (q - a) ** 2, bracket=(0, 1, 2)).x)(0.3)
    with pytest.raises(UserError, match="by the method 'bounded'"):
        rg.jit(lambda a: so.minimize_scalar(lambda q: (q - a) ** 2, method="bounded").x)(0.3)


def test_transforms_that_are_defaults() -> None:
    def f(x: Any, there: Any = sf.rfft2, back: Any = sf.irfft2) -> Any:
        return np.sum(back(there(x) * 2.0) ** 2)

    x = np.cos(np.arange(12.0)).reshape(3, 4)
    np.testing.assert_allclose(rg.grad(f)(x), 8.0 * x, rtol=1e-12)


def test_parts_of_an_image() -> None:
    def f(x: Any) -> Any:
        parts, count = sn.label(x > 0.2)
        sums = sn.sum(x, parts, index=np.arange(1, count + 1))
        return np.sum(sums**2) + sn.mean(x, labels=parts, index=1) + sn.maximum(x, parts, 2)

    x = np.cos(np.arange(30.0)).reshape(5, 6)
    value, slope = rg.value_and_grad(f)(x)
    assert value == pytest.approx(f(x), rel=1e-13)
    d = np.sin(np.arange(30.0)).reshape(5, 6)
    assert np.sum(slope * d) == pytest.approx((f(x + 1e-6 * d) - f(x - 1e-6 * d)) / 2e-6, rel=1e-7)


def test_trees() -> None:
    def f(x: Any) -> Any:
        from scipy.sparse.csgraph import minimum_spanning_tree

        rows, columns = so.linear_sum_assignment(x)
        return np.sum(x[rows, columns] ** 2) + np.sum(minimum_spanning_tree(x).toarray() * x)

    x = np.abs(np.cos(np.arange(16.0))).reshape(4, 4) + 0.1
    value, slope = rg.value_and_grad(f)(x)
    assert value == pytest.approx(f(x), rel=1e-13)
    d = np.sin(np.arange(16.0)).reshape(4, 4)
    assert np.sum(slope * d) == pytest.approx((f(x + 1e-6 * d) - f(x - 1e-6 * d)) / 2e-6, rel=1e-7)
    with pytest.raises(ValueError, match="invalid numeric"):
        rg.grad(f)(np.array([[np.nan, 1.0], [2.0, 1.0]]))
