"""`a = s.items[1]` and `a = self.n` are copies of numbers, also where `a` is updated afterwards.

They were taken for names of parts of arrays: the items changed, and the gradient with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false


class Held:
    def __init__(self, x: Any, n: float) -> None:
        self.x, self.n = x, n


@rg.reversible
def of_an_element(h, x, y):
    a = h.x[1]
    for k in range(3):
        a += x[k]
    y += a


@rg.reversible
def of_an_attribute(h, x, y):
    a = h.n
    for k in range(3):
        a += x[k]
    y += a


@rg.reversible
def of_an_element_of_a_slice(h, x, y):
    a = x[:2][1]
    a += h.n
    y += a


@rg.reversible
def of_an_array(h, x, y):
    a = h.x
    a += x
    y += a


@pytest.mark.parametrize("f", [of_an_element, of_an_attribute, of_an_element_of_a_slice])
def test_as_the_plain_function(f: Any) -> None:
    def loss(step: Any, x: Any, n: Any) -> Any:
        h, y, x = Held(3.0 * x, n), np.ones(3), 1.0 * x
        step(h, x, y)
        return np.sum(y * y) + np.sum(h.x * x) + h.n

    plain = f.__wrapped__

    def undecorated(x: Any, n: Any) -> Any:
        return loss(plain, x, n)

    def decorated(x: Any, n: Any) -> Any:
        return loss(f, x, n)

    x = np.array([0.5, 0.25, 2.0])
    assert decorated(x, 0.75) == undecorated(x, 0.75) == rg.jit(decorated)(x, 0.75)
    pairs = (rg.grad(g, argnums=(0, 1))(x, 0.75) for g in (decorated, undecorated))
    for one, other in zip(*pairs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)


@pytest.mark.parametrize("run", [lambda f: f, rg.jit])
def test_an_array_is_refused(run: Any) -> None:
    def call(x: Any) -> Any:
        h, y = Held(3.0 * x, 1.0), np.ones(3)
        of_an_array(h, 1.0 * x, y)
        return np.sum(y)

    with pytest.raises(rg.InvertibilityError, match="part of another array"):
        run(call)(np.ones(3))
