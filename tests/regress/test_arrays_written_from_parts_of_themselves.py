"""`y[ix] = y[:3]` and `np.add.at(y, ix, y)` read elements that they had written already.

The values were wrong, without a word. A single value for many indices was refused, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg

X = np.arange(1.0, 6.0)
M = np.arange(12.0).reshape(4, 3)


def assigned(x: Any) -> Any:
    y = x.copy()
    y[np.array([1, 2, 3])] = y[:3]
    return y


def added(x: Any) -> Any:
    y = x.copy()
    np.add.at(y, np.array([1, 2, 3]), y[:3])
    return y


def added_to_itself(x: Any) -> Any:
    y = x.copy()
    np.add.at(y, np.array([1, 2, 0, 4, 3]), y)
    return y


def row_assigned(m: Any) -> Any:
    y = m.copy()
    y[np.array([0, 1, 2])] = y[1]
    np.multiply.at(y, np.array([2, 3]), y[2])
    return y


def one_for_all(x: Any) -> Any:
    y = x.copy()
    y[np.array([1, 2, 3])] = np.array([7.0])
    y[np.array([1, 2])] += x[4:]
    return y


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("f", "x"),
    [(assigned, X), (added, X), (added_to_itself, X), (row_assigned, M), (one_for_all, X)],
)
def test_as_in_numpy(f: Any, x: Any) -> None:
    np.testing.assert_array_equal(rg.jit(f)(x), f(x))
    rg.check_grads(lambda x: np.sum(f(x) ** 2.0), (x,))
