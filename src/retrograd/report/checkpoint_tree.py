"""The checkpoint tree of a run: which stretch was divided where (Siskind and Pearlmutter 2018).

A node is a stretch. It is divided where the run stopped in it first: a snapshot was taken there, or
the last leaf of the stretch began there. The tree is read off what was done, so it is right for any
schedule. Two kinds of nodes have more than two children: with `nary`, those of treeverse (all that
a binary node splits off on its way left, their Figs. 3 to 5), and the whole run where snapshots
were taken in the first pass, which divide it all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrograd.report.history import History

__all__ = ["Node", "checkpoint_tree"]


@dataclass(frozen=True, slots=True)
class Node:
    """A stretch of the run.

    Attributes:
        start: first step.
        end: the step after the last.
        parent: its place in the list of nodes, -1 for the root.
        depth: 0 for the root.
        leaf: whether it was recorded and taken back at once; then its number, from 1, in the order
            in which that happened, else 0. A stretch that is not divided and that nobody took back
            has -1.
    """

    start: int
    end: int
    parent: int
    depth: int
    leaf: int


def checkpoint_tree(history: History, nary: bool = False) -> list[Node]:
    """The nodes of a run's tree, parents before children, from left to right.

    Args:
        history: what was done.
        nary: whether nodes are those of treeverse.
    """
    numbers = {leaf.start: k for k, leaf in enumerate(history.leaves, 1)}
    points = sorted(history.splits)
    times = [history.splits[p] for p in points]
    first = [t < history.first_pass for t in times]
    left, right, root = _cartesian([0.0 if f else t for f, t in zip(first, times, strict=True)])
    nodes: list[Node] = []
    # What is still to be made: the division inside of it (-1 for none), the stretch, the parent.
    todo = [(root, 0, history.length, -1)]
    while todo:
        split, start, end, parent = todo.pop()
        depth = nodes[parent].depth + 1 if parent >= 0 else 0
        here = len(nodes)
        number = 0 if split >= 0 else numbers.get(start, -1)
        nodes.append(Node(start, end, parent, depth, number))
        parts: list[tuple[int, int, int]] = []
        if split >= 0 and first[split]:
            while split >= 0 and first[split]:
                parts.append((left[split], start, points[split]))
                start, split = points[split], right[split]
            parts.append((split, start, end))
        elif split >= 0:
            behind: list[tuple[int, int, int]] = []
            while split >= 0:
                behind.append((right[split], points[split], end))
                end, split = points[split], left[split]
                if not nary:
                    break
            parts = [(split, start, end), *reversed(behind)]
        todo.extend((*part, here) for part in reversed(parts))
    return nodes


def _cartesian(keys: Sequence[float]) -> tuple[list[int], list[int], int]:
    """The tree over a row of keys in which parents have the smaller ones; of equals the left one.

    Left and right children of each place, -1 for none, and the root.
    """
    left, right, spine = [-1] * len(keys), [-1] * len(keys), list[int]()
    for place, key in enumerate(keys):
        below = -1
        while spine and keys[spine[-1]] > key:
            below = spine.pop()
        left[place] = below
        if spine:
            right[spine[-1]] = place
        spine.append(place)
    return left, right, spine[0] if spine else -1
