"""A function put a list of the caller's into a list of lists; the caller wrote to it afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg

X = np.array([0.5, 1.2, -0.3])


def put(rows: list[Any], row: list[Any]) -> None:
    rows.append(row)


def longer(x: Any) -> Any:
    rows: list[Any] = []
    for v in x:
        row = [v]
        put(rows, row)
        row.append(2 * v)
    return sum(rows[0])


def changed(x: Any) -> Any:
    rows: list[Any] = []
    for v in x:
        row = [v]
        put(rows, row)
        row[0] = 3 * v
    return sum(rows[0])


def unchanged(x: Any) -> Any:
    rows: list[Any] = []
    for v in x:
        row = [v, 2 * v]
        put(rows, row)
    return sum(rows[0])


@pytest.mark.parametrize("f", [longer, changed])
def test_what_is_written_under_another_name_is_not_read_as_it_was(f: Any) -> None:
    assert rg.jit(f)(X) == f(X)


def test_what_is_not_written_is_read() -> None:
    assert rg.jit(unchanged)(X) == unchanged(X)
