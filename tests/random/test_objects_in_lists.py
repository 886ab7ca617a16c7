"""Random programs with objects in lists that grow, in each other, and under several names.

What `test_object_rows` makes is about methods and arrays of such objects; here they are compared,
picked by `min` and `max`, filtered, and of several numbers.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.random.files import imported
from tests.random.shards import shards
from tests.random.slopes import Slopes, accepted

_CLASSES = """
class Node:
    def __init__(self, x, mass):
        self.x = x
        self.mass = mass
        self.next = None

    def push(self, by):
        self.x += by * self.mass
        return self.x


def f(u, n, c):
    items = [Node(u, 1.0), Node(0.5, 2.0)]
    p, q, s = items[0], Node(0.25 * u, 3.0), 0.0
"""


def _object(draw: random.Random) -> str:
    return draw.choice((
        "p", "q", "items[0]", "items[-1]", f"items[{draw.choice('nc')} % len(items)]",
        "Node(0.5 * p.x, 1.5)", "Node(u, n)", "p if c > 0 else q", "max(items, key=lambda o: o.x)",
        "(p.next if p.next is not None else q)", "min(items, key=lambda o: o.mass)",
    ))  # fmt: skip


def _statement(draw: random.Random, depth: int) -> list[str]:
    name, k = draw.choice("pq"), draw.choice(("0", "-1", "n % len(items)"))
    match draw.randrange(14 if depth < 2 else 9):
        case 0:
            return [f"{name} = {_object(draw)}"]
        case 1:
            return [f"{name}.x = 0.5 * {name}.x + 0.25 * {draw.choice('pq')}.x"]
        case 2:
            return [f"items.append({_object(draw)})"]
        case 3:
            return [f"s += {name}.push(0.1)"]
        case 4:
            return [f"items[{k}].x *= 0.5", f"s += {name}.x"]
        case 5:
            return [f"{name}.next = {_object(draw)}"]
        case 6:
            return [f"if {name}.next is not None:", f"    s += {name}.next.x * 0.3"]
        case 7:
            return [draw.choice((
                "s += sum(o.x * o.mass for o in items)", "s += 0.1 * len(items)",
                "s += 1.0 * (p is q) + 0.5 * (items[0] is p)", "s += items[-1].mass * u",
            ))]  # fmt: skip
        case 8:
            return [draw.choice((
                "items = sorted(items, key=lambda o: o.x)", "items = [o for o in items if o.x > 0]",
                "items.append(Node(s, 0.5))", "if len(items) > 2:\n        items.pop()",
            ))] if depth == 0 else ["items.append(Node(0.1 * u, 0.5))"]  # fmt: skip
        case 9 | 10:
            head = draw.choice(("for k in range(n):", "for o in items:", "for k in range(2):"))
            inside = _inner(draw, depth)
            if head == "for o in items:":
                inside = [line for line in inside if "append" not in line]
                inside.append(f"    {draw.choice(('o.x += 0.1 * u', 's += o.x', 'p = o'))}")
            return [head, *inside]
        case _:
            test = draw.choice(("c > 0", "p.x > q.x", "s > 1.0", "p is q", "p.next is None"))
            found = [f"if {test}:", *_inner(draw, depth)]
            return found if draw.random() < 0.5 else [*found, "else:", *_inner(draw, depth)]


def _inner(draw: random.Random, depth: int) -> list[str]:
    count = draw.randrange(1, 3)
    lines = [line for _ in range(count) for line in _statement(draw, depth + 1)]
    return [f"    {line}" for line in lines] + ["    s += 0.01"]


def _text(seed: int) -> str:
    draw = random.Random(seed)
    body = [line for _ in range(6) for line in _statement(draw, 0)]
    body.append("return s + p.x * q.x + sum(o.x * o.mass for o in items)")
    return _CLASSES + "".join(f"    {line}\n" for line in body)


def _tried(seed: int, folder: Path, native: bool) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f: Any = imported(folder / f"random_objects_in_lists_{seed}.py", _text(seed)).f
    slopes = Slopes(f, "200kB") if native else None
    cases = [(0.7213, n, c) for n, c in ((2, 1), (1, -1), (3, 1))]
    return accepted(f, cases, ("RG0101", "RG0106", "RG0110"), slopes)


def test_random_programs_with_objects_in_lists(tmp_path: Path) -> None:
    assert sum(_tried(seed, tmp_path, False) for seed in range(4)) >= 1
    assert _tried(5001, tmp_path, True)


@pytest.mark.parametrize("shard", shards(10, fast=1))
def test_more_random_programs_with_objects_in_lists(shard: int, tmp_path: Path) -> None:
    assert sum(_tried(1000 + seed, tmp_path, False) for seed in range(shard, 300, 10)) >= 20
    assert sum(_tried(5000 + seed, tmp_path, True) for seed in range(shard, 40, 10)) >= 2
