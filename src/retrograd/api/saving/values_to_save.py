"""Which values of an execution to save within a number of bytes, so that least is done again.

A value that the reverse sweep reads is saved or done again; one that is done again needs what it is
calculated from, which is saved or done again in turn. Fewest operations within the bytes is a
linear program in zeros and ones, which SciPy's HiGHS solves where there are few values; else values
are taken in the order of what they spare for each byte. Source: Jain et al. 2020, "Checkmate",
equation 2, without its time index.
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
    greedy = _by_density(values, room)
    if len(values) > exact:
        return greedy
    best = _best(values, room)
    return greedy if best is None or again(values, greedy) < again(values, best) else best


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


def _by_density(values: Sequence[Value], room: int) -> frozenset[str]:
    """One value after the other, while there is room, by what it spares for each byte then."""
    table = {v.number: v for v in values}
    left = {v.number: v.bytes for v in values if v.bytes}
    saved = frozenset(v.number for v in values if v.bytes == 0)
    while left:
        gain = {n: sum(table[m].cost for m in _above(table, {n}, saved)) for n in left}
        best = max(left, key=lambda n: gain[n] / left[n])
        size = left.pop(best)
        if size <= room and gain[best] > 0.0:
            saved |= {best}
            room -= size
    return saved


def _best(values: Sequence[Value], room: int) -> frozenset[str] | None:
    """The choice with the fewest operations; None where the solver has found none."""
    optimize, sparse = cast("Any", import_module("scipy.optimize")), import_module("scipy.sparse")
    offered = [v for v in values if v.bytes is not None]
    again_at = {v.number: k for k, v in enumerate(values)}
    saved_at = {v.number: len(values) + k for k, v in enumerate(offered)}
    size = len(values) + len(offered)
    rows: list[tuple[dict[int, float], float, float]] = [
        ({again_at[v.number]: 1.0, saved_at[v.number]: 1.0}, 1.0, np.inf) for v in offered
    ]
    for value in values:
        for parent in value.parents:
            if parent in again_at:
                row = {again_at[value.number]: 1.0, again_at[parent]: -1.0}
                if parent in saved_at:
                    row[saved_at[parent]] = -1.0
                rows.append((row, -np.inf, 0.0))
    rows.append(({saved_at[v.number]: float(v.bytes or 0) for v in offered}, -np.inf, float(room)))
    entries = [(r, c, x) for r, (row, _, _) in enumerate(rows) for c, x in row.items()]
    r, c, x = zip(*entries, strict=True)
    matrix = cast("Any", sparse).coo_array((x, (r, c)), shape=(len(rows), size)).tocsr()
    low, high = [row[1] for row in rows], [row[2] for row in rows]
    costs = np.array([v.cost for v in values] + [0.0] * len(offered))
    found = optimize.milp(
        costs, integrality=np.ones(size), bounds=(0, 1),
        constraints=optimize.LinearConstraint(matrix, low, high), options={"node_limit": _NODES},
    )  # fmt: skip
    if found.x is None:
        return None
    taken_at = cast("list[float]", found.x.tolist())
    chosen = frozenset(v.number for v in offered if taken_at[saved_at[v.number]] > 0.5)
    taken = sum(v.bytes or 0 for v in offered if v.number in chosen)
    return chosen if taken <= room else None
