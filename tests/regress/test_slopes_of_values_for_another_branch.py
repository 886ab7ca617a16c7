"""A gradient was nan: a value that only the branch not taken uses has an infinite slope."""

import math

import numpy as np
import pytest

import retrograd as rg


def near_zero(x):
    root = np.sqrt(x)
    if root < 1e-4:
        return x
    return 2.0 * root + x


def direction(v):
    length = np.sqrt(np.dot(v, v))
    if length == 0.0:
        return np.sum(v)
    return v[0] / length


def steps(x, y):
    r = math.sqrt(x * x + y * y)
    inverse = 1.0 / r if r > 0.0 else 0.0
    if r > 1e-9:
        return inverse * x
    elif r > 1e-300:
        return inverse * y
    return x


def over_a_loop(xs):
    total = 0.0
    for x in xs:
        r = math.sqrt(x)
        t = math.log(x) if x > 0.0 else 0.0
        if r > 0.5:
            total += r * t
        else:
            total += x
    return total


CASES = {
    "root": (near_zero, (0.0,), (1.0,)),
    "direction": (direction, (np.zeros(3),), (np.ones(3),)),
    "steps": (steps, (0.0, 0.0), (1.0, 0.0)),
    "loop": (over_a_loop, (np.array([0.0, 1.0]),), (np.array([1.0, 1.0]),)),
}


@pytest.mark.parametrize("name", CASES)
def test_gradient(name):
    f, args, want = CASES[name]
    argnums = tuple(range(len(args)))
    found = rg.grad(f, argnums)(*args)
    for one, other, again in zip(
        found, want, rg.grad(f, argnums, memory="40kB")(*args), strict=True
    ):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(again, other)


def test_second_derivatives_and_other_places():
    np.testing.assert_array_equal(rg.hessian(direction)(np.zeros(3)), np.zeros((3, 3)))
    assert rg.grad(rg.grad(near_zero))(0.0) == 0.0
    for f, args in ((near_zero, (0.5,)), (direction, (np.arange(3.0),)), (steps, (0.5, 0.25))):
        rg.check_grads(f, args, order=2)
