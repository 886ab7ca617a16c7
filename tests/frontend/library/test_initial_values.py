"""`solve_ivp`: steps, places between and counts are SciPy's, derivatives those of the solution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import odeint, solve_ivp
from scipy.integrate._ivp import rk

import retrograd as rg
from retrograd.errors import UserError
from retrograd.frontend.library.plain import initial_values


def told(sol: Any) -> Any:
    ends = np.array([sol.nfev * 1.0, sol.t[-1], len(sol.t), np.sum(sol.t), sol.success, sol.status])
    return np.concatenate((sol.y[:, -1], np.sum(sol.y**2, axis=1), ends))


def hunted(t: Any, y: Any, a: Any, b: Any) -> Any:
    return [a * y[0] - b * y[0] * y[1], -y[1] * a + b * y[0] * y[1]]


def each_step(p: Any) -> Any:
    return told(solve_ivp(hunted, (0, 12), [1.0, 2.0], args=(p, 0.7)))


def at_times(p: Any) -> Any:
    def swung(t: Any, y: Any) -> Any:
        return np.array([y[1], -p * np.sin(y[0]) - 0.1 * y[1] + 0.2 * np.cos(t)])

    times = np.linspace(0.0, 5.0, 9)
    return told(solve_ivp(swung, [0.0, 5.0], np.array([p, 0.0]), t_eval=times, rtol=1e-8))


def to_an_end(p: Any) -> Any:
    sol = solve_ivp(
        lambda t, y: -p * y, (0.0, p), [1.0], method="RK23", max_step=0.1, first_step=0.01
    )
    return told(sol)


def backwards(p: Any) -> Any:
    def falling(t: Any, y: Any) -> Any:
        return -p * y * y

    return told(solve_ivp(falling, (1.0, 0.0), [1.0], atol=[1e-7], t_eval=[1.0, 0.4, 0.0]))


def in_between(p: Any) -> Any:
    sol = solve_ivp(hunted, (1.0, -2.0), [1.0, p], args=(p, 0.7), dense_output=True)
    return np.append(np.ravel(sol.sol(np.linspace(1.1, -2.2, 8))), sol.sol(sol.t[1]))


@pytest.mark.parametrize("f", [each_step, at_times, to_an_end, backwards, in_between])
def test_steps_are_those_of_scipy(f: Any) -> None:
    np.testing.assert_allclose(rg.jit(f)(0.9), f(0.9), rtol=1e-12)


def test_derivatives_are_those_of_the_solution() -> None:
    def last(p: Any) -> Any:
        return at_times(p)[0]

    def falls(p: Any) -> Any:  # to 1 / (1 - p)
        return backwards(p)[0]

    def decays(p: Any) -> Any:  # to exp(-p * p)
        return to_an_end(p)[0]

    slope, ahead = rg.grad(last)(0.9), rg.jvp(last, (0.9,), (1.0,))[1]
    assert slope == pytest.approx(ahead, rel=1e-12)
    assert slope == pytest.approx((last(0.901) - last(0.899)) / 0.002, rel=1e-4)
    assert rg.grad(falls)(0.5) == pytest.approx(4.0, rel=2e-3)
    assert rg.grad(decays)(0.9) == pytest.approx(-1.8 * np.exp(-0.81), rel=1e-3)
    slope = rg.grad(lambda p: np.sum(in_between(p) ** 2))(0.9)
    rise = np.sum(in_between(0.90001) ** 2) - np.sum(in_between(0.89999) ** 2)
    assert slope == pytest.approx(rise / 2e-5, rel=1e-2)
    assert rg.grad(decays, memory="60KB")(0.9) == rg.grad(decays)(0.9)


@pytest.mark.parametrize(
    ("pair", "method"), [(initial_values.FIFTH, rk.RK45), (initial_values.THIRD, rk.RK23)]
)
def test_tables_are_those_of_scipy(pair: Any, method: Any) -> None:
    weights, places, errors, between, _ = (np.array(part) for part in pair)
    np.testing.assert_array_equal(weights[:-1, : method.A.shape[1]], method.A)
    np.testing.assert_array_equal(weights[-1], method.B)
    np.testing.assert_array_equal(places[:-1], method.C)
    np.testing.assert_array_equal(errors, method.E)
    np.testing.assert_array_equal(between, method.P)


def stiff(p: Any) -> Any:
    return solve_ivp(lambda t, y: -p * y, (0.0, 1.0), [1.0], method="BDF").y[0, -1]


def with_events(p: Any) -> Any:
    return solve_ivp(lambda t, y: -p * y, (0.0, 1.0), [1.0], events=lambda t, y: y[0]).y[0, -1]


@pytest.mark.parametrize(("f", "words"), [(stiff, "RK45 and RK23"), (with_events, "t_eval")])
def test_refusals(f: Any, words: str) -> None:
    with pytest.raises(UserError) as found:
        rg.jit(f)(0.9)
    assert words in (found.value.way_out or "")


def test_places_outside_raise() -> None:
    def f(p: Any) -> Any:
        return solve_ivp(lambda t, y: -p * y, (0.0, 1.0), [1.0], t_eval=[0.5, 1.5]).y[0, -1]

    with pytest.raises(ValueError, match="not within"):
        rg.jit(f)(0.9)


def by_odeint(p: Any) -> Any:
    def swung(y: Any, t: Any, a: Any) -> Any:
        return [y[1], -a * np.sin(y[0]) - 0.1 * t * y[1]]

    ahead = odeint(swung, [p, 0.0], np.linspace(0.0, 5.0, 9), args=(1.2,), rtol=1e-11, atol=1e-11)
    back = odeint(lambda t, y: -p * y, 2.0, np.array([1.0, 0.5, 0.5, 0.0]), tfirst=True)
    return np.concatenate((ahead[1:, 0], back[:, 0]))


def test_odeint_gives_the_solution() -> None:
    np.testing.assert_allclose(rg.jit(by_odeint)(0.9), by_odeint(0.9), rtol=1e-7)
    found, slopes = rg.jvp(by_odeint, (0.9,), (1.0,))
    np.testing.assert_allclose(found[8:], 2.0 * np.exp([0.0, 0.45, 0.45, 0.9]), rtol=1e-9)
    rise = (rg.jit(by_odeint)(0.901) - rg.jit(by_odeint)(0.899)) / 0.002
    np.testing.assert_allclose(slopes, rise, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="monotonically"):
        rg.jit(lambda p: odeint(lambda y, t: -y, p, np.array([0.0, 1.0, 0.5])))(1.0)
    with pytest.raises(RuntimeError, match="stiff"):
        rg.jit(lambda p: odeint(lambda y, t: -1e9 * (y - np.cos(t)), p, [0.0, 10.0]))(1.0)
