"""`while` loops without iterations, and those that change only what is known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.frontend.harness import agree


def trimmed(x: Any) -> Any:
    release = (2, 4, 0)
    i = n = len(release)
    while i and release[i - 1] == 0:
        i -= 1
    kept = release if i == n else release[:i]
    return x * len(kept), kept


def none(x: Any) -> Any:
    i, k = 3, 0
    while i > 5:
        i += 1
        k = 1
    else:
        k = 2
    return x * [1.0, 2.0, 3.0][k] + (1.0, 2.0, 3.0, 4.0)[i]


def floats(x: Any) -> Any:
    i = 0
    while i < 3:
        x = x * 1.5
        i += 1
    return x * i


def by_data(x: Any) -> Any:
    i = 0
    while x < 10.0:
        x = x * 1.5
        i += 1
    return x * i


def never_by_data(x: Any, n: int = 4) -> Any:
    i = n
    while i < 2:
        i += 1
    return x * i


@pytest.mark.parametrize("f", [trimmed, none, floats, by_data, never_by_data])
def test_as_in_python(f: Any) -> None:
    agree(f, 1.5)
