"""Random programs whose functions need to know some of their ints: as in Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.frontend.harness import agree
from tests.random.files import imported
from tests.random.slopes import Slopes

_FUNCTIONS = """
import numpy as np


def total(x, axis):
    return np.sum(x * x, axis=axis)


def part(values, k, c):
    return values[k] * (0.5 if c > 0.0 else 0.25)


def folded(x, n, c):
    if n == 0:
        return x
    return folded(x * 0.5 if c > 0.0 else x + 1.0, n - 1, c)


def ranked(x, rank):
    if rank == 2:
        return np.sum(x, axis=0)
    return x


def grown(x, n):
    return x if n == 0 else grown(np.concatenate((x, x[:1])), n - 1)


def through(x, k, c):
    values = (total(x, k), np.sum(x, axis=0), 0.75)
    return np.sum(part(values, k - 2, c)) + np.sum(ranked(x, x.ndim)) * order(k)


def order(k):
    return 1


def many(n, x):
    return x if n < 2 else many(n - 1, x) + 0.5 * many(n - 2, x)


def cut(x, size):
    if 0.0 < size < 1.0:
        k = int(len(x) * size)
    else:
        k = size
    return x[: len(x) - k] * size


class Share:
    def __init__(self, size, k):
        self.size, self.k = size, k

    def of(self, x):
        y = x[self.k] if self.size < 0.5 else cut(x[self.k], self.size)
        return np.sum(y * self.size)


"""


def _expression(draw: random.Random) -> str:
    k = draw.randrange(2)
    return draw.choice([
        f"np.sum(total(a, {k - 2 * draw.randrange(2)}))",
        f"np.sum(part((a[0], a, s), {draw.randrange(-3, 3)}, c))",
        f"np.sum(folded(a, {draw.randrange(4)}, c))",
        f"through(a, {k}, s)",
        f"np.sum(cut(a[{k}], {draw.choice(('0.5', '0.75', '1', '2'))}))",
        f"Share({draw.choice(('0.25', '0.5', '0.0', '1'))}, {k}).of(a)",
        f"np.sum(total(grown(a[{k}], {draw.randrange(1, 3)}), order({k}) - 1))",
        f"many({draw.randrange(2, 6)}, s)",
        f"2 ** (n + {k}) * 10 ** -{draw.randrange(1, 3)} * s",
        f"(-1) ** (n - {k}) * n ** {draw.randrange(4)} * n ** {k} * s",
        f"np.sum(a * (-1) ** np.arange({k} + 1) * 3 ** n)",
        f"np.sum(ranked(a, a.ndim) * ranked(a[{k}], {draw.randrange(1, 2)}))",
    ])  # fmt: skip


def _lines(draw: random.Random, depth: int, count: int) -> list[str]:
    found: list[str] = []
    for _ in range(count):
        match draw.randrange(4 if depth < 2 else 2):
            case 0:
                found.append(f"s = 0.5 * s + 0.05 * {_expression(draw)}")
            case 1:
                found.append(f"a = a * 0.75 + 0.01 * {_expression(draw)}")
            case 2:
                inner = [f"    {line}" for line in _lines(draw, depth + 1, 2)]
                found += [f"if {draw.choice(['c > 0.0', 's > 1.0'])}:", *inner]
            case _:
                inner = [f"    {line}" for line in _lines(draw, depth + 1, 1)]
                found += [f"for n in range({draw.randrange(4)}):", *inner]
    return found


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    draw = random.Random(seed)
    body = ["s, n = u, 2", "a = np.array([[u, 1.0], [0.5, u * u]])", *_lines(draw, 0, 5),
            "return s + np.sum(a)"]  # fmt: skip
    text = _FUNCTIONS + "def f(u, c):\n" + "".join(f"    {line}\n" for line in body)
    return imported(folder / f"random_literals_{seed}.py", text).f


def _tried(seed: int, folder: Path) -> bool:
    """Whether the program has a slope that was compared with differences; all of it is right."""
    f = _program(seed, folder)
    slopes = Slopes(f, "16kB")
    compared = 0
    for c in (1.0, -1.0):
        agree(f, 0.75, c)
        compared += slopes.right(0.75, (c,))
    return compared > 0


def test_random_programs_with_literals(tmp_path):
    assert any([_tried(seed, tmp_path) for seed in range(3)])


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(4))
def test_more_random_programs_with_literals(shard, tmp_path):
    assert any([_tried(1000 + seed, tmp_path) for seed in range(shard, 80, 4)])
