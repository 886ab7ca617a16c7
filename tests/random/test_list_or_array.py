"""Random programs whose names are a list, an array, a tuple or a number by path: as in Python."""

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
import numpy as np


def total(y):
    if isinstance(y, (int, float)):
        return y
    return sum(v * v for v in y)


def grown(y, v):
    if isinstance(y, list):
        y.append(v)
    return y


"""


def _statement(draw: random.Random, depth: int) -> list[str]:
    one, m = draw.choice("uvw"), draw.choice("mo")
    test = draw.choice(("k % 2", "s > c", f"{one}[0] > c", f"np.size({m}) > 2", "k > 1"))
    match draw.randrange(15 if depth < 2 else 12):
        case 0 | 1:
            made = (one, f"np.array({one})", "[s, c]", "np.array([c, s, s])", "(s, c)", "s", "o")
            return [f"{m} = {draw.choice(made)} if {test} else {draw.choice(made)}"]
        case 2:
            return [f"s += 0.1 * total({m})"]
        case 3:
            return [f"{m} = grown({m}, 0.5 * s)"]
        case 4:
            change = f"    {m}[{draw.choice(('0', '-1'))}] += 0.25 * a"
            return [f"if isinstance({m}, (list, np.ndarray)):", change]
        case 5:
            return [f"s += 0.1 * np.sum({m}) + 0.01 * np.size({one})"]
        case 6:
            return [f"if isinstance({m}, list):", f"    {m} = np.array({m}) * 0.5"]
        case 7:
            return [f"s -= 0.1 * {one}[-1]", f"{one}[0] = 0.5 * s"]
        case 8:
            change = f"    s += {m}[0] * {m}[-1] + len({m}[1:])"
            return [f"if not isinstance({m}, float):", change]
        case 9:
            item = f"np.array([s, total(d['y'])]) if {test} else s"
            return [f"d = {{'y': {m}}}", f"h.append({item})"]
        case 10:
            return [f"{m} = np.atleast_1d({m})"]
        case 11:
            return [f"p = (lambda: np.mean({m}) * a)", "s += 0.1 * p()"]
        case 12 | 13:
            return [f"if {test}:", *_inner(draw, depth), "else:", *_inner(draw, depth)]
        case _:
            return ["for k in range(n):", *_inner(draw, depth)]


_inner = partial(inner, _statement)
_lines = partial(lines, _statement)


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    draw = random.Random(seed)
    body = [
        "s, k, h, u, v, w = 0.5 * a, 0, [], [a], [a * a, 0.5], np.array([0.25, a, 1.5])",
        "m, o = u, w",
        *_lines(draw, 0, 6),
        "return s + sum(u) + 0.5 * sum(v) - 0.25 * sum(w) + total(m) + sum(total(y) for y in h)",
    ]
    text = _HELPER + function("a, c, n", body)
    return imported(folder / f"random_list_or_array_{seed}.py", text).f


def _tried(seed: int, folder: Path) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f = _program(seed, folder)
    return accepted(f, [(0.75, 0.6, 3)], ("RG0104", "RG0106", "RG0110"), Slopes(f, "40kB"))


def test_a_random_program_with_a_list_or_an_array(tmp_path):
    assert _tried(7, tmp_path)


@pytest.mark.parametrize("shard", shards(8, fast=1))
def test_more_random_programs_with_a_list_or_an_array(shard, tmp_path):
    accepted = [_tried(1000 + seed, tmp_path) for seed in range(shard, 160, 8)]
    assert sum(accepted) >= len(accepted) // 3
