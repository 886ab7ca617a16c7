"""What is drawn of a run agrees with what was done."""

from __future__ import annotations

import math

import pytest

import retrograd as rg
from retrograd.api.checkpoint.recording import Recording
from retrograd.report.checkpoint_tree import Node, checkpoint_tree
from retrograd.report.history import History, history_of, longest_call
from retrograd.runtime.schedule.trees import TreePlan, tree_schedule
from tests.report.schedules import recorded


def pendulum(x, n):
    v = 0.0
    for _ in range(n):
        v -= 0.001 * math.sin(x)
        x += 0.001 * v
    return x


def of_budget(budget: int, length: int = 20_000) -> tuple[Recording, History]:
    with rg.record() as run:
        rg.grad(pendulum, memory=budget)(1.0, length)
    return run, history_of(run.timeline, 0)


def of_tree(plan: TreePlan, length: int) -> History:
    return history_of(recorded(tree_schedule(plan), length).timeline, 0, "steps")


def is_partition(nodes: list[Node], length: int) -> bool:
    """Whether children lie beside each other and fill their parent, and leaves fill the run."""
    for place, node in enumerate(nodes):
        inside = [n for n in nodes if n.parent == place]
        ends = [node.start, *(n.end for n in inside)]
        starts = [*(n.start for n in inside), node.end]
        if inside and (ends != starts or any(n.depth != node.depth + 1 for n in inside)):
            return False
        if bool(inside) == bool(node.leaf):
            return False
    return (nodes[0].start, nodes[0].end) == (0, length)


@pytest.mark.parametrize("budget", [10**6, 30_000, 8_000, 3_000])
def test_a_run_in_a_budget(budget: int) -> None:
    run, history = of_budget(budget)
    assert history.length == run.steps - run.recomputed_steps
    assert len(history.leaves) == run.leaves
    assert len(history.lives) == run.snapshots
    done = sum(s.end - s.start for s in history.stretches if s.kind != "reverse")
    assert done == run.steps
    back = [s for s in history.stretches if s.kind == "reverse"]
    assert sum(s.end - s.start for s in back) == history.length
    times = [t for s in history.stretches for t in (s.began, s.ended)]
    assert times == sorted(times)
    assert max(history.kept) == run.snapshot_bytes
    nodes = checkpoint_tree(history)
    assert is_partition(nodes, history.length)
    assert sorted(n.leaf for n in nodes if n.leaf) == list(range(1, run.leaves + 1))


def test_a_run_of_one_leaf_is_one_node() -> None:
    _, history = of_budget(10**6, 100)
    assert checkpoint_tree(history) == [Node(0, history.length, -1, 0, 1)]


def test_the_first_pass_divides_the_run_at_once() -> None:
    run, history = of_budget(30_000)
    nodes = checkpoint_tree(history)
    children = [n for n in nodes if n.parent == 0]
    early = [life for life in history.lives if life.taken < history.first_pass]
    assert len(children) == len(early) + 1 > 5
    assert [n.start for n in children[1:]] == sorted(life.step for life in early)
    assert run.leaves > len(early)


@pytest.mark.parametrize("snapshots", [1, 2, 3, 7])
@pytest.mark.parametrize("leaves", [1, 2, 10, 65])
def test_binary_trees(leaves: int, snapshots: int) -> None:
    """Nobody turns right more often than there are snapshots."""
    history = of_tree(TreePlan(snapshots, None, 0, True), leaves)
    nodes = checkpoint_tree(history)
    assert is_partition(nodes, leaves)
    assert len(nodes) == 2 * leaves - 1
    assert max(rights(nodes)) <= snapshots


@pytest.mark.parametrize(("leaves", "times"), [(10, 2), (65, 3), (200, 4), (7, 1)])
def test_treeverse_has_the_depth_of_its_snapshots(leaves: int, times: int) -> None:
    history = of_tree(TreePlan(None, times, 0, True), leaves)
    binary, nary = checkpoint_tree(history), checkpoint_tree(history, nary=True)
    assert is_partition(nary, leaves)
    assert [n for n in nary if n.leaf and n.leaf < 0] == []
    # A node has lost its children that were split again on the left.
    assert max(n.depth for n in nary) == max(rights(binary))
    widest = max(sum(n.parent == k for n in nary) for k in range(len(nary)))
    assert widest <= times + 1
    same = [(n.start, n.end, n.leaf) for n in binary if n.leaf]
    assert [(n.start, n.end, n.leaf) for n in nary if n.leaf] == same


def rights(nodes: list[Node]) -> list[int]:
    """For each node of a binary tree, how often the way to it turns right, or ends on the left."""
    turns: list[int] = []
    for node in nodes:
        before = turns[node.parent] if node.parent >= 0 else 0
        right = node.parent >= 0 and node.start > nodes[node.parent].start
        turns.append(before + right)
    ends = [bool(n.leaf and n.start == nodes[n.parent].start) for n in nodes]
    return [turn + end for turn, end in zip(turns, ends, strict=True)]


@pytest.mark.slow
def test_a_chain_of_ten_thousand_leaves() -> None:
    """No snapshot but the beginning: as deep as it is long, and not by Python's stack."""
    history = of_tree(TreePlan(None, 1, 0, True), 10_000)
    assert is_root_deep(checkpoint_tree(history), 10_000)


def is_root_deep(nodes: list[Node], leaves: int) -> bool:
    return len(nodes) == 2 * leaves - 1 and max(n.depth for n in nodes) == leaves - 1


def test_a_run_that_was_broken_off() -> None:
    run: Recording = recorded(tree_schedule(TreePlan(3, None, 0, True)), 10, actions=15)
    history = history_of(run.timeline, 0)
    nodes = checkpoint_tree(history)
    assert is_partition(nodes, 10)
    assert len(history.leaves) == sum(n.leaf > 0 for n in nodes) < 10
    assert sum(n.leaf < 0 for n in nodes) == 1


def test_nothing_was_done() -> None:
    history = history_of([], 0)
    assert checkpoint_tree(history) == [Node(0, 0, -1, 0, -1)]
    assert longest_call([]) == 0


def test_the_longest_call_is_drawn() -> None:
    limited = rg.grad(pendulum, memory=20_000)
    with rg.record() as run:
        for length in (100, 50_000, 1000):
            limited(1.0, length)
    assert longest_call(run.timeline) == 1
    assert history_of(run.timeline, 1).length > history_of(run.timeline, 2).length


def test_recordings_know_what_they_saw() -> None:
    run, _ = of_budget(20_000)
    (derivative,) = run.derivatives
    assert (derivative.function, derivative.limit) == ("pendulum", 20_000)
    assert derivative.checkpointing == rg.checkpointing.budget(20_000)
    assert 0 < run.snapshot_bytes < run.peak_bytes
