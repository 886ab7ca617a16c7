"""Objects as arguments of derivatives inside of programs."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false


class Scale:
    """Parameters in an object of another one."""

    def __init__(self, s):
        self.s, self.n, self.name = s, 3, "scale"


class Layer:
    """Parameters, and what is none."""

    def __init__(self, w, b):
        self.w, self.b, self.scale = w, b, Scale(0.5)
        self.other = None

    def __call__(self, x):
        return self.scale.s * np.tanh(self.w @ x + self.b)


W, B, ONES = np.arange(4.0).reshape(2, 2) / 7.0, np.array([0.5, -1.0]), np.ones(2)


def loss(layer):
    return np.sum(layer(ONES) ** 2)


def trained(w, b):
    """Descent on an object."""
    layer = Layer(w, b)
    for _ in range(3):
        g = rg.grad(loss)(layer)
        layer.w = layer.w - 0.1 * g.w
        layer.b = layer.b - 0.1 * g.b
        layer.scale.s = layer.scale.s - 0.1 * g.scale.s
    return loss(layer)


def trained_arrays(w, b):
    """The same without objects."""

    def loss(w, b, s):
        return np.sum((s * np.tanh(w @ ONES + b)) ** 2)

    s = 0.5
    for _ in range(3):
        gw, gb, gs = rg.grad(loss, argnums=(0, 1, 2))(w, b, s)
        w, b, s = w - 0.1 * gw, b - 0.1 * gb, s - 0.1 * gs
    return loss(w, b, s)


def test_descent_on_an_object():
    assert rg.jit(trained)(W, B) == pytest.approx(trained_arrays(W, B), rel=1e-14)
    found = rg.grad(trained, argnums=(0, 1))(W, B)
    expected = rg.grad(trained_arrays, argnums=(0, 1))(W, B)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def attributes(w, b):
    g = rg.value_and_grad(loss)(Layer(w, b))[1]
    return g.w, g.b, g.scale.s, g.scale.n is None, g.other is None


def pulled(w, b):
    """A pullback is of the object as it was."""
    layer = Layer(w.copy(), b)
    y, pullback = rg.vjp(lambda p: p(ONES), layer)
    layer.w *= 7.0
    layer.b = b * 3.0
    (g,) = pullback(ONES)
    return y, g.w, g.b


def pushed(w, b):
    y, y_dot = rg.jvp(lambda p: p(ONES), (Layer(w, b),), (Layer(w * 2.0, b),))
    return y, y_dot


def linear(w, b):
    """A derivative is of the object as it was."""
    layer = Layer(w, b)
    y, f_dot = rg.linearize(lambda p: p(ONES), layer)
    layer.w = w * 7.0
    return y, f_dot(Layer(w * 2.0, b))


def jacobian(w, b):
    j = rg.jacrev(lambda p: p(ONES))(Layer(w, b))
    return j.w, j.b, j.scale.s


def changing(layer):
    """Changes what it is given."""
    layer.b = layer.b * 2.0
    layer.w *= 3.0
    return np.sum(layer.w) + np.sum(layer.b)


def unchanged(w, b):
    """Derivatives write nothing back."""
    layer = Layer(w.copy(), b)
    g = rg.grad(changing)(layer)
    return g.w, g.b, layer.w, layer.b


@pytest.mark.parametrize("f", [attributes, pulled, pushed, linear, jacobian, unchanged])
def test_compiled_and_not(f):
    for one, other in zip(rg.jit(f)(W, B), f(W, B), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def given_twice(w, b):
    layer = Layer(w, b)
    return rg.grad(lambda p, q: np.sum(p.w * q.w), argnums=1)(layer, layer).w


def test_an_object_that_is_given_twice_is_two_arguments():
    np.testing.assert_array_equal(rg.jit(given_twice)(W, B), W)


def changed_twice(w, b):
    """Changes one of two names of an object."""

    def f(p, q):
        p.w = p.w * 2.0
        return np.sum(p.w * q.w)

    layer = Layer(w, b)
    return rg.grad(f)(layer, layer).w


def changed_around(w, b):
    """Changes an object that it refers to itself, too."""
    layer = Layer(w, b)

    def f(p):
        p.w = p.w * 2.0
        return np.sum(p.w * layer.w)

    return rg.grad(f)(layer).w


def with_list(w, b):
    layer = Layer(w, b)
    layer.other = []
    layer.other.append(b)
    return rg.grad(lambda p: np.sum(p.other[0]))(layer).w


def in_itself(w, b):
    layer = Layer(w, b)
    layer.other = layer
    return rg.grad(lambda p: np.sum(p.w))(layer).w


def other_tangent(w, b):
    return rg.jvp(loss, (Layer(w, b),), (Scale(1.0),))[1]


@pytest.mark.parametrize(
    ("f", "code", "words"),
    [
        (changed_twice, "RG0307", "given one twice"),
        (changed_around, "RG0307", "given one twice"),
        (with_list, "RG0103", "close over it"),
        (in_itself, "RG0103", "close over it"),
        (other_tangent, "RG0115", "a tangent of its class"),
    ],
)
def test_refusals(f, code, words):
    with pytest.raises(rg.UserError, match=words) as caught:
        rg.jit(f)(W, B)
    assert caught.value.code == code
    assert caught.value.span is not None
