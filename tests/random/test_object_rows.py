"""Random programs with lists of objects that grow, and objects that have each other: as in Python,
or refused for an array that may have another name. And the same programs with dicts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.random.files import imported
from tests.random.lines import inner, lines
from tests.random.slopes import Slopes, accepted

_CLASSES = """
import numpy as np


class A:
    def __init__(self, x, y):
        self.x = x
        self.y = y
        self.h = np.array([x, 1.0])
        self.link = None
        self.maybe = None

    def mix(self, other):
        self.x = 0.5 * self.x + 0.25 * other.y
        self.h[0] += 0.1 * other.x
        self.h *= 0.5
        return self.y

    def made(self, s):
        return A(self.y * s, self.x)

    def total(self):
        own = 0.5 if self.maybe is None else self.maybe
        beyond = 0.0 if self.link is None else self.link.x
        return self.x + 2.0 * self.y + np.sum(self.h * self.h) + own + beyond


def first(every, a):
    for one in every:
        if one.x > a.x:
            return one
    return None


"""


_DICTS = """
import numpy as np


def A(x, y):
    return {"x": x, "y": y, "h": np.array([x, 1.0]), "link": None, "maybe": None}


"""


def _with_dicts(text: str) -> str:
    """The program with a dict for each object, and functions for methods."""
    methods, functions = text.split("    def mix", 1)[1].split("def first", 1)
    methods = re.sub(r"^    ", "", "    def mix" + methods, flags=re.MULTILINE)
    made = f"{_DICTS}{methods}def first{functions}"
    made = re.sub(r"([\w\[\]\-]+)\.(mix|made|total)\(", r"\2(\1, ", made)
    of_attribute = re.compile(r"((?:\w|\[\"\w+\"\])+)\.(x|y|h|link|maybe)\b")
    while (more := of_attribute.sub(r'\1["\2"]', made)) != made:
        made = more
    return made


def _statement(draw: random.Random, depth: int) -> list[str]:
    a, b, rows = draw.choice("pqr"), draw.choice("pqr"), draw.choice("uv")
    match draw.randrange(16 if depth < 2 else 12):
        case 0:
            return [f"{rows}.append({a})"]
        case 1 if draw.random() < 0.3:
            return [f"{b} = {rows}.pop({draw.choice(('', '0'))})", f"{rows}.append({a})"]
        case 1:
            return [f"{rows}.append({a}.made({draw.choice(('0.5', 's', '-0.25'))}))"]
        case 2:
            return [f"{a} = {rows}[{draw.choice(('0', '-1', 'k % len(' + rows + ')'))}]"]
        case 3:
            return [f"{a} = {b}"]
        case 4:
            return [f"s += 0.1 * {a}.mix({b})"]
        case 5:
            return [f"{a}.link = {draw.choice((b, b, 'None'))}"]
        case 6:
            return [f"{a}.maybe = {draw.choice(('s', b + '.x', 'None'))}"]
        case 7:
            return [f"if {a}.link is not None:", f"    {b} = {a}.link"]
        case 8:
            return [f"{rows} = [o for o in {rows} if o.x < 1.0 or o is {a}]", f"{rows}.append({b})"]
        case 9:
            return [f"{rows}.sort(key=lambda o: o.y)", f"s += 0.1 * {rows}[0].total()"]
        case 10:
            return [
                f"found = first({rows}, {a})",
                "if found is not None:",
                "    found.y += 0.25 * s",
            ]
        case 11:
            return [f"s += 0.1 * sum(o.total() for o in {rows}) + ({a} is {b}) * 0.5"]
        case 12:
            return [f"if {a}.x > {draw.choice((b + '.y', 'c'))}:", *_inner(draw, depth), "else:",
                    *_inner(draw, depth)]  # fmt: skip
        case 13:
            return ["for k in range(n):", *_inner(draw, depth)]
        case 14:
            return [
                f"for o in list({rows}):",
                f"    s += 0.05 * o.mix({a})",
                f"    o.y = 0.5 * {b}.x",
            ]
        case _:
            return [f"for k in range({draw.randrange(4)}):", *_inner(draw, depth)]


_inner = partial(inner, _statement)
_lines = partial(lines, _statement)


def _program(seed: int, folder: Path, dicts: bool) -> Callable[..., Any]:
    draw = random.Random(seed)
    body = [
        "s, k, p, q, r = 0.5 * a, 0, A(a, 1.0), A(0.5, a * a), A(-0.5, 0.25)",
        "u, v = [p, q], [r]",
        "for i in range(n):",
        "    u.append(A(a * i, 0.5))",
        *_lines(draw, 0, 6),
        "return s + p.total() + 0.5 * q.total() + sum(o.x for o in u) + v[-1].total()",
    ]
    text = _CLASSES + "def f(a, c, n):\n" + "".join(f"    {line}\n" for line in body)
    text = _with_dicts(text) if dicts else text
    return imported(folder / f"random_rows_{seed}_{dicts}.py", text).f


def _tried(seed: int, folder: Path, dicts: bool = False) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    f = _program(seed, folder, dicts)
    codes = ("RG0104", "RG0106") if dicts else ("RG0106",)
    return accepted(f, [(0.75, 0.6, 3)], codes, Slopes(f, "40kB"))


def test_a_random_program_with_lists_of_objects(tmp_path):
    assert _tried(0, tmp_path)


@pytest.mark.slow
@pytest.mark.also_in_ci(1)
@pytest.mark.parametrize("shard", range(8))
def test_more_random_programs_with_lists_of_objects(shard, tmp_path):
    accepted = [_tried(1000 + seed, tmp_path) for seed in range(shard, 120, 8)]
    assert sum(accepted) >= len(accepted) // 2


def test_a_random_program_with_lists_of_dicts(tmp_path):
    assert _tried(1, tmp_path, dicts=True)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(8))
def test_more_random_programs_with_lists_of_dicts(shard, tmp_path):
    accepted = [_tried(1000 + seed, tmp_path, dicts=True) for seed in range(shard, 120, 8)]
    assert sum(accepted) >= len(accepted) // 2
