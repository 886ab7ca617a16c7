"""A name that one path of a group of definitions assigns was taken for one of its arguments.

The adjoint then read a cotangent that nobody had begun on every path, which was taken for the end
of the program's own path: the compiled function gave None, and gradients were zero.
"""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg


def unread(c, u):
    a = 0.25
    if u[0] > -0.2:
        a = u[0] * 0.5
    elif u[1] > 0.0:
        b = 1.0  # noqa: F841
    if u[1] > 1.0:
        c = c + a * u[1]
        if u[0] > -0.2:
            d = a  # noqa: F841
    return c


def read_where_it_is_assigned(c, u):
    a = 0.25
    if u[0] > -0.2:
        a = u[0] * 0.5
    elif u[1] > 0.0:
        b = 1.0
        b = b + u[1]
        a = b * u[0]
    c = c + a * u[1]
    return c


@pytest.mark.parametrize("fun", [unread, read_where_it_is_assigned])
@pytest.mark.parametrize("first", [0.7, -0.7])
def test_the_same_as_by_the_plain_text(fun, first):
    made = rg.reversible(fun)
    args = 1.5, np.array([first, 2.0])

    def loss(call, c, u):
        c = call(c, u)
        return c * c

    assert rg.jit(lambda c, u: made(c, u))(*args) == fun(*args)
    found, wanted = (
        rg.value_and_grad(lambda c, u, call=call: loss(call, c, u), argnums=(0, 1))(*args)
        for call in (made, fun)
    )
    assert found[0] == wanted[0]
    for one, other in zip(found[1], wanted[1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
