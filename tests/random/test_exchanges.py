"""Random loops that exchange the names of arrays: as in Python, in all ways of paying."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrograd.errors import UserError
from tests.frontend.harness import agree
from tests.random.files import imported
from tests.random.slopes import Slopes

pytestmark = pytest.mark.thinned(2)

_NAMES = ("a", "b", "d", "e")


def _statement(draw: random.Random, names: tuple[str, ...], index: str) -> str:
    x, y, z = (draw.choice(names) for _ in range(3))
    return draw.choice([
        f"{x}[{index} % 3] += 0.25 * {y}[1] * {z}[{index} % 2]",
        f"{x}[1:] = 0.5 * {x}[1:] - 0.25 * {y}[:2]",
        f"{x} *= 0.75",
        f"{x}[:] = {y} * 0.5 - 0.125",
        f"if {y}[0] > 0.25:\n    {x}[2] -= 0.125 * {z}[0]",
        f"if {index} == 1:\n    continue",
        f"s += 0.25 * {x}[2]",
    ])  # fmt: skip


def _exchange(draw: random.Random, names: tuple[str, ...]) -> str:
    some = draw.sample(names, draw.randrange(2, len(names) + 1))
    others = some[1:] + some[:1]
    if draw.random() < 0.3:
        return f"old = {some[0]}\n{some[0]} = {some[1]}\n{some[1]} = old"
    return f"{', '.join(some)} = {', '.join(others)}"


def _loop(draw: random.Random, names: tuple[str, ...], depth: int) -> list[str]:
    index, trips = "ik"[depth], draw.choice(["n", "n + 1", "4", "3"])
    head = draw.choice([f"range({trips})", f"range({trips}, 0, -1)", f"range(1, 2 * {trips}, 2)"])
    lines = [_statement(draw, names, index) for _ in range(draw.randrange(1, 4))]
    lines.insert(draw.randrange(len(lines) + 1), _exchange(draw, names))
    if depth == 0 and draw.random() < 0.3:
        lines += _loop(draw, names, 1)
    return [f"for {index} in {head}:", *_inside("\n".join(lines).split("\n"))]


def _inside(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    draw = random.Random(seed)
    names = _NAMES[: draw.randrange(2, 5)]
    made = ["x", "x * 0.5", "x[::-1] * 0.25", "x - 0.5"]
    own = [f"{name} = {draw.choice(made[1:])}" for name in names]
    if draw.random() < 0.5:
        own[0] = "a = x"
    if draw.random() < 0.5:
        own.append(f"first = {draw.choice(names)}")
    else:
        own.append("first = x * 1.0")
    body = [
        "s = 0.0", *own, *_loop(draw, names, 0),
        "s += 0.5 * first[0]",
        *(f"s += {0.5 + k} * {name}[{k % 3}]" for k, name in enumerate(names)),
        "return s",
    ]  # fmt: skip
    text = "def f(x, n):\n" + "".join(f"{line}\n" for line in _inside(body))
    whole = "def g(u, n):\n    return f(np.array([u, 0.5 * u, u * u]), n)\n"
    return imported(folder / f"random_exchange_{seed}.py", f"import numpy as np\n\n\n{text}{whole}")


def _tried(seed: int, folder: Path) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    module = _program(seed, folder)
    slopes = Slopes(module.g, "16kB")
    for n in (0, 1, 4, 5):
        try:
            agree(module.f, np.array([0.7, -0.4, 0.9]), n)
        except UserError as error:
            assert error.code == "RG0106", error  # noqa: PT017 - the only refusal there may be
            return False
        slopes.right(0.7, (n,))
    return True


@pytest.mark.parametrize("shard", range(2))
def test_random_exchanges(shard, tmp_path):
    accepted = [_tried(seed, tmp_path) for seed in range(shard, 6, 2)]
    assert sum(accepted) >= len(accepted) // 2


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(8))
def test_more_random_exchanges(shard, tmp_path):
    accepted = [_tried(1000 + seed, tmp_path) for seed in range(shard, 400, 8)]
    assert sum(accepted) >= len(accepted) // 2
