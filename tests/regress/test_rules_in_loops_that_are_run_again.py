"""A loop whose body was run again had the value of a function, not that of its forward rule."""

from __future__ import annotations

from typing import Any

import numpy as np

import retrograd as rg


@rg.custom_vjp
def cube(x: Any) -> Any:
    return x**3


def forward(x: Any) -> tuple[Any, Any]:
    return 2.0 * x**3, x


cube.defvjp(forward, lambda x, bar: (3.0 * x * x * bar,))


def loss(x: Any) -> Any:
    for _ in range(3):
        x = np.sin(cube(x)) * x
    return np.sum(x)


def test_the_value_is_that_of_the_rule() -> None:
    x = np.linspace(0.2, 1.3, 5)
    expected = x
    for _ in range(3):
        expected = np.sin(2.0 * expected**3) * expected
    value, _ = rg.value_and_grad(loss)(x)
    np.testing.assert_allclose(value, np.sum(expected), rtol=1e-12)
