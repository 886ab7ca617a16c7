"""`vmap` outside of a program took a list for one array, and lost records.

Compiled, a list was a list of arrays with an axis each: other numbers, and no word about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg

X = np.array([1.0, 2.0, 3.0])


class Pair(NamedTuple):
    u: Any
    v: Any


@dataclass(frozen=True)
class Record:
    u: Any
    v: Any


def of_list(x: Any) -> Any:
    return rg.vmap(lambda p: p[0] * p[1])([x, x])


def of_pair(x: Any) -> Any:
    return rg.vmap(lambda p: p.u * p.v)(Pair(x, x + 1.0))


def of_record(x: Any) -> Any:
    return rg.vmap(lambda p: p.u * p.v)(Record(x, x + 1.0))


def to_pair(x: Any) -> Any:
    return rg.vmap(lambda a: Pair(a, a * a))(x).v


def to_record(x: Any) -> Any:
    return rg.vmap(lambda a: Record(a, a * a))(x).v


@pytest.mark.parametrize("f", [of_list, of_pair, of_record, to_pair, to_record])
def test_uncompiled_as_compiled(f: Any) -> None:
    np.testing.assert_array_equal(f(X), rg.jit(f)(X))


def test_a_list_of_numbers() -> None:
    with pytest.raises(ValueError, match="no axis"):
        rg.vmap(np.sin)([1.0, 2.0])
