"""Small programs in which arrays are moved, lent, shared and dropped, by name."""

from __future__ import annotations

from tests.backends.llvm.lifetimes_loops import CALLS, LOOPS
from tests.backends.llvm.lifetimes_straight import BRANCHES, STRAIGHT, X, Y

__all__ = ["ALL", "X", "Y", "text"]

ALL = {**STRAIGHT, **BRANCHES, **LOOPS, **CALLS}


def text(name: str) -> str:
    return "program f\n\nfunction f" + ALL[name][0]
