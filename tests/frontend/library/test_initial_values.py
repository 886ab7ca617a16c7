"""`solve_ivp`: steps, places between and counts are SciPy's, derivatives those of the solution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import odeint, solve_ivp
from scipy.integrate._ivp import rk

import retrograd as rg
from retrograd.errors import UserError
from retrograd.frontend.library.plain import tableaus


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


def by_order_eight(p: Any) -> Any:
    times = np.linspace(0.0, 6.0, 5)
    sol = solve_ivp(
        hunted, (0, 6), [1.0, 2.0], args=(p, 0.7), method="DOP853", t_eval=times, dense_output=True
    )
    return np.concatenate((told(sol), np.ravel(sol.sol(np.array([0.1, 5.9, 6.5])))))


def relaxing(t: Any, y: Any, p: Any) -> Any:
    return np.array([y[1], 80.0 * p * (1.0 - y[0] ** 2) * y[1] - y[0]])


def slopes_of_relaxing(t: Any, y: Any, p: Any) -> Any:
    rate = 80.0 * p
    return [[0.0, 1.0], [-2.0 * rate * y[0] * y[1] - 1.0, rate * (1.0 - y[0] ** 2)]]


def by_radau(p: Any) -> Any:
    sol = solve_ivp(
        relaxing, (0, 20), [2.0, 0.0], "Radau", args=(p,), dense_output=True,
        jac=slopes_of_relaxing,
    )  # fmt: skip
    return np.concatenate((told(sol), sol.sol(3.3), [sol.nlu]))


EVERY = [each_step, at_times, to_an_end, backwards, in_between, by_order_eight, by_radau]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", EVERY)
def test_steps_are_those_of_scipy(f: Any) -> None:
    np.testing.assert_allclose(rg.jit(f)(0.9), f(0.9), rtol=1e-12 if f in EVERY[:5] else 1e-8)


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


@pytest.mark.slow
@pytest.mark.parametrize("method", ["DOP853", "Radau", "LSODA"])
def test_derivatives_by_other_methods(method: str) -> None:
    def last(p: Any) -> Any:
        sol = solve_ivp(
            relaxing, (0.0, 3.0), [p, 0.3], method=method, args=(0.1,), rtol=1e-8, atol=1e-8
        )
        return sol.y[0, -1]

    slope, value = rg.grad(last), rg.jit(last)
    assert value(0.9) == pytest.approx(last(0.9), rel=1e-6)
    assert slope(0.9) == pytest.approx(rg.jvp(last, (0.9,), (1.0,))[1], rel=1e-12)
    assert slope(0.9) == pytest.approx((value(0.9001) - value(0.8999)) / 0.0002, rel=1e-5)
    assert rg.grad(last, memory="200KB")(0.9) == slope(0.9)
    assert rg.grad(slope)(0.9) == pytest.approx((slope(0.9001) - slope(0.8999)) / 0.0002, rel=1e-5)


def test_stiff_equations_are_solved_to_within_tolerances() -> None:
    def late(p: Any) -> Any:
        pull = solve_ivp(
            lambda t, y: -1e6 * p * (y - np.cos(t)), (0.0, 2.0), [0.0], "LSODA", rtol=1e-6
        )
        return pull.y[0, -1]

    assert rg.jit(late)(0.9) == pytest.approx(np.cos(2.0), rel=1e-5)


def fallen(t: Any, y: Any, g: Any) -> Any:
    return y[0]


fallen.terminal = True
fallen.direction = -1


def until_it_falls(g: Any) -> Any:
    def highest(t: Any, y: Any, g: Any) -> Any:
        return y[1]

    sol = solve_ivp(
        lambda t, y, g: [y[1], -g], (0, 10), [0.0, 3.0], events=[fallen, highest], args=(g,)
    )
    ends = np.array([sol.t[-1], sol.y[1, -1], sol.status, len(sol.t), sol.y_events[1][0, 0]])
    return np.concatenate((ends, sol.t_events[0], sol.t_events[1]))


def test_events_are_those_of_scipy_and_move() -> None:
    np.testing.assert_allclose(rg.jit(until_it_falls)(9.81), until_it_falls(9.81), rtol=1e-12)
    slopes = rg.jvp(until_it_falls, (9.81,), (1.0,))[1]  # of 6 / g, -3, .., 4.5 / g, 6 / g, 3 / g
    expected = np.array([-6.0, 0.0, 0.0, 0.0, -4.5, -6.0, -3.0]) / 9.81**2
    np.testing.assert_allclose(slopes, expected, rtol=1e-9, atol=1e-9)


def through_zero(p: Any) -> Any:
    def third(t: Any, y: Any) -> Any:
        return y[0]

    third.terminal = 3
    sol = solve_ivp(
        lambda t, y: [y[1], -p * y[0]], (30.0, 0.0), [1.0, 0.0], "DOP853", events=third,
        t_eval=np.linspace(30.0, 0.0, 61), rtol=1e-10, atol=1e-10,
    )  # fmt: skip
    return np.concatenate((sol.t_events[0], sol.y_events[0][:, 1], [sol.nfev, len(sol.t)]))


@pytest.mark.slow
def test_the_third_event_may_be_the_last() -> None:
    np.testing.assert_allclose(rg.jit(through_zero)(0.9), through_zero(0.9), rtol=1e-9)
    slopes = rg.jacfwd(lambda p: through_zero(p)[:3])(0.9)
    # At 30 - (k + 1 / 2) pi / sqrt(p).
    np.testing.assert_allclose(slopes, np.array([0.25, 0.75, 1.25]) * np.pi * 0.9**-1.5, rtol=1e-6)
    total = rg.grad(lambda p: np.sum(through_zero(p)[:3]))
    assert total(0.9) == pytest.approx(np.sum(slopes), rel=1e-12)
    assert rg.grad(lambda p: np.sum(through_zero(p)[:3]), memory="200KB")(0.9) == total(0.9)


@pytest.mark.parametrize(("pair", "method"), [(tableaus.FIFTH, rk.RK45), (tableaus.THIRD, rk.RK23)])
def test_tables_are_those_of_scipy(pair: Any, method: Any) -> None:
    weights, places, errors, between, _ = (np.array(part) for part in pair)
    np.testing.assert_array_equal(weights[:-1, : method.A.shape[1]], method.A)
    np.testing.assert_array_equal(weights[-1], method.B)
    np.testing.assert_array_equal(places[:-1], method.C)
    np.testing.assert_array_equal(errors, method.E)
    np.testing.assert_array_equal(between, method.P)


def test_the_table_of_order_eight_is_that_of_scipy() -> None:
    method = rk.DOP853
    weights, places, errors, more, others, between, _ = map(np.array, tableaus.EIGHTH)
    np.testing.assert_array_equal(weights[:-1], method.A)
    np.testing.assert_array_equal(weights[-1], method.B)
    np.testing.assert_array_equal(places[:-1], method.C)
    np.testing.assert_array_equal(errors, [method.E5, method.E3])
    np.testing.assert_array_equal(more, method.A_EXTRA[:, :15])
    np.testing.assert_array_equal(others, method.C_EXTRA)
    np.testing.assert_array_equal(between, method.D)
    x, terms = 0.3, np.array(tableaus.NESTED)
    parts = [x if k % 2 == 0 else 1.0 - x for k in range(7)]
    np.testing.assert_allclose(terms @ x ** np.arange(1.0, 8.0), np.cumprod(parts), rtol=1e-13)


def unknown(p: Any) -> Any:
    return solve_ivp(lambda t, y: -p * y, (0.0, 1.0), [1.0], method="RK54").y[0, -1]


def all_at_once(p: Any) -> Any:
    return solve_ivp(lambda t, y: -p * y, (0.0, 1.0), [1.0], vectorized=True).y[0, -1]


def no_function(p: Any) -> Any:
    return solve_ivp(lambda t, y: -p * y, (0.0, 1.0), [1.0], events=p).y[0, -1]


@pytest.mark.parametrize(
    ("f", "words"),
    [(unknown, "DOP853"), (all_at_once, "leave it out"), (no_function, "list of functions")],
)
def test_refusals(f: Any, words: str) -> None:
    with pytest.raises(UserError) as found:
        rg.jit(f)(0.9)
    assert words in (found.value.way_out or "")


def test_half_an_event_raises() -> None:
    def halved(p: Any) -> Any:
        def half(t: Any, y: Any) -> Any:
            return y[0]

        half.terminal = 1.5
        return solve_ivp(lambda t, y: -p * y, (0.0, 1.0), [1.0], events=half).y[0, -1]

    with pytest.raises(ValueError, match="boolean or positive integer"):
        rg.jit(halved)(0.9)


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
