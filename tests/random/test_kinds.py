"""Random programs whose names are numbers on one path and arrays of some rank on another."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.random.derivatives import direction, flat
from tests.random.files import imported
from tests.random.harness import agree, outcome
from tests.random.lines import inner
from tests.random.programs.module import copied
from tests.random.shards import shards

_FUNCTIONS = """
import numpy as np


class Held:
    def __init__(self, v):
        self.v = v


def halved(u, q):
    if q > 0.0:
        return u * 0.5
    if q > -0.5:
        return 1.0
    return np.sum(u) + np.zeros(3)


def reduced(u):
    w = u
    if np.sum(u) > 0.0:
        w = np.sum(u)
    return w * 0.3


def f(x, m, c, n):
    a, b, s, o = 0.5, x, 0.0, Held(1.0)
"""
_NAMES = ("a", "b")


def _expression(draw: random.Random) -> str:
    name, other, k = draw.choice(_NAMES), draw.choice(_NAMES), draw.randrange(4)
    return draw.choice((
        name, name, f"{name} * {draw.choice(('0.5', 'x', 'c[1]'))}", f"({name} + {other})",
        f"np.sum({name})", f"halved({name}, c[{k}])", f"reduced({name})", f"np.atleast_1d({name})",
        f"({name} if c[{k}] > 0.0 else {draw.choice((other, '1.5', 'x', 'm'))})",
        draw.choice(("x", "m", "0.5", "2", "c[0]", "x[1]")),
    ))  # fmt: skip


def _statement(draw: random.Random, depth: int) -> list[str]:
    name = draw.choice(_NAMES)
    match draw.randrange(9 if depth < 2 else 6):
        case 0 | 1:
            return [f"{name} = {_expression(draw)}"]
        case 2:
            return [f"{name} = {name} + {_expression(draw)}"]
        case 3:
            return [f"s += np.sum({_expression(draw)})"]
        case 4:
            return [draw.choice((f"o.v = {_expression(draw)}", f"{name} = o.v"))]
        case 5:
            return [f"t = ({_expression(draw)}, {name})", "s += np.sum(t[0])", f"{name} = t[1]"]
        case 6:
            return [f"for k{depth} in range({draw.choice('2n')}):", *_inner(draw, depth)]
        case _:
            tests = ("c[0] > 0.0", "c[1] > 0.2", f"np.sum({name}) > 0.5", f"np.ndim({name}) > 0")
            found = [f"if {draw.choice(tests)}:", *_inner(draw, depth)]
            return found if draw.random() < 0.4 else [*found, "else:", *_inner(draw, depth)]


_inner = partial(inner, _statement, most=3)


def _program(seed: int, folder: Path) -> Callable[..., Any]:
    draw = random.Random(seed)
    body = [line for _ in range(6) for line in _statement(draw, 0)]
    body.append("return s + np.sum(a) + 2.0 * np.sum(b) + np.sum(o.v)")
    text = _FUNCTIONS + "".join(f"    {line}\n" for line in body)
    return imported(folder / f"random_kinds_{seed}.py", text).f


def _tried(seed: int, folder: Path) -> int:
    """How many calls give a value; Python's exceptions are ours."""
    f, data, values = _program(seed, folder), np.random.default_rng(seed), 0
    compiled, gradient = rg.jit(f), rg.grad(f, (0, 1, 2))
    for n in range(3):
        args = (data.normal(size=3), data.normal(size=(2, 3)), data.normal(size=4), n)
        want = outcome(f, copied(args))
        assert agree(want, outcome(compiled, copied(args)), 1e-10) is None, (seed, n)
        if want.error is None and n == 1 and seed % 3 == 0:
            bars, dots = (*gradient(*args), 0), direction(args, seed)
            terms = flat(bars, args) * flat(dots, args)
            along = rg.jvp(f, args, dots)[1]
            assert abs(np.sum(terms) - along) <= 1e-10 * (np.sum(np.abs(terms)) + 1e-300), seed
            again = rg.grad(f, (0, 1, 2), memory="60kB")(*args)
            assert flat((*again, 0), args).tobytes() == flat(bars, args).tobytes(), seed
        values += want.error is None
    return values


def test_random_programs_with_values_of_several_kinds(tmp_path: Path) -> None:
    assert sum(_tried(seed, tmp_path) for seed in range(4)) >= 6


@pytest.mark.parametrize("shard", shards(20, fast=2))
def test_more_random_programs_with_values_of_several_kinds(shard: int, tmp_path: Path) -> None:
    assert sum(_tried(1000 + seed, tmp_path) for seed in range(shard, 400, 20)) >= 30
