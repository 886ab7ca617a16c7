"""Roots of systems, fits and minima: solutions are SciPy's to within its tolerances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import retrograd as rg
from retrograd.errors import UserError

pytestmark = pytest.mark.thinned(2)

P = np.array([1.7, 1.2])
T = np.linspace(0.0, 3.0, 12)
Y = 2.0 * np.exp(-1.3 * T) + 0.5 + 0.02 * np.cos(7.0 * T)


def decay(t: Any, a: Any, b: Any, c: Any) -> Any:
    return a * np.exp(-b * t) + c


def roots(p: Any) -> Any:
    def system(v: Any) -> Any:
        return [v[0] ** 2 + v[1] - p[0], np.exp(v[0]) - v[1] * p[1]]

    other = optimize.root(lambda v, a: v * np.exp(v) - a, p, args=(p,))
    return np.concatenate((optimize.fsolve(system, [1.0, 1.0]), other["x"], other.fun))


def tight(p: Any) -> Any:
    """What SciPy gives with tolerances that leave no doubt."""
    found, spread = optimize.curve_fit(
        decay, T, Y + 0.1 * p[0] * T, p0=[1.0, 1.0, 0.0], ftol=1e-14, xtol=1e-14, gtol=1e-14
    )
    return np.concatenate((found, np.sqrt(np.diag(spread))))


def weighted(p: Any) -> Any:
    found, spread = optimize.curve_fit(
        lambda t, a, b: a * t**2 + b * np.sin(t * p[0]), T, Y, sigma=0.1 + 0.1 * T,
        absolute_sigma=True,
    )  # fmt: skip
    return np.concatenate((found, spread[0]))


def bounded(p: Any) -> Any:
    high = [p[0], 5.0, 0.4]
    found, _ = optimize.curve_fit(decay, T, Y, bounds=([0.0, 0.0, 0.0], high), xtol=1e-14)
    squares = optimize.leastsq(lambda v, a: v[0] * T + v[1] ** 2 * a - Y, [1.0, 1.0], args=(p[0],))
    return np.concatenate((found, squares[0]))


def squares(p: Any) -> Any:
    found = optimize.least_squares(
        lambda v: np.array([10.0 * (v[1] - v[0] ** 2), p[0] - v[0], 0.3 * v[0] * v[1]]),
        [0.3, 0.2], ftol=1e-15, xtol=1e-15, gtol=1e-15,
    )  # fmt: skip
    return np.concatenate((found.x, found.jac[0], np.array([found.cost])))


def valley(p: Any) -> Any:
    def height(v: Any, q: Any) -> Any:
        return (1.0 - v[0]) ** 2 * q[0] + 100.0 * (v[1] - v[0] ** 2) ** 2 + 0.01 * q[1] * v[0]

    found = optimize.minimize(height, np.array([-1.2, 1.0]), args=(p,), options={"gtol": 1e-9})
    return np.append(found.x, found.fun)


def in_a_box(p: Any) -> Any:
    found = optimize.minimize(
        lambda v: np.sum((v - p) ** 2) + v[0] * v[1], [0.0, 0.0], method="L-BFGS-B",
        bounds=[(0.0, 0.3 * p[1]), (None, 5.0)], tol=1e-14,
    )  # fmt: skip
    return found.x


SPREAD = np.array([[0.04, 0.01, 0.0], [0.01, 0.05, 0.01], [0.0, 0.01, 0.02]])


def shares(p: Any) -> Any:
    """One share is at its bound, and the gain asked for is just reached."""
    gains, least = np.array([0.1, 0.12, 0.05]), 0.11 + 0.002 * p[0] * p[1]
    found = optimize.minimize(
        lambda w: w @ SPREAD @ w, np.ones(3) / 3.0, method="SLSQP", bounds=[(0.0, 1.0)] * 3,
        constraints=[
            {"type": "eq", "fun": lambda w: np.sum(w) - 1.0},
            {"type": "ineq", "fun": lambda w, least: w @ gains - least, "args": (least,)},
            {"type": "ineq", "fun": lambda w: np.array([2.0 - w[0], 3.0 - w[1] * w[1]])},
        ],
        options={"ftol": 1e-14},
    )  # fmt: skip
    return np.append(found.x, found.fun)


EVERY = (roots, tight, weighted, bounded, squares, valley, in_a_box, shares)


@pytest.mark.slow
@pytest.mark.parametrize("f", EVERY)
def test_values_and_derivatives(f: Callable[..., Any]) -> None:
    value = f(P)
    weights = np.cos(np.arange(float(value.size)))
    found, pullback = rg.vjp(f, P)
    np.testing.assert_allclose(found, value, rtol=1e-5, atol=1e-6)
    (slopes,) = pullback(weights)
    compiled = rg.jit(f)
    for k in range(2):
        step = 1e-4 * np.eye(2)[k]
        rise = (compiled(P + step) - compiled(P - step)) @ weights / 2e-4
        assert abs(slopes[k] - rise) < 1e-6 * (1.0 + abs(rise))


@pytest.mark.slow
def test_other_ways() -> None:
    def loss(p: Any) -> Any:
        found = optimize.minimize(lambda v: np.sum((v - p) ** 2 + v**4 * p[0]), p)
        return np.sum(found.x**2) + found.fun

    step = np.array([1e-5, -2e-5])
    rise = (rg.grad(loss)(P + step) - rg.grad(loss)(P - step)) / 2.0
    np.testing.assert_allclose(rg.hessian(loss)(P) @ step, rise, rtol=1e-6)
    np.testing.assert_allclose(rg.jvp(loss, (P,), (step,))[1], rg.grad(loss)(P) @ step, rtol=1e-12)
    assert np.array_equal(rg.grad(loss, memory=200_000)(P), rg.grad(loss)(P))


def test_what_has_no_solution_raises_and_what_has_one_does_not() -> None:
    found = rg.grad(lambda p: optimize.fsolve(lambda v: v * v - p, 1.0)[0])(1.7)
    assert abs(found - 0.5 / np.sqrt(1.7)) < 1e-14
    with pytest.raises(RuntimeError, match="no root"):
        rg.jit(lambda p: optimize.fsolve(lambda v: v * v + p, [1.0]))(1.7)
    with pytest.raises(RuntimeError, match="no place"):
        rg.jit(lambda p: optimize.minimize(lambda v: p * v[0], [1.0]).x)(1.7)
    with pytest.raises(TypeError, match="as many numbers"):
        rg.jit(lambda p: optimize.fsolve(lambda v: [v[0] * p], [1.0, 2.0]))(1.7)


def test_solutions_that_nothing_moves_have_no_derivatives() -> None:
    def corner(p: Any) -> Any:
        return optimize.minimize(lambda v: np.sum(np.abs(v - p)), [0.0]).x[0]

    assert abs(rg.jit(corner)(1.7) - 1.7) < 1e-9
    assert np.isnan(rg.grad(corner)(1.7))


def constrained(p: Any) -> Any:
    return optimize.minimize(lambda v: v[0] * p, [1.0], constraints=(lambda v: v[0],)).x[0]


def on_a_circle(p: Any) -> Any:
    limit = {"type": "ineq", "fun": lambda v: 2.0 - v[0] ** 2 - v[1] ** 2}
    return optimize.minimize(
        lambda v: v[0] + p * v[1],
        [0.5, 0.5],
        constraints=limit,
        bounds=optimize.Bounds(-2.0, [2.0, 3.0]),
    ).x


def nowhere(p: Any) -> Any:
    limits = [
        {"type": "ineq", "fun": lambda v: v[0] - 2.0}, {"type": "ineq", "fun": lambda v: p - v[0]}
    ]  # fmt: skip
    return optimize.minimize(lambda v: (v[0] - p) ** 2, [0.5], constraints=limits).x[0]


def test_constraints() -> None:
    length = np.sqrt(2.0 / (1.0 + 0.7**2))
    np.testing.assert_allclose(rg.jit(on_a_circle)(0.7), [-length, -0.7 * length], rtol=1e-12)
    slope = rg.grad(lambda p: on_a_circle(p)[0])(0.7)
    assert abs(slope - length * 0.7 / (1.0 + 0.7**2)) < 1e-11
    with pytest.raises(RuntimeError, match="satisfies the constraints"):
        rg.jit(nowhere)(0.3)


def robust(p: Any) -> Any:
    return optimize.least_squares(lambda v: v - p, [1.0], loss="soft_l1").x[0]


def of_any_number(p: Any) -> Any:
    return optimize.curve_fit(lambda t, *v: v[0] * t, T, Y * p)[0][0]


def loud(p: Any) -> Any:
    def shown(v: Any) -> Any:
        print(v[0])
        return v - p

    return optimize.fsolve(shown, [1.0])[0]


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (constrained, "a constraint of scipy.optimize.minimize"),
        (robust, "with loss='soft_l1'"),
        (of_any_number, "without p0"),
        (loud, "that prints"),
    ],
)
def test_refusals(f: Any, words: str) -> None:
    with pytest.raises(UserError, match=words):
        rg.jit(f)(1.7)


def few(p: Any) -> Any:
    return optimize.curve_fit(lambda t, a, b, c: a * t * t + b * t + c, T[:2], Y[:2] * p)[0][0]


def crossed(p: Any) -> Any:
    return optimize.minimize(lambda v: (v[0] - p) ** 2, [1.0], bounds=[(2.0, 0.5)]).x[0]


def crossed_squares(p: Any) -> Any:
    return optimize.least_squares(lambda v: v - p, [1.0], bounds=([2.0], [0.5])).x[0]


@pytest.mark.parametrize("f", [few, crossed, crossed_squares])
def test_what_raises_in_scipy_raises(f: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as expected:
        f(1.7)
    with pytest.raises(expected.type):
        rg.jit(f)(1.7)


def told(p: Any) -> Any:
    root = optimize.root(lambda v: v * v - p, np.ones(2))
    if not root.success:
        raise RuntimeError(f"{root.message} ({root.status})")
    fit = optimize.least_squares(lambda v: (v - p) * v, p + 0.1)
    least = optimize.minimize(lambda v: np.sum((v - p) ** 2 + v**4), p)
    if least.status != 0 or "successfully" not in least.message:
        raise RuntimeError(least.message)
    return np.concatenate((root.x, least.x, [fit.optimality, np.max(np.abs(least.jac))]))


def test_solvers_say_how_they_ended() -> None:
    np.testing.assert_allclose(rg.jit(told)(P), told(P), rtol=1e-5, atol=1e-5)
    with pytest.raises(RuntimeError, match="improvement from the last ten iterations. .5"):
        rg.jit(told)(-P)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("method", [None, "BFGS", "Nelder-Mead", "slsqp", "L-BFGS-B", "TNC"])
def test_what_minimize_tells_is_what_scipy_tells(method):
    def told(p):
        found = optimize.minimize(lambda v: np.sum((v - p) ** 2), np.ones(2), method=method)
        if method == "TNC":
            return found.success
        if method == "L-BFGS-B":
            return found.success, found.status
        return found.success, found.status, found.message

    assert rg.jit(told)(0.5) == told(0.5)


@pytest.mark.parametrize(
    ("method", "name"), [("L-BFGS-B", "message"), ("TNC", "status"), ("trust-constr", "message")]
)
def test_what_depends_on_the_way_to_the_minimum_is_refused(method, name):
    def told(p):
        return getattr(optimize.minimize(lambda v: (v[0] - p) ** 2, [1.0], method=method), name)

    with pytest.raises(UserError, match=f"'{name}'.*SciPy's way") as caught:
        rg.jit(told)(0.5)
    assert caught.value.span is not None
