"""Random programs with values that may be None: as in Python, exceptions included."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree
from tests.random.files import imported
from tests.random.shards import shards
from tests.random.slopes import Slopes

_FUNCTIONS = """
import numpy as np


class A:
    def __init__(self, x):
        self.x = x
        self.last = None

    def see(self, v):
        if self.last is None or v > self.last:
            self.last = v
        return self.x

    def better(self, other):
        if other is None:
            return self
        return other if other.x > self.x else None


def above(x, c):
    if x > c:
        return 0.5 * x


def row(a, c):
    for k in range(2):
        if a[k, 0] > c:
            return a[k] * 0.5
    return None


def pair(x, old, c):
    if old is not None and old[0] > c:
        return old
    if x > c:
        return x, 0.25 * c
    return None


def plus(x, y=None):
    if y is None:
        y = 0.125
    return x + y


"""

_KINDS = {"m": "number", "n": "number", "v": "array", "w": "array", "t": "tuple", "o": "object",
          "p": "object"}  # fmt: skip


def _given(draw: random.Random, kind: str) -> str:
    m, o, v, t = draw.choice("mn"), draw.choice("op"), draw.choice("vw"), "t"
    return draw.choice({
        "number": ["None", "above(s, c)", "0.5 * s", m, f"{m} if s > c else None",
                   f"plus(s, {m})", f"above({m}, c) if {m} is not None else s", f"{o} and {o}.last",
                   f"{m} or 0.25", f"{v}[0] if {v} is not None else {m}"],
        "array": ["None", "row(a, c)", "a[0]", v, f"{v} if s > c else None", "a[1] * s",
                  f"{v} if {v} is not None else a[1]"],
        "tuple": ["None", f"pair(s, {t}, c)", "(s, 0.5)", f"{t} if s > c else None"],
        "object": ["None", "A(s)", o, f"A(s).better({o})", f"{o} if s > c else None"],
    }[kind])  # fmt: skip


def _read(draw: random.Random) -> list[str]:
    m, o, v = draw.choice("mn"), draw.choice("op"), draw.choice("vw")
    return draw.choice([
        [f"s = 0.5 * s + (0.25 if {m} is None else {m} * 0.5)"],
        [f"if {v} is not None:", f"    s = s + {v}[0] * {v}[1] * 0.125"],
        [f"if {v} is not None and {v}[1] > s:", f"    a[0] = a[0] + {v} * 0.25"],
        ["if t is not None:", "    x, y = t", "    s += x * y * 0.25"],
        [f"if {o} is None:", f"    {o} = A(0.5)", f"s += {o}.see(s) * 0.125"],
        [f"if {o}:", f"    s += {o}.x * 0.25", f"    {o}.x = s"],
        [f"if {m} is None or {m} < s:", f"    {m} = s * 0.5"],
        [f"if not {m}:", "    s = s * 0.75", "else:", f"    s -= {m} * 0.125"],
        [f"s = 0.5 * s + plus(0.25, {m})"],
        [f"s += 0.125 * {m}"] if draw.random() < 0.2 else ["s *= 0.75"],
        [f"if {v} is not None:", f"    {v} = {v} + 0.125 * s"],
        [f"while {m} is not None:", f"    s += {m} * 0.125", f"    {m} = above({m} - 0.125, c)"],
    ])  # fmt: skip


def _lines(draw: random.Random, depth: int, count: int) -> list[str]:
    found: list[str] = []
    for _ in range(count):
        match draw.randrange(7 if depth < 2 else 5):
            case 0 | 1:
                name = draw.choice(list(_KINDS))
                found.append(f"{name} = {_given(draw, _KINDS[name])}")
            case 2 | 3 | 4:
                found += _read(draw)
            case 5:
                test = draw.choice(["c > 0.0", "s > 0.5", "m is None", "o is not None and s > c"])
                found += [f"if {test}:", *_inner(draw, depth), "else:", *_inner(draw, depth)]
            case _:
                found += [f"for k in range({draw.choice(['0', '2', '3', 'n_'])}):",
                          *_inner(draw, depth)]  # fmt: skip
    return found


def _inner(draw: random.Random, depth: int) -> list[str]:
    return [f"    {line}" for line in _lines(draw, depth + 1, draw.randrange(1, 3))]


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    draw = random.Random(seed)
    body = [
        "s, a = u, np.array([[u, 0.5], [0.75, u * u]])",
        "m = n = v = w = t = o = p = None",
        *_lines(draw, 0, 8),
        f"last = {_given(draw, 'number')}",
        "if last is not None:",
        "    s += 0.5 * last",
        "return s + np.sum(a)",
    ]
    text = _FUNCTIONS + "def f(u, c, n_):\n" + "".join(f"    {line}\n" for line in body)
    return imported(folder / f"random_optional_{seed}.py", text).f


def _tried(seed: int, folder: Path) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f = _program(seed, folder)
    slopes = Slopes(f, "16kB")
    accepted = 0
    for c, n in ((0.25, 2), (0.0625, 0)):
        try:
            agree(f, 0.7, c, n)
            f(0.7, c, n)
        except UserError as error:
            assert error.code == "RG0106", error  # noqa: PT017 - the only refusal there may be
            continue
        except TypeError as error:
            with pytest.raises(TypeError, match=re.escape(str(error))):
                rg.jit(f)(0.7, c, n)
            accepted += 1
            continue
        accepted += 1
        slopes.right(0.7, (c, n))
    return accepted > 0


@pytest.mark.parametrize("shard", range(2))
def test_random_programs_with_none(shard, tmp_path):
    accepted = [_tried(seed, tmp_path) for seed in range(shard, 8, 2)]
    assert sum(accepted) >= len(accepted) // 2


@pytest.mark.parametrize("shard", shards(8, fast=2))
def test_more_random_programs_with_none(shard, tmp_path):
    accepted = [_tried(1000 + seed, tmp_path) for seed in range(shard, 400, 8)]
    assert sum(accepted) >= len(accepted) // 2
