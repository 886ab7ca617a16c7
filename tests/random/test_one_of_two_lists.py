"""Random programs whose names are one of two lists or dicts, chosen at run time: as in Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.random.files import imported
from tests.random.lines import function, inner, lines
from tests.random.shards import shards
from tests.random.slopes import Slopes, accepted

_HELPER = """
def longest(a, b):
    return a if len(a) >= len(b) else b


def put(m, v):
    m.append(v)
    return m


"""


def _statement(draw: random.Random, depth: int) -> list[str]:
    one, other, m = draw.choice("uvw"), draw.choice("uvw"), draw.choice("mo")
    test = draw.choice(("k % 2", "s > c", f"{one}[0] > {other}[-1]", f"len({one}) > 2"))
    match draw.randrange(11 if depth < 2 else 9):
        case 0 | 1:
            return [f"{m} = {one} if {test} else {other}"]
        case 2:
            return [f"{m} = longest({one}, {m})"]
        case 3:
            return [f"{m}.append(0.5 * s + {other}[0])"]
        case 4:
            return [f"{m}[{draw.choice(('0', '-1'))}] += 0.25 * a"]
        case 5:
            return [f"if len({m}) > 1:", f"    s += 0.1 * {m}.pop({draw.choice(('', '0'))})"]
        case 6:
            return [f"s += 0.1 * sum({m}) + 0.01 * len({other})"]
        case 7:
            return [f"d = p if {test} else q", 'd["x"] += 0.5 * s', 's -= 0.1 * p["x"]']
        case 8:
            return [f"s += 0.1 * put({m}, a * s)[0]"]
        case 9:
            return [
                f"if {test}:",
                *_inner(draw, depth),
                "else:",
                *_inner(draw, depth),
            ]
        case _:
            return ["for k in range(n):", *_inner(draw, depth)]


_inner = partial(inner, _statement)
_lines = partial(lines, _statement)


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    draw = random.Random(seed)
    body = [
        "s, k, u, v, w = 0.5 * a, 0, [a], [a * a, 0.5], [0.25, a, 1.5]",
        'p, q, m, o = {"x": a}, {"x": 1.0}, u, v',
        *_lines(draw, 0, 6),
        'return s + sum(u) + 0.5 * sum(v) - 0.25 * sum(w) + p["x"] * q["x"] + len(m)',
    ]
    text = _HELPER + function("a, c, n", body)
    return imported(folder / f"random_one_of_two_{seed}.py", text).f


def _tried(seed: int, folder: Path) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f = _program(seed, folder)
    return accepted(f, [(0.75, 0.6, 3)], ("RG0104", "RG0106"), Slopes(f, "40kB"))


def test_a_random_program_with_one_of_two_lists(tmp_path):
    assert _tried(5, tmp_path)


@pytest.mark.parametrize("shard", shards(8, fast=1))
def test_more_random_programs_with_one_of_two_lists(shard, tmp_path):
    accepted = [_tried(1000 + seed, tmp_path) for seed in range(shard, 160, 8)]
    assert sum(accepted) >= len(accepted) // 3
