"""Random programs that draw random numbers: the same number whoever asks for it."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import retrograd as rg
from tests.frontend.harness import agree
from tests.random.files import imported
from tests.random.lines import inner
from tests.random.slopes import Slopes

_START = """
import numpy as np
import retrograd as rg


class Cell:
    def __init__(self, x, rng):
        self.x = x
        self.rng = rng

    def step(self, size):
        self.x = 0.5 * self.x + size * self.rng.normal()
        return self.rng.random()


def drift(rng, x, n):
    for _ in range(n):
        x = x + 0.1 * rng.uniform(-x, 1.0)
    return x


def f(u, seed):
    p, q = rg.random.default_rng(seed), rg.random.default_rng(5)
    cell, v, s, k = Cell(u, p), np.array([u, 1.0, -u]), u, 0
"""


def _number(draw: random.Random) -> str:
    r = draw.choice("pq")
    return draw.choice([
        f"{r}.random()", f"{r}.normal(s, 0.5)", f"{r}.exponential(1.0 + u * u)",
        f"{r}.integers(1, 5)", f"np.sum({r}.normal(v, 0.25))", f"np.sum({r}.random(k % 4 + 1))",
        f"{r}.choice(v)", f"np.sum({r}.permutation(v)[:2] ** 2.0)", f"drift({r}, s, 3)",
        "cell.step(0.1)", f"{r}.uniform(u, 2.0)", f"rg.random.bits({r}.key, {r}.counter) * 1e-20",
    ])  # fmt: skip


def _statement(draw: random.Random, depth: int) -> list[str]:
    match draw.randrange(10 if depth < 2 else 5):
        case 0:
            return [f"s = 0.75 * s + 0.1 * {_number(draw)}"]
        case 1:
            return [f"v[{draw.randrange(3)}] = 0.5 * {_number(draw)}"]
        case 2:
            return [f"s += {_number(draw)} * u", "k += 1"]
        case 3:
            return [f"{draw.choice('pq')}.shuffle(v)"]
        case 4:
            names = ["p, q = q, p", "q = p", "cell.rng = q"] if depth == 0 else []
            return [draw.choice([*names, "q = p.spawn(2)[1]", "cell.rng = p.spawn(1)[0]"])]
        case 5 | 6:
            test = draw.choice(["seed > 2", "p.random() < 0.5", "s > q.normal()"])
            return [f"if {test}:", *_inner(draw, depth), "else:", *_inner(draw, depth)]
        case 7:
            return [f"while k < {draw.randrange(1, 9)}:", "    k += 1", *_inner(draw, depth)]
        case _:
            return [f"for i in range({draw.randrange(1, 5)}):", *_inner(draw, depth)]


_inner = partial(inner, _statement)


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    draw = random.Random(seed)
    lines = [line for _ in range(6) for line in _statement(draw, 0)]
    lines.append("return s + cell.x + np.sum(v * v) + p.normal() * u + 0.01 * q.counter")
    text = _START + "".join(f"    {line}\n" for line in lines)
    return imported(folder / f"random_draws_{seed}.py", text).f


def _tried(seed: int, folder: Path) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f = _program(seed, folder)
    slopes = Slopes(f, "8kB")
    try:
        agree(f, 0.75, 3)
        agree(f, 0.75, 1)
    except rg.UserError as error:
        assert error.code == "RG0106", error  # noqa: PT017 - two generators under one name
        return False
    slopes.right(0.75, (3,))
    return True


@pytest.mark.parametrize("shard", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_random_programs_that_draw(shard, tmp_path):
    assert sum(_tried(seed, tmp_path) for seed in range(shard, 4, 2)) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(8))
def test_more_random_programs_that_draw(shard, tmp_path):
    assert sum(_tried(seed, tmp_path) for seed in range(1000 + shard, 1240, 8)) >= 25
