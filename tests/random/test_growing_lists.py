"""Random programs with lists that lists, dicts and objects hold, and with None and kinds in lists.

They grow and get shorter, are changed by all methods, and have several names.
"""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.random import lines as shared
from tests.random.files import imported
from tests.random.slopes import Slopes, accepted_with_lists

_BEGIN = """
class Box:
    def __init__(self, x):
        self.items = [x]
        self.weight = x

    def put(self, x):
        self.items.append(x * self.weight)
        return len(self.items)


def f(u, n, c):
    rows = [[0.1 * u] for _ in range(n + 1)]
    boxes = [Box(u + k) for k in range(n)]
    found, some, row, s = {}, [u], rows[0], 0.5 * u
"""


def _number(draw: random.Random) -> str:
    return draw.choice(("u", "0.5 * u", "0.25", "s * 0.1", "0.3 * n * u", "u * u"))


def _row(draw: random.Random) -> str:
    return draw.choice((
        "row", "rows[0]", "rows[-1]", "rows[n % len(rows)]", "boxes[0].items",
        "boxes[c % n].items", "found.setdefault(n % 2, [])",
    ))  # fmt: skip


def _change(draw: random.Random) -> list[str]:
    row, x = _row(draw), _number(draw)
    k = draw.choice(("0", "-1", "len(a) // 2"))
    return [f"a = {row}", *draw.choice((
        [f"a.append({x})"], [f"a.extend([{x}, 0.5])"], [f"a += [{x}]"], [f"a.insert(1, {x})"],
        ["if len(a) > 1:", f"    s += a.pop({draw.choice(('', '0'))})"],
        ["if len(a) > 1:", f"    del a[{k}]"],
        ["if a:", f"    a[{k}] = a[{k}] * 0.5 + {x}"], ["a.sort()"], ["a.reverse()"],
        ["a.clear()", f"a.append({x})"], [f"a[:] = [{x}, 0.75]"], ["a *= 2", "del a[2:]"],
        ["s += sum(a) - 0.1 * len(a)"], ["s += sum(v * v for v in a[1:])"],
    ))]  # fmt: skip


def _statement(draw: random.Random, depth: int) -> list[str]:
    match draw.randrange(16 if depth < 2 else 11):
        case 0 | 1 | 2 | 3:
            return _change(draw)
        case 4:
            return [f"row = {_row(draw)}"]
        case 5:
            item = draw.choice(("[u, 0.5 * u]", "row", "list(row)", "[]", "[v for v in row]"))
            return [f"rows.append({item})"]
        case 6:
            return [f"rows[{draw.choice(('0', '-1'))}] = {draw.choice(('row', '[u]', 'row[:1]'))}"]
        case 7:
            return [f"s += 0.01 * boxes[{draw.choice(('0', '-1'))}].put({_number(draw)})"]
        case 8:
            item = draw.choice(("None", "u", "None if c > 0 else s", "(u, 0.5)", "0.5 * u"))
            return [f"some.append({item})"]
        case 9:
            return draw.choice((
                ["s += sum(len(r) for r in rows) * 0.1"], ["s += sum(sum(r) for r in rows)"],
                ["s += 1.0 * (row is rows[0])"], ["s += sum(max(r, default=0.0) for r in rows)"],
                ["s += sum(v for v in some if v is not None and not isinstance(v, tuple))"],
            ))  # fmt: skip
        case 10:
            return ["for k in found:", "    s += 0.5 * sum(found[k])"]
        case 11 | 12:
            head = draw.choice(("for k in range(n):", "for k in range(2):", "while s < 1.0:"))
            return [head, *_inner(draw, depth), "    s += 0.4"]
        case 13:
            body = draw.choice(("b.append(u)", "s += sum(b)", "b[0:1] = [0.5 * u]", "s += len(b)"))
            return ["for b in rows:", f"    {body}"]
        case _:
            test = draw.choice(("c > 0", "len(row) > 2", "s > 1.0", "n == 2", "row == rows[0]"))
            found = [f"if {test}:", *_inner(draw, depth)]
            return found if draw.random() < 0.5 else [*found, "else:", *_inner(draw, depth)]


_inner = partial(shared.inner, _statement)
_lines = partial(shared.lines, _statement)


def _text(seed: int) -> str:
    draw = random.Random(seed)
    body = _lines(draw, 0, 6)
    body.append("return s + sum(sum(r) for r in rows) + sum(sum(b.items) for b in boxes)")
    return _BEGIN + "".join(f"    {line}\n" for line in body)


def _tried(seed: int, folder: Path, native: bool) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f: Any = imported(folder / f"random_growing_lists_{seed}.py", _text(seed)).f
    slopes = Slopes(f, "200kB") if native else None
    cases = [(0.7213, n, c) for n, c in ((2, 1), (1, -1), (3, 2))]
    return accepted_with_lists(f, cases, ("RG0101", "RG0104", "RG0106", "RG0109", "RG0110"), slopes)


def test_random_programs_with_growing_lists(tmp_path: Path) -> None:
    assert sum(_tried(seed, tmp_path, False) for seed in range(3)) >= 1


@pytest.mark.slow
@pytest.mark.also_in_ci(1)
@pytest.mark.parametrize("shard", range(10))
def test_more_random_programs_with_growing_lists(shard: int, tmp_path: Path) -> None:
    assert sum(_tried(1000 + seed, tmp_path, False) for seed in range(shard, 300, 10)) >= 10
    assert sum(_tried(5000 + seed, tmp_path, True) for seed in range(shard, 40, 10)) >= 1
