"""`any([...])` of a comprehension of run-time length stopped at the first item that is true.

Python makes the list first; a generator expression does stop, which one over a few known items did
not. It matters where items write, or raise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.frontend.harness import agree


def of_a_list(x: Any) -> Any:
    seen = np.zeros(1)

    def asked(v: Any) -> Any:
        seen[0] += v
        return v > 1.5

    found = any([asked(v) for v in x])
    return seen[0] * (2.0 if found else 1.0) + (1.0 if all([asked(v) for v in x]) else 0.0)


def of_a_generator(x: Any) -> Any:
    seen = np.zeros(1)

    def asked(v: Any) -> Any:
        seen[0] += v
        return v > 1.5

    return seen[0] + (1.0 if any(asked(v) for v in x) else 0.0) + seen[0]


def of_known_items(x: Any) -> Any:
    seen = np.zeros(1)

    def asked(v: Any) -> Any:
        seen[0] += v
        return v > 1.5

    found = any(asked(v) for v in (x[0], x[1], x[2]))
    every = all(asked(v) for k, v in enumerate((x[3], x[0], x[2])) if k != 2)
    return seen[0] + (10.0 if found else 0.0) + (100.0 if every else 0.0)


def of_items_that_raise(x: Any) -> Any:
    n = len(x) - 4
    return 1.0 if any(v == 0 or 3 // n > v for v in (0, n)) else x[0]


def of_no_items(x: Any) -> Any:
    return x[0] if any(v > 0.0 for v in ()) or not all(v > 0.0 for v in ()) else x[1]


@pytest.mark.parametrize(
    "f", [of_a_list, of_a_generator, of_known_items, of_items_that_raise, of_no_items]
)
def test_as_in_python(f: Callable[[Any], Any]) -> None:
    agree(f, np.array([1.0, 2.0, 3.0, 4.0]))
