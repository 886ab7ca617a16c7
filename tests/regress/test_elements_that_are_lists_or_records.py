"""Uncompiled, `build` made one array of elements that are lists or records, compiled several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg


class Pair(NamedTuple):
    one: Any
    other: Any


@dataclass(frozen=True)
class Record:
    one: Any
    other: Any


X = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize("kind", [list, Pair, Record])
def test_compiled_or_not(kind: type) -> None:
    def f(x):
        if kind is list:
            return rg.map(lambda a: [a, a * a], x)
        return rg.map(lambda a: kind(a, a * a), x)

    for found in (f(X), rg.jit(f)(X)):
        assert type(found) is kind
        one, other = found if isinstance(found, (list, tuple)) else (found.one, found.other)
        np.testing.assert_array_equal(one, X)
        np.testing.assert_array_equal(other, X * X)


def test_lists_in_tuples() -> None:
    def f(x):
        return rg.build(3, lambda k: (x[k], [k, (x[k], x)]))

    for one, (two, (three, rows)) in (f(X), rg.jit(f)(X)):
        np.testing.assert_array_equal(one, X)
        np.testing.assert_array_equal(two, [0, 1, 2])
        np.testing.assert_array_equal(three, X)
        np.testing.assert_array_equal(rows, [X, X, X])


@pytest.mark.parametrize("compiled", [lambda f: f, rg.jit], ids=["plain", "compiled"])
def test_lists_of_vmap(compiled: Callable[..., Any]) -> None:
    f = rg.vmap(lambda a: [a, a * np.ones(2)], out_axes=(0, 1))
    one, rows = compiled(lambda x: f(x))(X)
    np.testing.assert_array_equal(one, X)
    np.testing.assert_array_equal(rows, [X, X])
