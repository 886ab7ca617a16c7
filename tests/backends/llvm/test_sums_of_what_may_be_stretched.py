"""Sums of what is calculated from arrays whose extents are found to be equal when they run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg

SHAPES = [((n,), (m,)) for n in (1, 2, 7, 31, 32, 33, 100) for m in sorted({1, n})]
SHAPES += [((1, 5), (3, 5)), ((3, 1), (3, 5)), ((3, 5), (3, 5)), ((0,), (0,)), ((0,), (1,))]


def squares(x: Any, y: Any) -> Any:
    return np.sum((x - y) * (x - y))


def kept(x: Any, y: Any) -> Any:
    return np.sum((x - y) * (x - y), keepdims=True)


def largest(x: Any, y: Any) -> Any:
    return np.max(x * y)


@pytest.mark.parametrize("f", [squares, kept, largest])
def test_the_bits_are_those_of_the_array(f: Any) -> None:
    """What is summed up is made as an array first, where it has another use."""
    data = np.random.default_rng(0)
    combined = {
        squares: lambda x, y: np.sum(difference(x, y)),
        kept: lambda x, y: np.sum(difference(x, y), keepdims=True),
        largest: lambda x, y: np.max(product(x, y)),
    }[f]
    ours, apart = rg.jit(f), rg.jit(combined)
    for one, other in SHAPES:
        if f is largest and 0 in (*one, *other):
            continue
        x, y = data.normal(size=one), data.normal(size=other)
        assert np.asarray(ours(x, y)).tobytes() == np.asarray(apart(x, y)).tobytes()
        np.testing.assert_allclose(ours(x, y), f(x, y), rtol=1e-12)


def difference(x: Any, y: Any) -> Any:
    made = (x - y) * (x - y)
    out = np.empty(made.shape)
    out[...] = made
    return out


def product(x: Any, y: Any) -> Any:
    out = np.empty((x * y).shape)
    out[...] = x * y
    return out


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        rg.jit(squares)(np.ones(3), np.ones(4))


def test_there_is_no_array_where_nothing_is_stretched() -> None:
    ours = rg.jit(squares)
    x, y = np.arange(1000.0), np.ones(1000)
    ours(x, y)
    plain = ours.stats()
    ours(x, np.ones(1))
    stretched = ours.stats()
    assert plain is not None
    assert stretched is not None
    assert plain.peak_bytes == 0
    assert stretched.peak_bytes >= x.nbytes
