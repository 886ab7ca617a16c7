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
