"""`pop` of a list of objects whose length is known at run time only failed inside the compiler."""

from __future__ import annotations

import numpy as np

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false


class Node:
    def __init__(self, x):
        self.x = x


def last_of_some(x, n):
    items = [Node(2.0 * x)]
    for k in range(n):
        items.append(Node(x * k))
    p = items.pop()
    p.x += x
    first = items.pop(0)
    return p.x * first.x + sum(o.x for o in items)


def test_values_and_slopes_are_those_of_python() -> None:
    for n in (1, 2, 4):
        value, slope = rg.value_and_grad(last_of_some)(0.75, n)
        assert value == last_of_some(0.75, n)
        near = (last_of_some(0.75 + 1e-6, n) - last_of_some(0.75 - 1e-6, n)) / 2e-6
        np.testing.assert_allclose(slope, near, rtol=1e-8)
