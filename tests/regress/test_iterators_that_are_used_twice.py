"""An iterator with a name gave its items each time that it was iterated over.

In Python it is empty the second time.
"""

from __future__ import annotations

import pytest

import retrograd as rg


def f(x: float) -> float:
    pairs = zip([x, x], [2.0, 3.0], strict=True)
    s = sum(a * b for a, b in pairs)
    return s + sum(a for a, b in pairs)


def test_the_second_time_is_refused() -> None:
    with pytest.raises(rg.UserError, match="used up"):
        rg.jit(f)(1.0)
