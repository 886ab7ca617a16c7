"""A stack that a reversible function gives to another, and is not changed, has a cotangent."""

import copy
import pickle

import numpy as np

import retrograd as rg


@rg.reversible
def inner(a, s, u):
    a += s * u.items[0]
    return a


@rg.reversible
def outer(y, s, u):
    if s > 0.5:
        y = inner(y, s, u)
    return y


def _stack(items):
    return rg.Stack(items.copy(), np.array([2]))


def test_the_adjoint_adds_to_the_cotangent_of_the_stack():
    items, bar = np.array([0.5, -1.0, 0.0]), np.array([0.125, 0.25, 0.0])
    given = _stack(items)
    (y, s, u), (y_bar, s_bar, u_bar) = rg.adjoint(outer)(3.0, 2.0, given, 1.5, 0.25, _stack(bar))
    assert (y, s, u.count) == (2.0, 2.0, 2)
    assert (y_bar, s_bar) == (1.5, 0.25 + 1.5 * 0.5)
    np.testing.assert_array_equal(u_bar.items, bar + [1.5 * 2.0, 0.0, 0.0])
    assert u_bar.count == given.count == 2


def test_the_gradient_is_that_of_the_plain_text():
    def loss(function):
        def of(y, s, items):
            u = _stack(items)
            y = function(y, s, u)
            return y * y + np.sum(u.items * u.items)

        return of

    items = np.array([0.5, -1.0, 0.0])
    found = rg.grad(loss(outer), argnums=(0, 1, 2))(3.0, 2.0, items)
    plain = rg.grad(loss(lambda y, s, u: y + s * u.items[0]), argnums=(0, 1, 2))(3.0, 2.0, items)
    for one, other in zip(found, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)


def test_adjoints_say_whose_they_are():
    adjoint = rg.adjoint(outer)
    assert repr(adjoint) == "<adjoint of <reversible function outer>>"
    assert repr(rg.adjoint(rg.inverse(outer))) == (
        "<adjoint of <reversible function inverse to outer>>"
    )
    for again in (copy.copy(adjoint), pickle.loads(pickle.dumps(adjoint))):
        assert repr(again) == repr(adjoint)
        assert again(3.0, 2.0, _stack(np.zeros(2)), 1.0, 0.0, _stack(np.zeros(2)))[0][0] == 3.0
