"""Derivatives inside programs become nodes of the program; checked against central differences."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from retrograd.backends.interp.eval import run
from retrograd.backends.interp.tape import Tape
from retrograd.errors import UserError
from retrograd.frontend.derivatives import intrinsics
from retrograd.frontend.identity.specs import specs_of
from retrograd.frontend.identity.transformed import Ruled, Transformed
from retrograd.frontend.trace import trace_function
from retrograd.ir.check import check_program
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.ad.jvp import expand_jvp_nodes
from retrograd.transforms.ad.vjp import lower_vjp_nodes


class Pair(NamedTuple):
    a: float
    b: object


def grad(f, argnums=0, has_aux=False):
    return Transformed("grad", f, argnums, has_aux)


def value_and_grad(f, argnums=0, has_aux=False):
    return Transformed("value_and_grad", f, argnums, has_aux)


def jit(f):
    return Transformed("jit", f)


def jvp(f, primals, tangents):
    raise AssertionError("only inside programs")


def stop_gradient(x):
    return x


HANDLERS = {
    f"{__name__}.{fun.__name__}": handler
    for fun, handler in (
        (grad, intrinsics.transform("grad")),
        (value_and_grad, intrinsics.transform("value_and_grad")),
        (jit, intrinsics.transform("jit")),
        (jvp, intrinsics.jvp),
        (stop_gradient, intrinsics.stop_gradient),
    )
}


def evaluate(f, *args):
    traced = trace_function(f, specs_of(args), intrinsics=HANDLERS)
    program = traced.program
    check_program(program, DEFAULT)
    program = expand_jvp_nodes(program, supply_for(program), DEFAULT)
    program = lower_vjp_nodes(program, supply_for(program), DEFAULT)
    check_program(program, DEFAULT)
    flat = traced.flatten(args)
    return traced.unflatten(run(program, flat, DEFAULT, tape=Tape()), flat)


def square(x):
    return x * x


def cube_and_aux(x, k):
    return x**3, (k, x)


def dot(x, y):
    return np.sum(x * y)


def overwrites(x):
    x[0] = x[0] * x[1]
    return x[0]


square_slope = grad(square)
SCALE = 3.0


def scaled(x):
    return x * x * SCALE


def test_gradient_of_a_global():
    assert evaluate(lambda x: grad(square)(x) + 1, 3.0) == 7.0


def test_transformed_made_outside():
    assert evaluate(lambda x: square_slope(x) * 2, 3.0) == 12.0


def test_captured_values_are_arguments():
    def f(x, y):
        def inner(v):
            return v * v * y

        return grad(inner)(x)

    assert evaluate(f, 3.0, 5.0) == 30.0
    assert evaluate(lambda x: grad(scaled)(x), 2.0) == 12.0


def test_gradient_of_captured_variable_from_outside():
    def outer(y):
        return grad(lambda v: v * v * y)(3.0) * y

    assert evaluate(lambda y: grad(outer)(y), 5.0) == pytest.approx(2 * 2 * 3 * 5)


def test_second_derivative():
    assert evaluate(lambda x: grad(grad(math.sin))(x), 0.7) == pytest.approx(-math.sin(0.7))
    assert evaluate(lambda x: grad(grad(lambda v: v**3))(x), 2.0) == pytest.approx(12.0)


def test_value_and_aux():
    value, aux = evaluate(lambda x: value_and_grad(cube_and_aux, has_aux=True)(x, 4), 2.0)
    assert value == (8.0, (4, 2.0))
    assert aux == pytest.approx(12.0)
    assert evaluate(lambda x: grad(cube_and_aux, has_aux=True)(x, 4), 2.0) == (12.0, (4, 2.0))


def test_several_arguments():
    x, y = np.array([1.0, 2]), np.array([3.0, 4])
    gx, gy = evaluate(lambda x, y: grad(dot, argnums=(0, 1))(x, y), x, y)
    np.testing.assert_array_equal(gx, y)
    np.testing.assert_array_equal(gy, x)
    np.testing.assert_array_equal(evaluate(lambda x, y: grad(dot, argnums=-1)(x, y), x, y), x)


def test_the_same_array_twice_is_two_arguments():
    x = np.array([1.0, 2])
    np.testing.assert_array_equal(evaluate(lambda x: grad(dot)(x, x), x), x)


def test_views_are_differentiated_as_their_content():
    x = np.arange(6.0)
    found = evaluate(lambda x: grad(lambda v: np.sum(v * v))(x[1:4]), x)
    np.testing.assert_array_equal(found, 2 * x[1:4])


def test_arguments_are_not_changed():
    def f(x):
        g = grad(overwrites)(x)
        return g, x

    g, x = evaluate(f, np.array([2.0, 3.0]))
    np.testing.assert_array_equal(g, [3.0, 2.0])
    np.testing.assert_array_equal(x, [2.0, 3.0])


def test_trees():
    def f(p):
        return grad(lambda q: q.a * np.sum(q.b))(p)

    found = evaluate(f, Pair(2.0, np.array([1.0, 3.0])))
    assert isinstance(found, Pair)
    assert found.a == 4.0
    np.testing.assert_array_equal(found.b, [2.0, 2.0])


def test_jvp():
    y, y_dot = evaluate(lambda x, v: jvp(square, (x,), (v,)), 3.0, 2.0)
    assert (y, y_dot) == (9.0, 12.0)
    y, y_dot = evaluate(lambda x: jvp(lambda a, k: (a * k, k), (x, 2), (1.0, None)), 3.0)
    assert (y, y_dot) == ((6.0, 2), (2.0, None))


def test_stop_gradient():
    assert evaluate(lambda x: grad(lambda v: v * stop_gradient(v))(x), 3.0) == 3.0


def test_jit_is_a_call():
    assert evaluate(lambda x: jit(square)(x), 3.0) == 9.0


def test_gradient_in_a_loop():
    def newton(x):
        for _ in range(20):
            x = x - (x * x - 2) / grad(lambda v: v * v - 2)(x)
        return x

    assert evaluate(newton, 1.0) == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize(
    ("f", "args", "code"),
    [
        (lambda x: grad(square)(x), (3,), "RG0115"),
        (lambda x: grad(lambda v: v * 2)(x), (np.ones(2),), "RG0115"),
        (lambda x: grad(lambda v: (v, v))(x), (1.0,), "RG0115"),
        (lambda x: grad(square, argnums=1)(x), (1.0,), "RG0115"),
        (lambda x: grad(x)(x), (1.0,), "RG0107"),
        (lambda x: jvp(square, (x,), (np.ones(2),)), (1.0,), "RG0115"),
        (lambda x: jvp(square, x, x), (1.0,), "RG0115"),
    ],
)
def test_misuse(f, args, code):
    with pytest.raises(UserError) as caught:
        evaluate(f, *args)
    assert caught.value.code == code
    assert caught.value.span is not None


# Rules of the user's.

OFFSET = 0.5


def tangent_rule(primals, tangents):
    x, k = primals
    return x * x * k + OFFSET, 100.0 * tangents[0]  # not the true tangent: so we see it is used


def offset_square(x, k):
    return x * x * k + OFFSET


def weighted(x, y):
    return np.sum(x) * y


def weighted_forward(x, y):
    return np.sum(x) * y, (x, y)


def weighted_pullback(residuals, bar):
    x, y = residuals
    return 10.0 * bar * y * np.ones(len(x)), None


def limited(limit, x):
    return x


def limited_forward(limit, x):
    return x, None


def limited_pullback(limit, _, bar):
    return (max(-limit, min(limit, bar)),)


ruled = Ruled("jvp", offset_square, (), tangent_rule)
reversed_rule = Ruled("vjp", weighted, (), weighted_forward, weighted_pullback)
clipped = Ruled("vjp", limited, (0,), limited_forward, limited_pullback)


def test_tangent_rule():
    assert evaluate(lambda x: ruled(x, 3), 2.0) == 12.5
    assert evaluate(lambda x: grad(lambda v: 2 * ruled(v, 3))(x), 2.0) == 200.0
    assert evaluate(lambda x: jvp(ruled, (x, 3), (1.0, None)), 2.0) == (12.5, 100.0)
    assert evaluate(ruled, 2.0, 3) == 12.5


def test_cotangent_rule():
    x = np.array([1.0, 2.0])
    assert evaluate(reversed_rule, x, 2.0) == 6.0
    gx, gy = evaluate(lambda x, y: grad(reversed_rule, argnums=(0, 1))(x, y), x, 2.0)
    np.testing.assert_array_equal(gx, [20.0, 20.0])
    assert gy == 0.0


def test_arguments_that_are_not_differentiated():
    assert evaluate(lambda x: grad(lambda v: 5.0 * clipped(1.5, v))(x), 3.0) == 1.5
