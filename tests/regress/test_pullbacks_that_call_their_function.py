"""Second derivatives of a rule whose pullback calls the function ended in a RecursionError."""

from __future__ import annotations

import math

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import Limitation


@rg.custom_vjp
def solve(a, b):
    return np.linalg.solve(a, b)


def _solve_ahead(a, b):
    x = np.linalg.solve(a, b)
    return x, (a, x)


def _solve_back(residuals, x_bar):
    a, x = residuals
    b_bar = solve(a.T, x_bar)
    return -np.outer(b_bar, x), b_bar


solve.defvjp(_solve_ahead, _solve_back)


@rg.custom_vjp
def exp(x):
    return math.exp(x)


exp.defvjp(lambda x: (math.exp(x), (x,)), lambda residuals, bar: (bar * exp(residuals[0]),))

A, B = np.array([[3.0, 1.0], [0.5, 2.0]]), np.array([1.0, 2.0])


def by_rule(t):
    return np.sum(solve(A * t + np.sin(t) * np.eye(2), B * t) ** 2)


def by_lapack(t):
    return np.sum(np.linalg.solve(A * t + np.sin(t) * np.eye(2), B * t) ** 2)


def test_first_derivatives() -> None:
    expected = rg.grad(by_lapack)(1.3)
    assert np.isclose(rg.grad(by_rule)(1.3), expected)
    assert np.isclose(rg.jvp(by_rule, (1.3,), (1.0,))[1], expected)
    forward = rg.jvp(rg.grad(by_lapack), (1.3,), (1.0,))[1]
    assert np.isclose(rg.jacfwd(rg.jacfwd(by_lapack))(1.3), forward)


def test_second_derivatives_are_refused_where_they_have_no_end() -> None:
    with pytest.raises(Limitation, match="RG2103") as caught:
        rg.grad(rg.grad(by_rule))(1.3)
    assert "whose pullback calls the function itself" in str(caught.value)


def test_a_pullback_that_is_linear_apart_from_its_function() -> None:
    third = rg.grad(rg.grad(rg.grad(lambda x: exp(x) * x)))
    assert np.isclose(third(1.3), 4.3 * math.exp(1.3))
