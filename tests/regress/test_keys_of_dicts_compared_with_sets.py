"""`d.keys() == {..}` was false, `d.keys() >= {..}` looked at the order of tuples, and a frozen set
from outside was no `frozenset`."""

from __future__ import annotations

from typing import Any

import retrograd as rg

KINDS = frozenset(["a", "b"])


def compared(x: Any) -> Any:
    d = {"a": x, "b": 2.0}
    return (
        d.keys() >= {"a"},
        d.keys() == {"a", "b"},
        d.keys() <= {"b"},
        isinstance(KINDS, frozenset),
    )


def test_as_in_python() -> None:
    assert rg.jit(compared)(1.5) == compared(1.5) == (True, True, False, True)
