"""Views of arrays, what solvers tell, and what is said of what is not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

X = np.array([1.0, 2.0, 3.0])


def views(x):
    y = x.copy()
    z = y.view()
    z[0] = 9.0
    z += 1.0
    turned = x.reshape(3, 1).T.view(np.ndarray)[0]
    return y, z.view(np.float64), turned, np.sum(x).view(), np.arange(3).view(np.int64)


def told(x):
    found = optimize.root_scalar(lambda z: z * z - x[0], bracket=(0.0, 3.0))
    kept = optimize.brentq(lambda z: z * z - x[1], 0.0, 3.0, full_output=True)[1]
    return found.flag == "converged", kept.flag == "converged", found.converged


def test_what_python_gives() -> None:
    agree(views, X)
    assert rg.jit(told)(X) == told(X) == (True, True, True)


def bowl(z):
    return (z[0] - 1.0) ** 2 + (z[1] + 2.0) ** 2


def curve(z):
    return np.array([z[0] - 1.0, 10.0 * (z[1] - z[0] ** 2)])


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("f", "said"),
    [
        (lambda x: x.view(np.int64), "astype"),
        (lambda x: x.resize(5), r"np\.resize"),
        (lambda x: np.ma.sort(x).sum(), r"np\.where"),
        (lambda x: np.sum(np.matrix(x)), r"'matrix' is not accepted[\s\S]*A @ B"),
        (lambda x: np.sum(np.asmatrix(x)), r"np\.asmatrix makes an np\.matrix[\s\S]*A @ B"),
        (lambda x: np.sum(np.recarray(x)), r"recarray.* is not known"),
        (lambda x: np.ma.polyfit(x, x, 1)[0], r"np\.where"),
        (lambda x: np.ma.corrcoef(x, x).sum(), r"np\.where"),
        (lambda x: optimize.minimize(bowl, x[:2]).nit, "call SciPy outside"),
        (lambda x: optimize.least_squares(curve, x[:2]).nfev, "call SciPy outside"),
        (lambda x: optimize.root(curve, x[:2]).njev, "call SciPy outside"),
    ],
)
def test_ways_out_are_specific(f: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        rg.jit(f)(X)
