"""`any([...])` of a comprehension of run-time length stopped at the first item that is true.

Python makes the list first; a generator expression does stop. It matters where items write.
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


@pytest.mark.parametrize("f", [of_a_list, of_a_generator])
def test_as_in_python(f: Callable[[Any], Any]) -> None:
    agree(f, np.array([1.0, 2.0, 3.0, 4.0]))
