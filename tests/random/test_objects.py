"""Random programs with objects of two classes: as in Python, or refused for a possible alias."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retrograd.errors import UserError
from tests.frontend.harness import agree
from tests.random.files import imported
from tests.random.slopes import Slopes

CLASSES = """
import numpy as np


class A:
    def __init__(self, x, y):
        self.x = x
        self.y = y
        self.h = np.array([x, y, 1.0])

    def mix(self, other):
        self.x = 0.5 * self.x + 0.25 * other.y
        self.h[0] += other.x
        return self.y

    def made(self, s):
        return A(self.y * s, self.x)

    def total(self):
        return self.x + 2.0 * self.y + np.sum(self.h * self.h)


class B(A):
    def __init__(self, x, y):
        super().__init__(y, x)
        self.inner = A(x, 1.0)

    def total(self):
        return super().total() + self.inner.x


"""


def _statement(draw: random.Random, depth: int) -> list[str]:
    a, b = draw.choice("pqr"), draw.choice("pqr")
    kinds = 9 if depth < 2 else 6
    match draw.randrange(kinds):
        case 0:
            return [f"{a} = A({b}.y, 0.5 * {a}.x)"]
        case 1:
            return [f"{a} = {b}"]
        case 2:
            return [f"{a}.{draw.choice('xy')} = {b}.{draw.choice('xy')} * 0.75"]
        case 3:
            return [f"s += {a}.mix({b})"]
        case 4:
            return [f"{a} = {b}.made(0.5)"]
        case 5:
            return [f"{a}.h = {a}.h * 0.5", f"{a}.h[1] = {b}.x"]
        case 6:
            test = draw.choice(["c > 0", f"{a}.x > {b}.y", "s > 1.0"])
            return [f"if {test}:", *_inner(draw, depth), "else:", *_inner(draw, depth)]
        case 7:
            return [f"for k in range({draw.randrange(4)}):", *_inner(draw, depth)]
        case _:
            return [f"o.inner = {a}", f"s += o.total() + {b}.total()"]


def _inner(draw: random.Random, depth: int) -> list[str]:
    return [f"    {line}" for line in lines(draw, depth + 1, draw.randrange(1, 3))]


def lines(draw: random.Random, depth: int, count: int) -> list[str]:
    return [line for _ in range(count) for line in _statement(draw, depth)]


def _text(seed: int) -> str:
    draw = random.Random(seed)
    body = [
        "p, q, r, o, s = A(u, 1.5), A(0.5, u), A(u, u), B(u, 0.25), 0.0",
        *lines(draw, 0, 7),
        "return s + p.total() + q.total() * r.x + o.total()",
    ]
    return CLASSES + "def f(u, c):\n" + "".join(f"    {line}\n" for line in body)


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    return imported(folder / f"random_objects_{seed}.py", _text(seed)).f


def _tried(seed: int, folder: Path) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f = _program(seed, folder)
    slopes = Slopes(f, "4kB")
    accepted = 0
    for c in (1.0, -1.0):
        try:
            agree(f, 0.75, c)
        except UserError as error:
            assert error.code == "RG0106", error  # noqa: PT017 - the only refusal there may be
            continue
        accepted += 1
        slopes.right(0.75, (c,))
    return accepted > 0


@pytest.mark.thinned(2)
@pytest.mark.parametrize("shard", range(2))
def test_random_programs_with_objects(shard, tmp_path):
    accepted = [_tried(seed, tmp_path) for seed in range(shard, 12, 2)]
    assert sum(accepted) >= len(accepted) // 3


@pytest.mark.slow
@pytest.mark.also_in_ci(2)
@pytest.mark.parametrize("shard", range(8))
def test_more_random_programs_with_objects(shard, tmp_path):
    accepted = [_tried(1000 + seed, tmp_path) for seed in range(shard, 400, 8)]
    assert sum(accepted) >= len(accepted) // 3
