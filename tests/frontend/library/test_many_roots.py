"""`scipy.optimize.newton` from an array: SciPy's roots, and derivatives as implicit functions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import newton

import retrograd as rg

START = np.array([2.0, 1.8, 2.2])


def cubic(x, a):
    return x**3 - a * x - 1.0


def slope(x, a):
    return 3.0 * x**2 - a


def bend(x, a):
    return 6.0 * x


def by_slopes(a):
    return newton(cubic, START, fprime=slope, args=(a,))


def by_secants(a):
    return newton(cubic, START, args=(a,))


def by_halley(a):
    return newton(cubic, START, slope, (a,), fprime2=bend)


def at_once(a):
    return newton(cubic, by_slopes(a), fprime=slope, args=(a,))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [by_slopes, by_secants, by_halley, at_once])
def test_roots_and_their_derivatives(f) -> None:
    a = np.array([1.0, 1.5, 2.0])
    found = rg.jit(f)(a)
    np.testing.assert_allclose(found, f(a), rtol=1e-14)
    jacobian = rg.jacfwd(f)(a)
    np.testing.assert_allclose(jacobian, np.diag(found / slope(found, a)), rtol=1e-12)
    np.testing.assert_allclose(rg.jacrev(f)(a), jacobian, rtol=1e-13)


def test_second_derivatives() -> None:
    a = np.array([1.0, 1.5, 2.0])
    hessian = rg.hessian(lambda b: np.sum(by_slopes(b)))(a)
    steps = 1e-5 * np.eye(3)
    want = [(np.sum(by_slopes(a + h)) + np.sum(by_slopes(a - h))) for h in steps]
    want = (np.array(want) - 2.0 * np.sum(by_slopes(a))) / 1e-10
    np.testing.assert_allclose(np.diag(hessian), want, rtol=1e-3)


def test_where_there_is_no_root() -> None:
    for run in (rg.grad, rg.jit):
        with pytest.raises(RuntimeError, match="all failed to converge after 5 iterations"):
            run(lambda a: np.sum(newton(lambda x: x * x + a, START, maxiter=5)))(1.0)


def test_full_output_is_refused() -> None:
    with pytest.raises(rg.UserError, match="full_output of scipy.optimize.newton from an array"):
        rg.grad(lambda a: newton(cubic, START, args=(a,), full_output=True)[0][0])(1.0)
