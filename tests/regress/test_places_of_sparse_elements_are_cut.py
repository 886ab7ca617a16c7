"""Places of the elements of sparse matrices that are floats: their fractions are cut off first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import retrograd as rg

V = np.array([1.0, 2.0, 3.0])
ONES = np.ones(3)


def triplets(v: Any, rows: Any) -> Any:
    return np.sum(sp.csr_matrix((v, (rows, np.arange(3))), (2, 3)).toarray() ** 3)


def of_no_shape(v: Any, rows: Any) -> Any:
    return np.sum(sp.csr_matrix((v, (rows, np.arange(3)))).toarray() ** 3)


def compressed(v: Any, places: Any) -> Any:
    return np.sum(sp.csr_matrix((v, places, np.array([0.0, 1.0, 3.0])), (2, 3)).toarray() ** 3)


@pytest.mark.parametrize(
    ("function", "places"),
    [(triplets, np.array([1.2, -0.2, 0.9])), (compressed, np.array([0.2, -0.5, 2.2]))],
)
def test_fractions_are_cut_off(function: Callable[..., Any], places: Any) -> None:
    assert rg.jit(function)(V, places) == function(V, places)
    assert np.allclose(rg.grad(function)(V, places), 3.0 * V**2)
    assert np.allclose(rg.grad(function, memory=10**6)(V, places), 3.0 * V**2)
    value, tangent = rg.jvp(function, (V, places), (ONES, np.zeros(3)))
    assert (value, tangent) == (function(V, places), np.sum(3.0 * V**2))


def test_a_place_below_zero_raises() -> None:
    with pytest.raises(ValueError, match="negative"):
        rg.jit(triplets)(V, np.array([-1.2, 0.0, 0.0]))


def test_floats_say_no_shape() -> None:
    for function in (of_no_shape, rg.jit(of_no_shape)):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            function(V, np.array([1.2, 0.2, 0.9]))
