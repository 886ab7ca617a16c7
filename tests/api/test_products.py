"""`jvp`, `vjp` and `hvp`: structure of directions, pullbacks called many times, mixed types."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


class Point(NamedTuple):
    x: Any
    y: Any


def f(p, n):
    return np.sin(p.x) * p.y * n, n + 1


POINT = Point(np.array([0.5, 1.5]), 2.0)


def test_jvp_of_trees() -> None:
    (y, m), (y_dot, m_dot) = rg.jvp(f, (POINT, 3), (Point(np.array([1.0, 0.0]), 1.0), 0))
    np.testing.assert_allclose(y, np.sin(POINT.x) * 6.0, rtol=1e-14)
    assert (m, m_dot) == (4, 0.0)
    expected = np.cos(POINT.x) * 6.0 * [1.0, 0.0] + 3.0 * np.sin(POINT.x)
    np.testing.assert_allclose(y_dot, expected, rtol=1e-14)


def test_vjp_of_trees() -> None:
    (y, m), pullback = rg.vjp(f, POINT, 3)
    assert m == 4
    bar = np.array([1.0, -2.0])
    p_bar, n_bar = pullback((bar, None))
    assert isinstance(p_bar, Point)
    assert n_bar is None
    np.testing.assert_allclose(p_bar.x, np.cos(POINT.x) * 6.0 * bar, rtol=1e-14)
    assert p_bar.y == pytest.approx(np.sum(np.sin(POINT.x) * 3.0 * bar), rel=1e-14)
    np.testing.assert_allclose(y, np.sin(POINT.x) * 6.0, rtol=1e-14)


def test_the_two_products_agree() -> None:
    rng = np.random.default_rng(3)

    def g(a, x):
        y = a @ x
        for k in range(1, len(y)):
            y[k] += math.sin(y[k - 1]) * x[0]
        return y

    a, x, a_dot, x_dot = (
        rng.normal(size=(3, 3)),
        rng.normal(size=3),
        rng.normal(size=(3, 3)),
        rng.normal(size=3),
    )
    y_bar = rng.normal(size=3)
    y, y_dot = rg.jvp(g, (a, x), (a_dot, x_dot))
    again, pullback = rg.vjp(g, a, x)
    a_bar, x_bar = pullback(y_bar)
    np.testing.assert_array_equal(y, again)
    assert np.sum(y_bar * y_dot) == pytest.approx(
        np.sum(a_bar * a_dot) + np.sum(x_bar * x_dot), rel=1e-12
    )


def test_a_pullback_is_linear_and_can_be_called_again() -> None:
    x = np.array([1.0, 2.0])
    _, pullback = rg.vjp(lambda x: x * x * x, x)
    first = pullback(np.array([1.0, 0.0]))[0]
    x[:] = 100.0  # the pullback has the arguments as they were
    second = pullback(np.array([0.0, 1.0]))[0]
    both = pullback(np.array([1.0, 1.0]))[0]
    np.testing.assert_array_equal(first, [3.0, 0.0])
    np.testing.assert_array_equal(second, [0.0, 12.0])
    np.testing.assert_array_equal(both, first + second)


def test_a_pullback_survives_changes_of_its_result() -> None:
    y, pullback = rg.vjp(lambda x: x * x, np.array([3.0]))
    y[0] = -1.0
    np.testing.assert_array_equal(pullback(np.ones(1))[0], [6.0])


def test_hvp_has_the_structure_of_the_first_argument() -> None:
    def g(p, z):
        return np.sum(p.x * p.x) * p.y * z

    found = rg.hvp(g, (POINT, 2.0), (Point(np.array([1.0, 0.0]), 0.0), 0.0))
    np.testing.assert_array_equal(found.x, [8.0, 0.0])
    assert found.y == pytest.approx(2.0)
    with_z = rg.hvp(g, (POINT, 2.0), (Point(np.zeros(2), 0.0), 1.0))
    np.testing.assert_array_equal(with_z.x, 4.0 * POINT.x)


def test_ints_need_no_direction() -> None:
    assert rg.jvp(lambda x, n: x * n, (2.0, 3), (1.0, None)) == (6.0, 3.0)
    assert rg.vjp(lambda x, n: x * n, 2.0, 3)[1](1.0) == (3.0, None)


@pytest.mark.parametrize(
    "call",
    [
        lambda: rg.jvp(lambda x: x, (1.0,), ()),
        lambda: rg.jvp(lambda x: x, (np.ones(2),), (1.0,)),
        lambda: rg.jvp(lambda x: x, (1.0,), (np.ones(2),)),
        lambda: rg.jvp(lambda x: x[0], ((1.0, 2.0),), ((1.0,),)),
        lambda: rg.jvp(lambda x: x[0], ((1.0, 2.0),), (1.0,)),
        lambda: rg.jvp(lambda x: x, (1.0,), (None,)),
        lambda: rg.jvp(lambda x: x, (1.0,), ("up",)),
        lambda: rg.jvp(lambda x: x, (1.0,), (1j,)),
        lambda: rg.jvp(lambda p: p.y, (POINT,), (3.0,)),
        lambda: rg.jvp(lambda x: x, 1.0, 1.0),
        lambda: rg.vjp(lambda x: x, np.ones(2))[1](1.0),
        lambda: rg.vjp(lambda x: (x, x), 1.0)[1](1.0),
        lambda: rg.vjp(lambda x: (x, x), 1.0)[1](None),
        lambda: rg.hvp(lambda x: x * x, (1.0,), ()),
    ],
)
def test_directions_that_do_not_fit(call: Any) -> None:
    with pytest.raises(UserError) as caught:
        call()
    assert caught.value.code == "RG0305"


def test_vjp_inside_a_program_keeps_the_arguments_as_they_were() -> None:
    def f(x):
        (y, _), pullback = rg.vjp(lambda a, n: (a * a * n, a[0]), x, 3)
        x[0] = 100.0
        first, none = pullback((y, 1.0))
        assert none is None
        return np.sum(first) + np.sum(pullback((np.ones(len(y)), 0.0))[0])

    def by_hand(x):
        bar = 18.0 * x * x * x + 6.0 * x
        return np.sum(bar) + 1.0

    x = np.array([1.0, 2.0, 3.0])
    assert rg.jit(f)(x.copy()) == by_hand(x)
    np.testing.assert_allclose(rg.grad(f)(x), 54.0 * x * x + 6.0, rtol=1e-13)
    np.testing.assert_allclose(rg.hessian(f)(x), np.diag(108.0 * x), rtol=1e-13)


def test_hvp_inside_a_program() -> None:
    def f(x):
        return np.sum(rg.hvp(lambda z: np.sum(z * z * z), (x,), (x,)))

    x = np.array([1.0, 2.0])
    assert rg.jit(f)(x) == 30.0
    np.testing.assert_array_equal(rg.grad(f)(x), 12.0 * x)


def test_a_pullback_in_a_differentiated_loop() -> None:
    def f(x):
        s = x
        for _ in range(3):
            y, pullback = rg.vjp(lambda a: math.sin(a) * x, s)
            s = s + 0.1 * pullback(y)[0]
        return s

    def by_hand(x):
        s = x
        for _ in range(3):
            s = s + 0.1 * math.cos(s) * x * math.sin(s) * x
        return s

    assert rg.grad(f)(1.2) == pytest.approx(rg.grad(by_hand)(1.2), rel=1e-12)
    assert rg.grad(rg.grad(f))(1.2) == pytest.approx(rg.grad(rg.grad(by_hand))(1.2), rel=1e-11)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: rg.vjp(lambda x: x * x, x)[1](1.0)[0],
        lambda x: rg.vjp(lambda x: (x, x), x)[1](x)[0],
        lambda x: rg.vjp(lambda x: x * x, x)[1](x, x)[0],
        lambda x: rg.vjp()[0],
    ],
)
def test_cotangents_inside_programs_that_do_not_fit(f: Any) -> None:
    with pytest.raises(UserError) as caught:
        rg.jit(f)(np.ones(2))
    assert caught.value.code in ("RG0115", "RG0110")
