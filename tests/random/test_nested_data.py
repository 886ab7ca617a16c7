"""Random programs with lists of tuples, dicts of lists, lists of dicts, and functions on them."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from retrograd.prims.core import RaisedError
from tests.random.files import imported
from tests.random.lines import inner
from tests.random.shards import shards
from tests.random.slopes import Slopes, accepted

_HELPERS = """
from collections import defaultdict


def longest(rows):
    best = rows[0]
    for row in rows:
        if len(row) > len(best):
            best = row
    return best


def scaled(values, by=0.5):
    return [by * v for v in values]


def weighed(table):
    total = 0.0
    for name, values in table.items():
        total += len(name) * sum(values)
    return total


def halves(values):
    middle = len(values) // 2
    return values[:middle], values[middle:]


def f(u, n, c):
    pairs = [(u, 1.0), (0.5, u * u)]
    rows = [[u, 0.25], [1.5]]
    table = {"a": [u], "bc": [0.5, 2.0 * u]}
    records = [{"x": u, "w": 1.0}, {"x": 0.3, "w": 2.0 * u}]
    groups = defaultdict(list)
    flat, s = [0.1, u], 0.0
"""
_NUMBERS = (
    "u",
    "0.5",
    "flat[0]",
    "pairs[0][1]",
    "pairs[-1][0]",
    "rows[0][0]",
    "len(rows)",
    "len(flat)",
    "table['a'][0]",
    "records[0]['x']",
    "records[1]['w']",
    "sum(flat)",
    "max(flat)",
    "s",
    "sum(a * b for a, b in pairs)",
    "weighed(table)",
    "min(r['x'] for r in records)",
    "sum(len(r) for r in rows)",
    "sum(v for r in rows for v in r)",
    "longest(rows)[-1]",
)
_LISTS = (
    "flat",
    "rows[0]",
    "table['bc']",
    "scaled(flat)",
    "[a for a, b in pairs]",
    "sorted(flat)",
    "[r['x'] for r in records]",
    "halves(flat)[1]",
    "longest(rows)",
    "flat[::-1]",
    "[v * v for v in flat if v > 0.2]",
    "list(map(lambda v: 0.5 * v, flat))",
    "flat + [u]",
    "[max(a, b) for (a, b), k in zip(pairs, range(n))]",
    "scaled(table['a'], 0.3)",
)


def _number(draw: random.Random) -> str:
    return f"{draw.choice(('0.5', '0.1', '0.3'))} * {draw.choice(_NUMBERS)}"


def _statement(draw: random.Random, depth: int) -> list[str]:
    number, values = _number(draw), draw.choice(_LISTS)
    match draw.randrange(16 if depth < 2 else 12):
        case 0:
            return [f"s += {number}"]
        case 1:
            return [f"s += sum({values}) * 0.1"]
        case 2:
            return [draw.choice((f"pairs.append(({number}, u))", f"pairs[0] = (u, {number})"))]
        case 3:
            return [draw.choice((f"flat.append({number})", f"flat[-1] = {number}"))]
        case 4:
            return [f"flat = {values}", "flat = flat + [0.2 * u]"]
        case 5:
            return [draw.choice((f"rows.append({values})", f"rows[0].append({number})"))]
        case 6:
            return [f"table['{draw.choice(('a', 'bc'))}'] = {values} + [u]"]
        case 7:
            return [f"table['a'].append({number})"]
        case 8:
            return [f"records[{draw.choice('01')}]['{draw.choice('xw')}'] = {number}"]
        case 9:
            return [f"records.append({{'x': {number}, 'w': u}})"]
        case 10:
            return [f"groups[{draw.choice(('n % 2', 'c', '1'))}].append({number})"]
        case 11:
            return [draw.choice((
                "first, *others = flat", "s += 0.1 * sum(sum(g) for g in groups.values())",
                "pairs = sorted(pairs, key=lambda p: p[1])", "rows = [scaled(r) for r in rows]",
                "s += sum(r['x'] * r['w'] for r in records)", "low, high = halves(sorted(flat))",
                "records = sorted(records, key=lambda r: r['x'])",
                "table = {k: scaled(v) for k, v in table.items()}",
            ))]  # fmt: skip
        case 12 | 13:
            head = draw.choice((
                "for k in range(n):", "for a, b in list(pairs):", "for r in list(records):",
                "for k, v in enumerate(list(flat)):", "for r in list(rows):", "for k in range(2):",
            ))  # fmt: skip
            return [head, *_inner(draw, depth)]
        case _:
            test = draw.choice(("c > 0", "s > 1.0", "len(flat) > 2", "flat[0] > 0.3", "n > 1"))
            found = [f"if {test}:", *_inner(draw, depth)]
            return found if draw.random() < 0.5 else [*found, "else:", *_inner(draw, depth)]


_inner = partial(inner, _statement)


def _text(seed: int) -> str:
    draw = random.Random(seed)
    body = [line for _ in range(6) for line in _statement(draw, 0)]
    last = "weighed(table) + sum(a * b for a, b in pairs) + rows[-1][-1]"
    body.append(f"return s + sum(flat) + {last}")
    return _HELPERS + "".join(f"    {line}\n" for line in body)


def _tried(seed: int, folder: Path, native: bool) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f: Any = imported(folder / f"random_nested_{seed}.py", _text(seed)).f
    slopes = Slopes(f, "200kB") if native else None
    cases = [(0.7213, n, c) for n, c in ((2, 1), (1, -1), (3, 1))]
    try:
        return accepted(f, cases, ("RG0101", "RG0104", "RG0106", "RG0110"), slopes)
    except RaisedError as error:
        if "items of different shapes" not in str(error):
            raise
        return False


def test_random_programs_with_nested_data(tmp_path: Path) -> None:
    assert sum(_tried(seed, tmp_path, False) for seed in range(4)) >= 1
    assert _tried(5001, tmp_path, True)


@pytest.mark.parametrize("shard", shards(10, fast=1))
def test_more_random_programs_with_nested_data(shard: int, tmp_path: Path) -> None:
    assert sum(_tried(1000 + seed, tmp_path, False) for seed in range(shard, 300, 10)) >= 20
    assert sum(_tried(5000 + seed, tmp_path, True) for seed in range(shard, 40, 10)) >= 2
