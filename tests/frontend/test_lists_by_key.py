"""Dicts of lists that grow, with keys that are known at run time only."""

from __future__ import annotations

import copy
import heapq
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

pytestmark = pytest.mark.thinned(2)

X = np.array([0.5, 1.2, -0.3, 2.0, 0.9, 1.7])


class Grid:
    """Places by cell."""

    def __init__(self, size: float) -> None:
        self.size = size
        self.cells: defaultdict[int, list[Any]] = defaultdict(list)

    def add(self, i: int, v: Any) -> None:
        self.cells[int(v // self.size)].append((i, v))

    def near(self, v: Any) -> Iterator[Any]:
        own = int(v // self.size)
        for step in (-1, 0, 1):
            yield from self.cells[own + step]


def groups(x: Any) -> Any:
    """What is put in, what is read, and what is taken out."""
    found: defaultdict[Any, list[Any]] = defaultdict(list)
    squares: defaultdict[Any, list[Any]] = defaultdict(list)
    for i, v in enumerate(x):
        k = int(v > 1) + int(v > 0)
        found[k] += [v, 2 * v]
        found[k].extend([v * i])
        squares["high" if v > 1 else "low", k].append(v * v)
    found[5] = [x[0], x[1]]
    found[5][0] = x[3]
    row = found[5]
    row.append(x[2])
    taken = found.pop(5)
    last = found[2].pop()
    total = 0.0
    for values in found.values():
        if values:
            total += values[0] * values[len(values) // 2] + len(values)
    ordered = sorted(found[2])
    total += taken[0] * taken[2] + last + ordered[0] * ordered[-1] + (x[0] in found[1])
    total += sum(max(values) for key, values in found.items() if key == 2 or key == 1)
    return total + np.mean(squares["high", 2]) + len(squares) + len(found[7]) + len(found)


def places(x: Any) -> Any:
    grid, total = Grid(0.8), 0.0
    for i, v in enumerate(x):
        grid.add(i, v)
    for i, v in enumerate(x):
        for j, w in grid.near(v):
            if j != i:
                total += (v - w) ** 2 * (j + 1)
    for cell in sorted(grid.cells):
        grid.cells[cell].sort(key=lambda pair: -pair[1])
        total += sum(k * v for k, (_, v) in enumerate(grid.cells[cell]))
    return total


def shortest(x: Any) -> Any:
    """Paths in a graph by lists of neighbours in a plain dict."""
    graph: dict[int, list[Any]] = {}
    for (a, b), w in zip([(0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (3, 4)], x, strict=True):
        graph.setdefault(a, []).append((b, w * w))
        if b not in graph:
            graph[b] = []
        graph[b].append((a, w * w))
    distances, heap = {0: 0.0}, [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distances[u]:
            continue
        for v, w in graph[u]:
            if v not in distances or d + w < distances[v]:
                distances[v] = d + w
                heapq.heappush(heap, (d + w, v))
    none, some = graph.get(9, []), graph.get(1)
    try:
        missing = len(graph[17])
    except KeyError:
        missing = 3
    extra = missing + len(none) + (0 if some is None else len(some))
    return sum(distances.values()) + extra


def small(x: Any) -> Any:
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for v in x:
        found[int(np.floor(v * 0.9))].append(v)
    total = 0.0
    for key, values in found.items():
        total += (key + 1) * sum(values) * len(values) - values[-1]
    return total * found[0][0]


slow = pytest.mark.slow
PROGRAMS = (small, *(pytest.param(f, marks=slow) for f in (groups, places, shortest)))


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_slopes_are_those_of_python(f: Any) -> None:
    agree(f, X)
    assert rg.check_grads(f, (X,), 1).ok
    np.testing.assert_array_equal(rg.grad(f, memory="64kB")(X), rg.grad(f)(X))


def test_a_deep_copy_is_one() -> None:
    def copied(x: Any) -> Any:
        found: defaultdict[int, list[Any]] = defaultdict(list)
        for v in x:
            found[int(v)].append(v)
        other = copy.deepcopy(found)
        found[0].append(5.0)
        return sum(other[0]) * len(found[0])

    assert rg.jit(copied)(X) == copied(X)


def named_afterwards(x: Any) -> Any:
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for v in x:
        found[int(v)].append(v)
    row = [x[0]]
    found.setdefault(9, row).append(x[1])
    return sum(row)


def put_back(x: Any) -> Any:
    found: dict[int, list[Any]] = {}
    for v in x:
        row = found.get(int(v), [])
        row.append(v)
        found[int(v)] = row
    return sum(found[0])


def shared(x: Any) -> Any:
    found: dict[int, list[Any]] = {}
    for v in x:
        found.setdefault(int(v), []).append(v)
    other = dict(found)
    found[0].append(5.0)
    return sum(other[0])


def test_a_list_that_is_put_back_is_the_same() -> None:
    assert rg.jit(put_back)(X) == put_back(X)


@pytest.mark.parametrize("f", [named_afterwards, shared])
def test_what_would_be_two_names_of_a_list_is_refused(f: Any) -> None:
    with pytest.raises(UserError, match="RG010[169]") as caught:
        rg.jit(f)(X)
    assert caught.value.span is not None
