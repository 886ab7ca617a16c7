# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Arrays of different lengths in one list of run-time length.

No buffer holds them as rows. So all elements of these arrays, or all their rows, are in one list of
their class, and an item is a number: that of an entry of a table that says where in there the array
begins, and how long it is (`retrograd.frontend.values.uneven_arrays`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from retrograd.errors import Span

__all__ = [
    "ATTRIBUTES", "FLAT", "SIZE", "START", "UnevenLists", "UnevenRow", "concatenated", "stacked",
    "uneven_rows",
]  # fmt: skip

FLAT, SIZE, START = "flat", "size", "start"
ATTRIBUTES = (FLAT, SIZE, START)


@dataclass(frozen=True, slots=True)
class UnevenLists:
    """Which arrays are in one table: those of this rank that are the `part`-th array or number of
    the items of lists that are made at these places."""

    sites: frozenset[Span]
    part: int
    rank: int


class UnevenRow:
    """Stands for the class of such arrays as items of lists."""

    lists: UnevenLists


@lru_cache(maxsize=1024)
def uneven_rows(lists: UnevenLists) -> type[UnevenRow]:
    """The class of the arrays of these lists."""
    return type("ndarray", (UnevenRow,), {"lists": lists})


def concatenated(rows: Any) -> Any:
    """The arrays of a list behind one another, along their first axis."""
    if len(rows) == 0:
        raise ValueError("need at least one array to concatenate")
    total = 0
    for row in rows:
        total += len(row)
    out = np.zeros((total, *rows[0].shape[1:]), dtype=rows[0].dtype)
    at = 0
    for row in rows:
        out[at : at + len(row)] = row
        at += len(row)
    return out


def stacked(rows: Any) -> Any:
    """The array whose rows are the arrays of a list, which are of one length."""
    if len(rows) == 0:
        raise ValueError("an array of no arrays: how many axes they would have is not known")
    out = np.zeros((len(rows), *rows[0].shape), dtype=rows[0].dtype)
    for k in range(len(rows)):
        row = rows[k]
        if len(row) != len(out[0]):
            raise ValueError("arrays of different lengths as the rows of an array")
        out[k] = row
    return out
