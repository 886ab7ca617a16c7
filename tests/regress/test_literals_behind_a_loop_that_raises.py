"""In a `try`, a function that ends in an exception inside of a loop made numbers of its literals.

What a path has that jumps to a handler fits with anything; where the other path had what was there
before, the variable became one of the run, and `lower=True` was no literal any more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import retrograd as rg
from tests.frontend.harness import agree

solve_triangular: Any = scipy.linalg.solve_triangular


def _tested(a: Any) -> None:
    for k in range(len(a)):
        if a[k] == 0.0:
            raise ValueError(f"zero at {k}")


def _summed(a: Any, flag: Any = False) -> Any:
    _tested(a)
    return np.sum(a * a, keepdims=flag)


def own(a: Any) -> Any:
    try:
        found = np.sum(_summed(a, flag=True))
    except ValueError:
        found = a[0] * a[1]
    return found


def of_scipy(a: Any) -> Any:
    try:
        return np.sum(solve_triangular(np.outer(a, a), a, lower=True))
    except np.linalg.LinAlgError:
        return a[1]


@pytest.mark.parametrize("f", [own, of_scipy])
def test_values(f: Any) -> None:
    agree(f, np.array([1.0, 2.0, 3.0]))
    agree(f, np.array([0.0, 2.0, 3.0]))


def test_slopes() -> None:
    assert rg.grad(own)(np.array([1.0, 2.0, 3.0])).tolist() == [2.0, 4.0, 6.0]
    assert rg.grad(own)(np.array([5.0, 0.0, 3.0])).tolist() == [0.0, 5.0, 0.0]
