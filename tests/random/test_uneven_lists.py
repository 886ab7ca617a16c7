"""Random programs with arrays of different lengths in lists: parts, what is chosen, levels.

Lists grow, are sorted, cut and joined; their items are read, put together and looped over.
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
import numpy as np


class Parts:
    def __init__(self):
        self.every = []

    def put(self, p):
        self.every.append(p)
        return len(self.every)


def f(u, n, c):
    v = u * np.array([0.5, -1.0, 0.25, 0.75, -0.5, 1.25])
    a, b, box, x, s = [v[:1]], [], Parts(), v, 0.5 * u
    for k in range(n + 1):
        b.append(v[k:] * u)
"""


def _array(draw: random.Random) -> str:
    return draw.choice((
        "v[:k]", "v[k:]", "v[k % 3 : k + 2] * u", "x", "v[v > s]", "np.zeros(k + 1) + u", "x[:-1]",
        "a[-1]", "b[k % len(b)] * 2.0", "np.append(v[:k], s)", "v[1:3] * x[0]", "x.copy()",
    ))  # fmt: skip


def _statement(draw: random.Random, depth: int) -> list[str]:
    name = draw.choice("ab")
    match draw.randrange(14 if depth < 2 else 10):
        case 0 | 1 | 2:
            return [
                f"k = {draw.choice(('1', '2', 'n', 'len(a) % 4'))}",
                f"{name}.append({_array(draw)})",
            ]
        case 3:
            return [draw.choice((
                f"s += 0.1 * sum(np.sum(p) for p in {name})", f"s += 0.1 * len({name}[-1])",
                f"s += 0.1 * np.sum(np.concatenate({name}) ** 2)",
                f"s += 0.01 * sum(len(p) for p in {name})", f"s += 0.1 * np.sum({name}[0])",
                f"s += sum([np.sum(p * p) * 0.1 for p in {name} if len(p) > 1])",
                f"s += 0.1 * np.sum(max({name}, key=len))",
            ))]  # fmt: skip
        case 4:
            return [draw.choice((
                f"{name}.sort(key=len)", f"{name}.reverse()", f"{name} = {name}[1:] + {name}[:1]",
                f"{name}.insert(1, v[:2])", f"{name}[-1] = v[n % 3 :]", "a.extend(b)", "b = a + b",
                f"{name} = [p * 0.5 for p in {name}]", f"{name} = list({name})",
            ))]  # fmt: skip
        case 5:
            return [
                f"if len({name}) > 1:",
                f"    s += 0.1 * np.sum({name}.pop({draw.choice(('', '0'))}))",
            ]
        case 6:
            return ["if len(x) > 2:", "    x = 0.5 * (x[:-1] + x[1:])"]
        case 7:
            return [f"k = {draw.choice(('1', 'n'))}", f"s += 0.01 * box.put({_array(draw)})"]
        case 8:
            return [f"s += 0.1 * sum(w * np.sum(p) for w, p in zip(v, {name}))"]
        case 9:
            return [f"for j, p in enumerate({name}):", "    s += 0.01 * j * np.sum(p)"]
        case 10 | 11:
            head = draw.choice(("for k in range(n):", "for k in range(1, n + 2):"))
            return [head, *_inner(draw, depth)]
        case _:
            test = draw.choice(("c > 0", "len(a) > 3", "s > 1.0", "n == 2"))
            found = [f"if {test}:", *_inner(draw, depth)]
            return found if draw.random() < 0.5 else [*found, "else:", *_inner(draw, depth)]


_inner = partial(shared.inner, _statement)
_lines = partial(shared.lines, _statement)


def _text(seed: int) -> str:
    draw = random.Random(seed)
    body = _lines(draw, 0, 6)
    body.append("return s + sum(np.sum(p) for p in a) * 0.1 + sum(np.sum(p) for p in box.every)")
    return _BEGIN + "".join(f"    {line}\n" for line in body)


_CASES = [(0.7213, n, c) for n, c in ((2, 1), (1, -1), (3, 2))]
_CODES = ("RG0101", "RG0104", "RG0106", "RG0107", "RG0109", "RG0110")


def _tried(seed: int, folder: Path, native: bool) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f: Any = imported(folder / f"random_uneven_lists_{seed}.py", _text(seed)).f
    slopes = Slopes(f, "200kB") if native else None
    return accepted_with_lists(f, _CASES, _CODES, slopes)


def test_random_programs_with_arrays_of_different_lengths(tmp_path: Path) -> None:
    assert sum(_tried(seed, tmp_path, False) for seed in range(3)) >= 1


@pytest.mark.slow
@pytest.mark.also_in_ci(1)
@pytest.mark.parametrize("shard", range(10))
def test_more_random_programs_with_them(shard: int, tmp_path: Path) -> None:
    assert sum(_tried(1000 + seed, tmp_path, False) for seed in range(shard, 200, 10)) >= 10
    assert sum(_tried(5000 + seed, tmp_path, True) for seed in range(shard, 40, 10)) >= 1
