"""Random programs with lists, their rows, aliases and growth: Python, the program and derivatives.

A program that is accepted gives what Python gives; RG0106 and what lists of run-time length cannot
hold are the refusals there may be.
"""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest

from retrograd.errors import UserError
from tests.frontend.harness import agree
from tests.random.files import imported
from tests.random.lines import inner, lines
from tests.random.slopes import Slopes

_HELPERS = """
import numpy as np

def put(items, v):
    items.append(v * 0.5)
    items[0] = v

def total(items):
    s = 0.0
    for v in items:
        s = s * 0.75 + v
    return s

"""


def _number(draw: random.Random, lists: str) -> str:
    a, b = draw.choice(lists), draw.choice(lists)
    return draw.choice(
        [f"{a}[0]", f"{a}[-1]", f"{a}[n % len({a})] * 0.5", f"total({a})", f"sum({b}) * 0.25", "u",
         f"float(len({a}))", f"max({b})", "rows[n % 2][1]", "u * 0.5", f"rows[0][0] + {a}[0]"]
    )  # fmt: skip


def _statement(draw: random.Random, depth: int) -> list[str]:
    a, b = draw.choice("pqr"), draw.choice("pqr")
    number = _number(draw, "pqr")
    match draw.randrange(15 if depth < 2 else 11):
        case 0:
            return [f"{a}.append({number})"]
        case 1:
            return [f"{a}[0] = {number}"]
        case 2:
            return [f"{a}[n % len({a})] = {number}"]
        case 3:
            return [f"{a} = {b}"]
        case 4:
            return [f"{a} = {draw.choice([f'{b}[:2] + [u]', '[0.5, 2.0, 1.0]', '[0.25] * 3'])}"]
        case 5:
            return [f"put({a}, {number})"]
        case 6:
            return [f"if len({a}) > 1:", f"    s += {a}.pop()"]
        case 7:
            return [f"{a} = [v * 0.5 + s * 0.125 for v in {b}]"]
        case 8:
            return [f"rows[n % 2][{draw.randrange(2)}] = {number}"]
        case 9:
            return [f"row = rows[{draw.randrange(2)}]", f"row[0] = {number}", "s += rows[0][0]"]
        case 10:
            return [f"{a}.insert(1, {number})", f"{b}[-1] += u"]
        case 11:
            return [f"for k in range({draw.choice(['3', 'n'])}):", *_inner(draw, depth)]
        case 12:
            test = draw.choice(["c > 0", f"len({a}) > 3", "s > 1.0"])
            return [f"if {test}:", *_inner(draw, depth), "else:", *_inner(draw, depth)]
        case 13:
            return [f"for v in {a}:", f"    s = s * 0.5 + v * {number}"]
        case _:
            return [f"for k, v in enumerate({a}):", f"    {a}[k] = v * 0.5 + s * 0.25"]


_inner = partial(inner, _statement)
_lines = partial(lines, _statement)


def _text(seed: int) -> str:
    draw = random.Random(seed)
    body = [
        "p, q, r, s = [u, 1.5], [0.5] * n, [u * k for k in range(1, n)], 0.0",
        f"rows = {draw.choice(['[[u, 2.0], [0.5, u]]', '[[u * k, 1.0] for k in range(n)]'])}",
        *_lines(draw, 0, 6),
        "return s + total(p) + total(q) * 0.5 + total(r) * 0.25 + rows[0][0] * rows[1][1]",
    ]
    return _HELPERS + "def f(u, n, c):\n" + "".join(f"    {line}\n" for line in body)


def _tried(seed: int, folder: Path) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f = imported(folder / f"random_lists_{seed}.py", _text(seed)).f
    slopes = Slopes(f, "8kB")
    accepted = 0
    for c in (1.0, -1.0):
        try:
            agree(f, 0.7213, 3, c)
        except UserError as error:
            assert error.code in ("RG0106", "RG0101"), error  # noqa: PT017 - what may be refused
            continue
        accepted += 1
        slopes.right(0.7213, (3, c))
    return accepted > 0


@pytest.mark.thinned(2)
@pytest.mark.parametrize("shard", range(2))
def test_random_programs_with_lists(shard: int, tmp_path: Path) -> None:
    accepted = [_tried(seed, tmp_path) for seed in range(shard, 8, 2)]
    assert sum(accepted) >= len(accepted) // 3


@pytest.mark.slow
@pytest.mark.also_in_ci(1)
@pytest.mark.parametrize("shard", range(8))
def test_more_random_programs_with_lists(shard: int, tmp_path: Path) -> None:
    accepted = [_tried(1000 + seed, tmp_path) for seed in range(shard, 400, 8)]
    assert sum(accepted) >= len(accepted) // 3
