"""Random programs with arrays of three to six axes: all that rearranges, reduces and multiplies."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.frontend.harness import agree
from tests.random.files import imported
from tests.random.lines import inner, lines
from tests.random.slopes import right_in_a_direction

# `a` and `b` are (2, 3, 2, 3), `c` is (3, 2, 3), `s` a number.
_STATEMENTS = (
    "{a} = {a} * c[None] + 0.1 * np.roll({b}, {i}, axis={axis})",
    "{a} = np.sin({b}.transpose(2, 1, 0, 3)) + {a}[::-1]",
    "c = np.tanh(c + {a}[{i}, :, ::-1] * {b}[{i}].sum(axis=1, keepdims=True))",
    "{a}[{i}, 1:, :, ::2] = {b}[{i}, :2, ::-1, :2] * 0.5",
    "{a}[..., {j}] += 0.3 * {b}[:, :, {i}, None, {j}]",
    "{a}[{a} > 0.8] = 0.2",
    "s += np.sum(np.einsum('abcd,abed->ace', {a}, {b}) ** 2) * 0.1",
    "s += np.sum(np.max({a} * {b}, axis=({i}, 3)))",
    "{a} = 0.2 * ({b} @ np.swapaxes({a}, -1, -2) @ {b})",
    "{a} = np.matmul({b}, np.cos(c[:, {i}, None] * c[0, 0, :, None]))",
    "y = ({a}.reshape(3, 2, 1, 2, 3) * {b}.reshape(1, 3, 2, 2, 3)[:, :2])\n"
    "s += np.sum(y ** 2) * 0.05\n{a} = 0.2 * np.sum(y, axis=2)[None, :, :, 0] + {b}",
    "{a} = np.stack([{b}[k] * (k + 1.0) for k in range(2)]) * 0.5",
    "{a} = np.concatenate([{b}[:, :{i}], {a}[:, {i}:]], axis=1)",
    "s += 0.1 * np.sum(np.mean({a}, axis=(0, 2)) * np.var({b}, axis=(0, 2)))",
    "{a} = np.cumsum({b}, axis={axis}) * 0.3",
    "{a} = {b}[:, [2, 0, {j}]] * 0.9",
    "c = {a}[[0, {i}, 1], [{j}, 1, 2]] * 0.7",
    "{a} = np.where({b} > c, {b}, {a} * c[:, :1])",
    "y = np.moveaxis({a}[:, None, :, :, :, None], 1, -2)\ns += np.sum(y * y) * 0.01",
    "for row in {a}:\n    s += np.sum(row[:, {i}] * c[:, {i}])",
)


def _statement(draw: random.Random, depth: int) -> list[str]:
    a, b = draw.sample("ab", 2)
    match draw.randrange(9 if depth < 2 else 7):
        case 7:
            test = draw.choice(["n > 1", "s > 1.0", f"{a}[0, 1, 0, 2] > c[0, 0, 0]"])
            return [f"if {test}:", *_inner(draw, depth), "else:", *_inner(draw, depth)]
        case 8:
            return [f"for k in range({draw.randrange(3)}):", *_inner(draw, depth)]
        case _:
            text = draw.choice(_STATEMENTS)
            places = {"i": draw.randrange(2), "j": draw.randrange(3), "axis": draw.randrange(-4, 4)}
            return text.format(a=a, b=b, **places).split("\n")


_inner = partial(inner, _statement)
_lines = partial(lines, _statement)


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    draw = random.Random(seed)
    body = ["a, b, s = a.copy(), 0.5 * np.cos(a), 0.0", *_lines(draw, 0, 5)]
    body.append("return s + np.sum(np.sin(a * b)) + np.sum(c * c) * 0.1")
    text = "".join(f"    {line}\n" for line in body)
    text = f"import numpy as np\n\n\ndef f(a, c, n):\n{text}"
    return imported(folder / f"random_axes_{seed}.py", text).f


def _tried(seed: int, folder: Path) -> bool:
    """Whether differences say anything about the program; what it gives is right."""
    f = _program(seed, folder)
    rng = np.random.default_rng(seed)
    a, a_dot = rng.uniform(-1.0, 1.0, (2, 2, 3, 2, 3))
    c, c_dot = rng.uniform(-1.0, 1.0, (2, 3, 2, 3))
    agree(f, a, c, 2)
    return right_in_a_direction(f, (a, c), (a_dot, c_dot), 2, "60kB")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", range(100, 103))
def test_random_programs_with_many_axes(seed: int, tmp_path: Path) -> None:
    assert _tried(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(8))
def test_more_random_programs_with_many_axes(shard: int, tmp_path: Path) -> None:
    said = [_tried(seed, tmp_path) for seed in range(103 + shard, 263, 8)]
    assert sum(said) > len(said) // 2
