"""Parts of arrays whose number is known at run time only, bytes of arrays, ufuncs at places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

X, M = np.arange(12.0) - 4.5, np.arange(12.0).reshape(3, 4)


def of_parts(x: Any, n: int) -> Any:
    total, parts = 0.0, np.split(x, n)
    for k, part in enumerate(parts):
        total += (k + 1) * np.max(part) * len(part)
    return total, parts[n - 1], [np.sum(p) for p in np.array_split(x, n)]


def in_a_function(x: Any, n: int = 3) -> Any:
    return np.split(x, n)


def of_known_number(x: Any) -> Any:
    first, _, last = in_a_function(x)
    one, other = np.split(x, np.array([5]))
    return first, last, one, other, [np.sum(p) for p in np.array_split(x, 5)]


@pytest.mark.parametrize("n", [1, 3, 4, 5, 0])
def test_parts_of_the_run(n: int) -> None:
    if n == 5:
        with pytest.raises(ValueError, match="equal division"):
            rg.jit(of_parts)(X, n)
        return
    agree(of_parts, X, n)


def test_parts_of_a_known_number() -> None:
    for ours, theirs in zip(rg.jit(of_known_number)(X), of_known_number(X), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    slopes = rg.grad(lambda x, n: of_parts(x, n)[0])(X, 3)
    np.testing.assert_array_equal(np.nonzero(slopes)[0], [3, 7, 11])


def split(x: Any, n: Any) -> Any:
    return np.array_split(x, n)


def test_unequal_parts_of_the_run() -> None:
    for n in (1, 3, 5, 20):
        ours, theirs = rg.jit(split)(X, n), split(X, n)
        assert [part.tolist() for part in ours] == [part.tolist() for part in theirs]


def bytes_of(m: Any) -> Any:
    return m.itemsize, m.nbytes, (m > 1.0).nbytes, m[:, :2].nbytes, m.astype(int).itemsize


def at_places(m: Any) -> Any:
    x, i = m[0].copy(), np.array([0, 1, 1])
    np.divide.at(x, i, [2.0, 4.0, 0.5])
    np.power.at(x, i, 2.0)
    np.hypot.at(x, i, 1.5)
    np.fmax.at(x, i, 2.5)
    np.logaddexp.at(x, i, 0.25)
    return x


@pytest.mark.parametrize("f", [bytes_of, at_places])
def test_as_numpy(f: Any) -> None:
    agree(f, M)


def test_how_an_array_lies_in_memory_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        rg.jit(lambda x: x.strides)(X)
    assert "sliding_window_view" in (caught.value.way_out or "")
    assert rg.check_grads(lambda m: at_places(m + 1.0), (M,), 1).ok
