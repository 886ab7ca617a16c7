"""Checkpoint trees with fixed space, fixed time, or both growing with the logarithm of the run.

A node is a stretch of the run with a snapshot at its beginning. It is a leaf, which is recorded and
taken back at once, or it is split: the run goes ahead to the middle, a snapshot is taken, what is
right of it is reversed, then what is left. A way from the root to a leaf that turns right so often
has as many snapshots alive; one that turns left so often has its steps done as often again. Fixed
space bounds the one (d), fixed time the other (t); with leaves of length alpha, a run of n steps
needs eta(d, t) >= n / alpha, and any two of d, t and alpha give the third.

Sources: Griewank 1992 (treeverse; the binomial middle, eq. 12 and 16); Siskind and Pearlmutter
2018 (the same as a binary tree, with bisection, and the ways to end it). A treeverse node has as
children all that a binary node splits off on its way left, so the two are the same actions in the
same order; they differ in what is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass, field, fields
from math import ceil
from typing import Any

from retrograd.runtime.schedule.actions import (
    START,
    Action,
    Advance,
    Drop,
    Load,
    Observation,
    Record,
    Rest,
    Reverse,
    Save,
    Schedule,
    TooSmall,
)
from retrograd.runtime.schedule.binomial import eta, repeats, split
from retrograd.runtime.schedule.segments import Before

__all__ = ["Bounds", "TreePlan", "TreePlanner", "bounds_of", "tree_schedule"]

_END = 1 << 62
"""More steps, and more bytes, than any run has."""

_REST = Rest()


@dataclass(frozen=True, slots=True)
class TreePlan:
    """What a user fixes: snapshots (`d`, the beginning of the run among them) or repetitions (`t`),
    neither for logarithmic growth; bytes of tape of a leaf; and where a stretch is split."""

    snapshots: int | None
    repeats: int | None
    leaf: int
    binomial: bool


@dataclass(frozen=True, slots=True)
class Bounds:
    """How often a way from the root may turn right and left; None where there is no bound."""

    snapshots: int | None
    repeats: int | None


def bounds_of(plan: TreePlan, leaves: int) -> Bounds:
    """d and t for a run of so many leaves.

    >>> bounds_of(TreePlan(3, None, 1, True), 10)
    Bounds(snapshots=3, repeats=2)
    >>> bounds_of(TreePlan(None, 2, 1, True), 10)
    Bounds(snapshots=3, repeats=2)
    >>> bounds_of(TreePlan(None, None, 1, True), 20)
    Bounds(snapshots=3, repeats=3)
    """
    if not plan.binomial:
        return Bounds(plan.snapshots, plan.repeats)
    if plan.snapshots is not None:
        return Bounds(plan.snapshots, repeats(leaves, plan.snapshots))
    if plan.repeats is not None:
        return Bounds(_least(lambda d: eta(d, plan.repeats or 0) >= leaves, leaves), plan.repeats)
    both = _least(lambda d: eta(d, d) >= leaves, leaves)
    return Bounds(both, both)


def _least(enough: Callable[[int], bool], most: int) -> int:
    """The least number from 1 on that is enough, by bisection."""
    low, high = 1, max(1, most)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


@dataclass(slots=True)
class _Node:
    """A stretch from `start` on, with what it may still turn right and left."""

    name: int
    start: int
    right: int | None
    left: int | None


def tree_schedule(plan: TreePlan) -> Schedule:
    """A schedule by a tree. The first pass counts the steps; a run of one leaf needs no other.

    Raises:
        TooSmall: there is not enough memory for a leaf.
    """
    return TreePlanner(plan).schedule()


@dataclass(slots=True)
class TreePlanner:
    """`nodes` is the way from the root to where it is, and what is left ends at `end`.

    `length` are the steps of a leaf, 0 before they have been counted; `names` is the number of the
    last snapshot, `last` the end of the run, which is `sure` once it has been seen. `standing` is
    the snapshot that the run is at.
    """

    plan: TreePlan
    nodes: list[_Node] = field(default_factory=list[_Node])
    names: int = START
    end: int = 0
    length: int = 0
    last: int = 0
    sure: bool = True
    standing: int | None = None

    def written(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def read(given: dict[str, Any]) -> TreePlanner:
        """The planner that had been written. ValueError or TypeError where that is none."""
        if given.keys() != {f.name for f in fields(TreePlanner)}:
            raise ValueError("other fields than those of a schedule")
        nodes = [_Node(**node) for node in given["nodes"]]
        made: dict[str, Any] = {"plan": TreePlan(**given["plan"]), "nodes": nodes}
        return TreePlanner(**(given | made))

    def learnt(self) -> Before:
        return Before(self.last, self.length)

    def foresee(self, before: Before) -> None:
        """The run may have as many steps as one before: they are not counted again."""
        if before.leaf:
            self.length, self.last, self.sure = before.leaf, before.steps, False
            self.begin()

    def begin(self) -> None:
        """The root, of a run that ends at `last`."""
        bounds = bounds_of(self.plan, ceil(self.last / self.length))
        right = None if bounds.snapshots is None else bounds.snapshots - 1
        self.end = self.last
        self.nodes = [_Node(START, 0, right, bounds.repeats)]

    def schedule(self) -> Schedule:
        if not self.length:
            seen = yield Record(_END, self.plan.leaf)
            self.moved(seen)
            if seen.ended:
                self.moved((yield Reverse()))
                return
            self.length = max(1, seen.step)
            yield from self.count()
            yield _REST
        while self.nodes:
            yield from self.go_on(self.nodes[-1])
            if self.nodes:
                yield _REST

    def moved(self, seen: Observation, standing: int | None = None) -> None:
        """An action for which there must be room has been done; the run is at that snapshot now."""
        if seen.full:
            raise TooSmall
        self.standing = standing

    def count(self, ended: bool = False, step: int = 0) -> Generator[Action, Observation, None]:
        """Counts what is left of the run, if it has not `ended` at a step; then it is divided."""
        if not ended:
            seen = yield Advance(_END)
            self.moved(seen)
            step = seen.step
        self.last, self.sure = step, True
        for node in self.nodes[1:]:
            self.moved((yield Drop(node.name)))
        self.begin()

    def go_on(self, node: _Node) -> Generator[Action, Observation, None]:
        """Splits the last stretch, or reverses it or its last leaf."""
        plan, end = self.plan, self.end
        leaves = ceil((end - node.start) / self.length)
        middle = end
        whole = leaves == 1 or node.left == 0 or (node.right == 0 and not plan.binomial)
        if self.standing != node.name:
            self.moved((yield Load(node.name)))
        if not whole:
            steps = max(1, (end - node.start) * _middle(plan, leaves, node.right) // leaves)
            seen = yield Advance(node.start + steps)
            self.moved(seen)
            if seen.ended and not self.sure:
                yield from self.count(True, seen.step)
                return
            middle = seen.step
            whole = middle >= end
            if whole:  # there is no point between
                self.moved((yield Load(node.name)))
            else:
                node.left = None if node.left is None else node.left - 1
                if node.right != 0:
                    name = self.push(node, middle)
                    self.moved((yield Save(name)), name)
                    return
        seen = yield Record(end, _END)
        self.moved(seen)
        if not self.sure and not (seen.ended and seen.step == end):
            yield from self.count(seen.ended, seen.step)
            return
        self.sure = True
        self.moved((yield Reverse()))
        if not whole:  # the last leaf of a stretch for which no snapshot is left
            self.end = middle
            return
        if node.name != START:
            self.moved((yield Drop(node.name)))
        self.end = self.nodes.pop().start

    def push(self, node: _Node, middle: int) -> int:
        """What is right of a snapshot that is to be taken as a node, and that snapshot's number."""
        self.names += 1
        right = None if node.right is None else node.right - 1
        left = None if node.left is None else node.left + 1
        self.nodes.append(_Node(self.names, middle, right, left))
        return self.names


def _middle(plan: TreePlan, leaves: int, right: int | None) -> int:
    """How many leaves are left of the split."""
    if right == 0:
        return leaves - 1
    if plan.binomial and right is not None:
        return split(leaves, right + 1)
    return leaves // 2
