"""Roots of functions: values are SciPy's, derivatives those of the root, not of the iteration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize
from scipy.optimize import brentq, fminbound, minimize_scalar, newton, root_scalar

import retrograd as rg
from retrograd.errors import UserError


def cubic(p: Any) -> Any:
    return brentq(lambda x: x**3 - p * x - 1.0, 0.0, 5.0)


def secant(p: Any) -> Any:
    return newton(lambda x: x**3 - p * x - 1.0, 2.0)


def with_slope(p: Any) -> Any:
    return newton(lambda x: x**3 - p * x - 1.0, 2.0, fprime=lambda x: 3.0 * x * x - p)


def halley(p: Any) -> Any:
    def slope(x: Any) -> Any:
        return 3.0 * x * x - p

    return newton(lambda x: x**3 - p * x - 1.0, 2.0, slope, fprime2=lambda x: 6.0 * x)


def balance(x: Any, p: Any, q: Any) -> Any:
    return np.exp(-x) * p - q * x


def with_arguments(p: Any) -> Any:
    near = newton(balance, 0.5, args=(p, 2.0), x1=0.6, tol=1e-12)
    return brentq(balance, 0.0, 3.0, args=(p, 2.0)) * p + near


def halved(p: Any) -> Any:
    return optimize.bisect(balance, 0.0, 3.0, (p, 2.0), 1e-13)


def at_an_end(p: Any) -> Any:
    return brentq(lambda x: x - p, 0.0, p) * brentq(lambda x: x - p, p, 9.0)


def in_a_loop(p: Any) -> Any:
    s = 0.0
    for k in range(3):
        s += brentq(lambda x, k=k: x**3 - p * x - k - 1.0, 0.0, 5.0)
    return s


class Model:
    def __init__(self, p: Any) -> None:
        self.p = p

    def residual(self, x: Any) -> Any:
        return x**3 - self.p

    def root(self) -> Any:
        return optimize.brentq(self.residual, 0, 9)


def of_a_method(p: Any) -> Any:
    return Model(p).root()


def counted(p: Any) -> Any:
    calls = [0]

    def f(x: Any) -> Any:
        calls[0] += 1
        return x * x - p

    return brentq(f, 0.0, 3.0) * calls[0]


def told(found: Any) -> Any:
    return found.root + 10.0 * found.iterations + 1000.0 * found.function_calls * found.converged


def of_brackets(p: Any) -> Any:
    def cube(x: Any) -> Any:
        return x**3 - p

    found = told(root_scalar(balance, args=(p, 2.0), bracket=[0.0, 3.0]))
    found += told(root_scalar(cube, method="bisect", bracket=(0.0, 3.0), xtol=1e-9))
    found += told(root_scalar(cube, method="ridder", bracket=(0, 3)))
    found += told(root_scalar(cube, method="bisect", bracket=(0, 3), maxiter=5))
    x, report = optimize.brenth(balance, 0.0, 3.0, (p, 2.0), full_output=True)
    return found * x + optimize.ridder(balance, 0.0, 3.0, (p, 2.0)) + told(report)


def of_starts(p: Any) -> Any:
    def slope(x: Any) -> Any:
        return 3.0 * x * x

    def cube(x: Any) -> Any:
        return x**3 - p

    found = told(root_scalar(cube, x0=0.5, x1=0.6)) + told(root_scalar(cube, x0=0.5, fprime=slope))
    third = root_scalar(cube, x0=0.5, fprime=slope, fprime2=lambda x: 6.0 * x)
    x, report = newton(cube, 0.5, full_output=True)
    return found + told(third) * x + told(report)


def bounded(p: Any) -> Any:
    def waves(x: Any) -> Any:
        return (x - p) ** 2 + 0.3 * np.cos(3.0 * x)

    def steep(x: Any, q: Any) -> Any:
        return np.exp(x - q) - x * q

    first = minimize_scalar(waves, bounds=(0.0, 4.0), method="bounded")
    second = minimize_scalar(steep, bounds=[0, 4], args=(p,), options={"xatol": 1e-8})
    edge = minimize_scalar(lambda x: x * p, bounds=(p, 4.0), options={"xatol": 1e-9})
    return first.fun * second.fun + edge.fun * first.nfev + first.x * second.x + edge.x


def no_change_of_sign(p: Any) -> Any:
    return brentq(lambda x: x * x + p, 0.0, 1.0)


def not_a_number(p: Any) -> Any:
    return brentq(lambda x: np.where(x > 0.5, np.nan, -p), 0.0, 1.0)


def too_small_a_tolerance(p: Any) -> Any:
    return brentq(lambda x: x - p, 0.0, 3.0, xtol=0.0)


def outcome(run: Any) -> Any:
    try:
        return None, run()
    except (ValueError, RuntimeError) as error:
        return type(error), None


ROOTS = [
    cubic, secant, with_slope, halley, with_arguments, halved, at_an_end, in_a_loop, of_a_method,
    counted, of_brackets, of_starts, bounded,
]  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [*ROOTS, no_change_of_sign, not_a_number, too_small_a_tolerance])
def test_roots_are_those_of_scipy(f: Any) -> None:
    kind, value = outcome(lambda: f(1.7))
    found_kind, found = outcome(lambda: rg.jit(f)(1.7))
    assert found_kind is kind
    if kind is None:
        assert found == pytest.approx(value, rel=1e-13 if f is not bounded else 1e-8)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("f", [cubic, secant, with_arguments, halved])
def test_derivatives_of_second_order(f: Any) -> None:
    assert rg.check_grads(f, (1.7,), 2).ok


def test_derivatives_of_third_order_are_those_of_the_root() -> None:
    def root(p: Any) -> Any:
        return newton(lambda x: x * x - p, 1.0)

    third = rg.jvp(rg.grad(rg.grad(root)), (2.0,), (1.0,))[1]
    assert third == pytest.approx(3.0 / 8.0 * 2.0**-2.5, rel=1e-12)


def test_minima_move_as_where_the_slope_is_zero() -> None:
    def lowest(q: Any) -> Any:
        found = minimize_scalar(lambda x: np.exp(x - q) - x * q, bounds=(0.0, 9.0))
        return found.x + 2.0 * found.fun

    q = 1.7  # x is q + log(q), there fun is q - x * q
    slope = rg.grad(lowest)(q)
    assert slope == pytest.approx(1.0 + 1.0 / q - 2.0 * (2.0 * q + np.log(q)), rel=1e-7)
    bend = rg.grad(rg.grad(lowest))(q)
    assert bend == pytest.approx(-1.0 / q**2 - 2.0 * (2.0 + 1.0 / q), rel=1e-5)
    assert rg.grad(lambda p: minimize_scalar(lambda x: x * p, bounds=(p, 4.0)).x)(q) == 1.0


def test_the_place_of_a_minimum_alone() -> None:
    def lowest(q: Any) -> Any:
        return fminbound(lambda x, p: np.exp(x - p) - x * p, 0.0, 9.0, args=(q,), xtol=1e-9)

    assert rg.jit(lowest)(1.7) == pytest.approx(lowest(1.7), abs=1e-7)
    assert rg.grad(lowest)(1.7) == pytest.approx(1.0 + 1.0 / 1.7, rel=1e-7)
    with pytest.raises(UserError, match="full_output"):
        rg.jit(lambda q: fminbound(lambda x: x * x - q, 0.0, 1.0, full_output=True))(1.0)


def test_the_start_has_no_derivative() -> None:
    def root(a: Any, p: Any) -> Any:
        return brentq(lambda x: x * x - p, a, 3.0)

    a_bar, p_bar = rg.grad(root, (0, 1))(0.5, 4.0)
    assert a_bar == 0.0
    assert p_bar == pytest.approx(0.25)


def test_a_double_root_has_no_derivative() -> None:
    def double(p: Any) -> Any:
        return newton(lambda x: (x - p) ** 2, p, fprime=lambda x: 2.0 * (x - p))

    assert rg.jit(double)(1.5) == double(1.5)
    assert np.isnan(rg.grad(double)(1.5))


def without_bounds(p: Any) -> Any:
    return minimize_scalar(lambda x: (x - p) ** 2, method="bounded").x


def without_a_slope(p: Any) -> Any:
    return root_scalar(lambda x: x - p, x0=1.0).root


def talking(p: Any) -> Any:
    def f(x: Any) -> Any:
        print(x)
        return x * x - p

    return brentq(f, 0.0, 3.0)


def several(p: Any) -> Any:
    return brentq(lambda x: x - p, np.zeros(2), 2.0)


@pytest.mark.parametrize(
    ("f", "code", "words"),
    [
        (without_bounds, "RG0108", "with these arguments"),
        (without_a_slope, "RG0108", "by the method 'newton'"),
        (several, "RG0108", "from an array of floats"),
        (talking, "RG0128", "that prints"),
    ],
)
def test_refusals(f: Any, code: str, words: str) -> None:
    with pytest.raises(UserError, match=words) as found:
        rg.jit(f)(1.7)
    assert found.value.code == code


def test_no_convergence_raises() -> None:
    with pytest.raises(RuntimeError):
        rg.jit(lambda p: newton(lambda x: x * x + p, 1.0))(1.7)


def energy(x: Any, p: Any) -> Any:
    return np.sum((x - p) ** 2) + p[0] * x[0] * x[1] + 0.1 * np.sum(x**4)


def force(x: Any, p: Any) -> Any:
    return rg.grad(energy)(x, p)


def test_other_solvers_are_refused_with_a_step() -> None:
    with pytest.raises(UserError, match="is not compiled") as found:
        rg.grad(lambda p: optimize.basinhopping(energy, p, args=(p,)).x[0])(np.array([0.4, 0.9]))
    assert "rg.hessian(f)" in (found.value.way_out or "")


def test_the_step_has_the_derivatives_of_the_solution() -> None:
    def stepped(p: Any, x: Any) -> Any:
        return x - np.linalg.solve(rg.jacfwd(force)(x, p), force(x, p))

    p, moved = np.array([0.4, 0.9]), np.array([1e-5, 0.0])
    solved = [optimize.fsolve(force, q, args=(q,)) for q in (p, p + moved, p - moved)]
    found = rg.jacfwd(stepped)(p, solved[0])[:, 0]
    expected = [stepped(q, x) for q, x in zip((p + moved, p - moved), solved[1:], strict=True)]
    assert np.allclose(found, (expected[0] - expected[1]) / 2e-5, rtol=1e-6)
