"""Random steps that are maps over rows, of which a reverse sweep runs one again at a time.

In machine code that is not interrupted an element is run again where its reverse begins
(`transforms/loops/rerun_fusion.py`). With `memory=` it is not, nor in the interpreter: bits are the
same.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.report.stages import stage_text
from tests.random.calculus import Interpreted, Native
from tests.random.programs.module import load

PARTS = (
    "np.sin(row)", "row * np.sum(row)", "w @ row", "other", "np.tanh(row * other)", "row[::-1]",
    "np.cos(other) * t", "row * row[{k}]", "row * t",
)  # fmt: skip
CHANGES = (
    "for j in range(3):\n    t = np.sin(t) + row[{k}]",
    "for j in range({k} + 1):\n    row = 0.5 * np.sin(row) * t",
    "if row[{k}] > 0.1:\n    t = t * np.sum(other)",
    "while abs(t) > 0.3:\n    t = 0.5 * t",
    "t = math.exp(-t * t)",
)
OTHERS = ("x[(i + 1) % n]", "x[i - 1]", "x[at[i]]", "x[i]")
NUMBERS = ("0.7", "np.sum(row)", "other[1] * row[0]")
MAPS = (
    "x = rg.build(n, of_row)",
    "x = np.stack([of_row(i) for i in range(n)])",
    "new = np.zeros((n, 3))\nfor i in range(n):\n    new[i] = of_row(i)\nx = new",
)


def indented(text: str, by: int) -> str:
    return text.replace("\n", "\n" + " " * by)


def source(draw: Random) -> str:
    """Steps of a map, which reads rows of other places."""
    first, then = (indented(draw.choice(CHANGES).format(k=draw.randint(0, 2)), 12) for _ in "ab")
    terms = " + ".join(draw.choice(PARTS).format(k=draw.randint(0, 2)) for _ in range(3))
    return f"""
import math
import numpy as np
import retrograd as rg

def f(x, w, at, n, count):
    for step in range(count):
        def of_row(i):
            row = x[i]
            other = {draw.choice(OTHERS)}
            t = {draw.choice(NUMBERS)}
            {first}
            {then}
            return 0.5 * row + 0.1 * ({terms}) * t
        {indented(draw.choice(MAPS), 8)}
    return np.sum(x * x)
"""


def check(seed: int, directory: Path) -> bool:
    """Whether the maps of a program are run again in the loop of their reverse."""
    draw = Random(f"steps of maps {seed}")
    text = source(draw)
    f = load(text, directory).f
    data = np.random.default_rng(seed)
    n, count = draw.randint(1, 5), draw.randint(1, 4)
    at = data.integers(-n, n, n)
    args = (data.normal(size=(n, 3)), data.normal(size=(3, 3)), at, n, count)
    slopes = rg.grad(f, argnums=(0, 1))
    bars = slopes(*args)
    (others,) = (Interpreted().vjp(f, args)[1](1.0)[:2],)
    dots: tuple[Any, ...] = tuple(data.normal(size=a.shape) for a in args[:2])
    _, dot = Native().jvp(f, args, (*dots, np.zeros(n), 0, 0))
    along = sum(float(np.sum(a * b)) for a, b in zip(bars, dots, strict=True))
    size = sum(float(np.sum(np.abs(a * b))) for a, b in zip(bars, dots, strict=True))
    assert abs(along - float(dot)) <= 1e-9 * (size + 1e-30), text
    for ours, want in zip(bars, others, strict=True):
        np.testing.assert_allclose(ours, want, rtol=1e-9, atol=1e-12, err_msg=text)
    limited = rg.grad(f, argnums=(0, 1), memory="1MB")(*args)
    assert [a.tobytes() for a in limited] == [a.tobytes() for a in bars], text
    return _fused(stage_text(slopes, args, "vjp"), stage_text(slopes, args, "machine"))


def _fused(before: str, after: str) -> bool:
    return before.count("\nfunction") > after.count("\nfunction")


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(6))
def test_steps_of_maps(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_steps_of_maps(shard: int, tmp_path: Path) -> None:
    """Of ten programs at least one is of the kind."""
    assert any([check(1000 + 10 * shard + seed, tmp_path) for seed in range(10)])
