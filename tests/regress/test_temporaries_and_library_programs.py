"""Lists and objects that an expression has made before it calls a program that branches.

A function of the library is translated in place, and forgot them at its branches: an assertion
failed for lists, and attributes of objects were said not to be assigned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import retrograd as rg


class Point:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __add__(self, other: Any) -> Any:
        return Point(self.a + other)


def averages(x: Any) -> Any:
    head = np.sum(np.hstack(([np.mean(x[:i]) for i in range(1, len(x))], np.convolve(x, x))))
    pair = {"a": [x[i] for i in range(1, len(x))], "b": np.convolve(x, x)}
    return head + np.dot(pair["a"], pair["b"][:2]) + np.sum((Point(x[0]) + np.convolve(x, x)).a)


def test_what_an_expression_has_made_stays() -> None:
    x = np.array([0.5, 0.4, 0.2])
    value, slopes = rg.value_and_grad(averages)(x)
    assert abs(value - averages(x)) < 1e-14
    assert rg.check_grads(averages, (x,), 1).ok
    assert slopes.shape == (3,)
