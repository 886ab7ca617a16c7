"""Loops over a list to which their body appends: Python asks for the next place each time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

A = np.array([2.0, 0.5, 4.0])


def halved(x: Any) -> Any:
    todo = [(0, x[0])]
    s = 0.0
    for depth, v in todo:
        s = s + v * v
        if depth == 3:
            continue
        todo.append((depth + 1, v * 0.5))
        todo.extend([(depth + 1, v * x[1])])
    else:
        s = s * 2.0
    return s


def until_large(x: Any) -> Any:
    line = [x[0]]
    for p in line:
        if p < x[2] * 4.0:
            line.append(p * 2.0 + 1.0)
    return sum(line) * len(line)


def inner_loops(x: Any) -> Any:
    line = [x[0], x[1]]
    n = 0
    for p in line:
        for _ in line:
            n += 1
        if len(line) < 5:
            line.append(p + x[2])
    return n * line[-1]


def of_another_name(x: Any) -> Any:
    line = [1]
    for p in line:
        line = [*line, 2]
        if p < 3:
            line.append(5)
        if len(line) > 10:
            line = []
    return x[0] * len(line)


@pytest.mark.parametrize("f", [halved, until_large, inner_loops, of_another_name])
def test_values_are_those_of_python(f: Callable[..., Any]) -> None:
    agree(f, A)


def test_slopes() -> None:
    # The items are v, 2 v + 1, 4 v + 3, 8 v + 7: the last is the first that is not below 16.
    assert rg.grad(until_large)(A).tolist() == [15.0 * 4, 0.0, 0.0]


def test_what_is_still_refused() -> None:
    def places(x: Any) -> Any:
        line = [x[0]]
        for k, v in enumerate(line):
            line.append(v)
            if k > 3:
                break
        return sum(line)

    with pytest.raises(UserError, match="changes its length"):
        rg.jit(places)(A)
