"""The elements of an array, shown by the lines of a program (`rg.debug.print`)."""

from __future__ import annotations

from typing import Any

from retrograd.messages import ENDS, LONG

__all__ = ["show_elements"]


def show_elements(x: Any, spec: Any) -> Any:
    """What `retrograd.messages.elements` makes of an array, printed without an end of the line."""
    n = len(x)
    print("[", end="")
    for k in range(n):
        if n <= LONG or k < ENDS or k >= n - ENDS:
            if k > 0:
                print(", ", end="")
            if x.ndim == 1:
                print(format(x[k], spec), end="")
            else:
                show_elements(x[k], spec)
        elif k == ENDS:
            print(", ...", end="")
    print("]", end="")
