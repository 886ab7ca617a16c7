"""Which values of an execution to save within a number of bytes, so that least is done again.

A value that the reverse sweep reads is saved or done again; one that is done again needs what it is
calculated from, which is saved or done again in turn. Fewest operations within the bytes is a
linear program in zeros and ones, which SciPy's HiGHS solves where there are few values. Where there
are many it solves the program with parts of values, of which few are parts: without the bound of
the bytes all corners of that program are whole. Source: Jain et al. 2020, "Checkmate", equation 2,
without its time index, and section 5.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

import numpy as np

__all__ = ["Value", "values_to_save"]

_EXACT = 300
_NODES = 2000
"""The branches that the solver looks at, at most; it is never stopped by a clock."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of an execution.

    `bytes` is what saving it takes, None for one that the reverse sweep does not read; `cost` the
    operations that calculate it; `parents` the values of the execution that it is calculated from.
    """

    number: str
    cost: float
    parents: tuple[str, ...]
    bytes: int | None = None


def values_to_save(values: Sequence[Value], room: int, exact: int = _EXACT) -> frozenset[str]:
    """The numbers of the values to save within `room` bytes.

    Args:
        values: those of one execution, in the order in which they are calculated.
        room: bytes.
        exact: up to how many values the best choice is looked for.
    """
    offered = [v for v in values if v.bytes is not None]
    if sum(v.bytes or 0 for v in offered) <= room:
        return frozenset(v.number for v in offered)
    if room <= 0:
        return frozenset()
    ways = (True, False) if len(values) <= exact else (False,)
    found = [_taken(values, room, _shares(values, room, whole=whole)) for whole in ways]
    return min(found, key=lambda saved: again(values, saved))


def again(values: Sequence[Value], saved: frozenset[str]) -> float:
    """The operations that are done again where these values are saved."""
    table = {v.number: v for v in values}
    needed = {v.number for v in values if v.bytes is not None} - saved
    return sum(table[number].cost for number in _above(table, needed, saved))


def _above(table: Mapping[str, Value], numbers: set[str], saved: frozenset[str]) -> set[str]:
    """Values that are not saved, and all that they are calculated from up to what is."""
    found: set[str] = set()
    pending = list(numbers)
    while pending:
        number = pending.pop()
        if number not in found and number not in saved and number in table:
            found.add(number)
            pending += table[number].parents
    return found


def _taken(values: Sequence[Value], room: int, shares: Mapping[str, float]) -> frozenset[str]:
    """What there is room for, first the values that are saved to the largest part."""
    offered = [v for v in values if v.bytes is not None and (v.cost or shares[v.number])]
    saved: set[str] = set()
    for v in sorted(offered, key=lambda v: (-round(shares[v.number], 6), -v.cost / (v.bytes or 1))):
        if v.bytes is not None and v.bytes <= room:
            saved.add(v.number)
            room -= v.bytes
    return frozenset(saved)


def _shares(values: Sequence[Value], room: int, *, whole: bool) -> Mapping[str, float]:
    """Which part of each value is saved, 0 or 1 if they are to be `whole`, for fewest operations.

    Nothing of any value where the solver has found none.
    """
    optimize, sparse = cast("Any", import_module("scipy.optimize")), import_module("scipy.sparse")
    offered = [v for v in values if v.bytes is not None]
    again_at = {v.number: k for k, v in enumerate(values)}
    saved_at = {v.number: len(values) + k for k, v in enumerate(offered)}
    size = len(values) + len(offered)
    rows = _rows(values, again_at, saved_at, room)
    entries = [(r, c, x) for r, (row, _, _) in enumerate(rows) for c, x in row.items()]
    r, c, x = zip(*entries, strict=True)
    matrix = cast("Any", sparse).coo_array((x, (r, c)), shape=(len(rows), size)).tocsr()
    low, high = [row[1] for row in rows], [row[2] for row in rows]
    costs = np.array([v.cost for v in values] + [0.0] * len(offered))
    found = optimize.milp(
        costs, integrality=np.full(size, int(whole)), bounds=(0, 1),
        constraints=optimize.LinearConstraint(matrix, low, high), options={"node_limit": _NODES},
    )  # fmt: skip
    parts = cast("list[float]", [0.0] * size if found.x is None else found.x.tolist())
    return {number: parts[k] for number, k in saved_at.items()}


_Row = tuple[dict[int, float], float, float]


def _rows(
    values: Sequence[Value], again_at: Mapping[str, int], saved_at: Mapping[str, int], room: int
) -> list[_Row]:
    """The constraints: of each the factors of variables, and the bounds of their sum.

    What is offered is saved or done again, what is done again has its parents, and there is room.
    """
    rows: list[_Row] = [
        ({again_at[number]: 1.0, k: 1.0}, 1.0, np.inf) for number, k in saved_at.items()
    ]
    for value in values:
        for parent in value.parents:
            if parent in again_at:
                row = {again_at[value.number]: 1.0, again_at[parent]: -1.0}
                if parent in saved_at:
                    row[saved_at[parent]] = -1.0
                rows.append((row, -np.inf, 0.0))
    sizes = {saved_at[v.number]: float(v.bytes) for v in values if v.bytes is not None}
    return [*rows, (sizes, -np.inf, float(room))]
