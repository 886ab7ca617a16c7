"""Adjoints of reversible functions read locals that a loop without iterations has not assigned."""

import numpy as np
import pytest

import retrograd as rg


@rg.reversible
def of_a_number(x, v, n):
    for i in range(n):
        a = 2.0 * v[i]
    if n > 0:
        x[0] += a * v[0]
    return x, v


@rg.reversible
def of_an_array(x, v, n):
    for i in range(n):
        a = np.sin(v) * (i + 1.0)
    for i in range(n):
        x += a * v[i]
    return x, v


@rg.reversible
def of_a_while(x, v, n):
    k = 0
    while k < n:
        a, b = v[k] * 0.5, v * x.size
        k += 1
    if k > 1:
        x -= a * b
    return x, v


@rg.reversible
def of_a_branch(x, v, n):
    if n > 1:
        a = v[0] * v[1]
    for _ in range(n - 1):
        x += a * v
    return x, v


@rg.reversible
def that_reads_it(x, v, n):
    for i in range(n):
        a = 2.0 * v[i]
    x[0] += a * v[0]
    return x, v


def _loss(step):
    def loss(x, v, n):
        x, v = step(x, v, n)
        return np.sum(x * x) + np.sum(v * x)

    return loss


CASES = [of_a_number, of_an_array, of_a_while, of_a_branch]


@pytest.mark.parametrize("step", CASES, ids=lambda step: step.__name__)
def test_gradients_are_those_of_the_plain_text(step):
    x, v = np.array([0.5, -1.0, 2.0]), np.array([1.5, 0.25, -0.5])
    ours = rg.grad(_loss(step), argnums=(0, 1))
    plain = rg.grad(_loss(step.fun), argnums=(0, 1))
    for n in (0, 1, 2, 3):
        for found, expected in zip(ours(x, v, n), plain(x, v, n), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


def test_what_the_function_reads_is_an_error_as_in_python():
    x, v = np.array([0.5, -1.0, 2.0]), np.array([1.5, 0.25, -0.5])
    with pytest.raises(UnboundLocalError, match="local variable 'a'"):
        rg.grad(_loss(that_reads_it))(x, v, 0)
    with pytest.raises(UnboundLocalError, match="local variable 'a'"):
        rg.adjoint(that_reads_it)(x, v, 0, x, v)
