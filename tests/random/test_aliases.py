"""Random programs in which arrays have several names: what changes with one changes with all.

Names are exchanged and chosen, and arrays are in lists, tuples, objects and views. Where it is not
known which array a name stands for, a program is refused; it never gives another value.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrograd.errors import UserError
from retrograd.prims.core import RaisedError
from tests.frontend.harness import agree
from tests.random.files import imported
from tests.random.slopes import Slopes

_HEAD = """
import numpy as np


class Holder:
    def __init__(self, array):
        self.array = array


def add_to(g, h):
    g[0] += 0.5 * h[1]


def one_of(g, h, n):
    if n % 2 == 0:
        return g
    h[1] -= 0.25
    return h


def row_of(m):
    return m.T[:2, 0]


def larger(g, h):
    return g if g[0] > h[0] else h


"""
_ARRAYS = "abde"
_VIEWS = "pq"


def _on_arrays(draw: random.Random, i: str) -> list[str]:
    x, y, z = (draw.choice(_ARRAYS) for _ in range(3))
    exchange = f"{x}, {y} = {y}, {x}" if x != y else f"{x}[0] -= 1.0"
    return draw.choice([
        [f"{x}[{i} % 3] += 0.25 * {y}[1] * {z}[{i} % 2]"], [f"{x} *= 0.75"], [exchange],
        [f"{x} = {y}"], [f"s += {x}[0] * 0.25"], [f"{x} = {y} * 0.5"],
        [f"{x}, {y}, {z} = {y}, {z}, {x}"], [f"{x}[:2] = {y}[1:]"], [f"add_to({x}, {y})"],
        [f"{x} = one_of({x}, {y}, {i})"], [f"{x} = larger({y}, {z})"],
        [f"{x} = {y} if s > 0.5 else {z}"], [f"w[{i} % 3] += {x}[1] * 0.1"], ["inner(s)"],
    ])  # fmt: skip


def _on_holders(draw: random.Random, i: str) -> list[str]:
    x, y, v = draw.choice(_ARRAYS), draw.choice(_ARRAYS), draw.choice(_VIEWS)
    return draw.choice([
        [f"{v} = {x}.reshape(1, 3).T[1:, 0]"], [f"{v} = row_of({x}.reshape(3, 1).T)"],
        [f"{v} = {x}[:2]"], [f"{v} = {x}[1:]"], [f"{v} = {x}[::-1][:2]"], ["p, q = q, p"],
        [f"{v}[0] += 0.5 * {y}[1]"], [f"{v} *= 0.5"], [f"{v}[:] = {y}[1:]"], [f"s += {v}[1]"],
        [f"o.array = {x}"], [f"{x} = o.array"], ["o.array[1] *= 0.5"],
        [f"l[0] = {x}"], [f"l.append({x})"], [f"{x} = l[{i} % len(l)]"], ["l[-1][1] += 0.25"],
        [f"l[{i} % 2][0] -= 0.5 * {y}[2]"], ["for u in l:", "    u *= 0.9"],
        [f"for u, c in zip(l, [{x}, {y}]):", "    u[0] += 0.125 * c[1]"],
        [f"t = ({x}, {y})"], [f"{x} = t[0]"], [f"{x}, {y} = t"], ["t[1][0] += s * 0.1"],
        [f"m[0] = {x}"], [f"r = m[{i} % 2]", f"r[1] += 0.25 * {x}[0]"], [f"{v} = m[1, 1:]"],
    ])  # fmt: skip


def _statement(draw: random.Random, depth: int, index: str) -> list[str]:
    if depth == 3 or draw.random() < 0.72:
        some = _on_arrays if draw.random() < 0.6 else _on_holders
        return some(draw, index or "n")
    inner = "ijk"[depth]
    match draw.choice([0, 0, 1, 1, 2, 2, 3, 4, 4]):
        case 0:
            lines = [f"if {index or 'n'} % 2 == 1:", *_block(draw, depth + 1, index)]
            return [*lines, "else:", *_block(draw, depth + 1, index)]
        case 1:
            way = draw.choice(["continue", "break"])
            last = [f"    if {inner} == 1:", f"        {way}"] if draw.random() < 0.3 else []
            trips = draw.choice(["n", "2", "n + 1"])
            return [f"for {inner} in range({trips}):", *_block(draw, depth + 1, inner), *last]
        case 2:
            lines = [f"{inner} = 0", f"while {inner} < n:", f"    {inner} += 1"]
            return [*lines, *_block(draw, depth + 1, inner)]
        case 3:
            lines = ["try:", *_block(draw, 3, index)]
            lines += [f"    if {draw.choice(_ARRAYS)}[0] > 0.75:", "        raise ValueError"]
            if index:
                lines += [f"    if {index} == {draw.randrange(2)}:"]
                lines += [f"        {draw.choice(['continue', 'break', 's += 0.5'])}"]
            return [*lines, "except ValueError:", *_block(draw, depth + 1, index)]
        case _:
            return [f"if {draw.choice(_ARRAYS)}[0] > 0.5:", *_block(draw, depth + 1, index)]


def _block(draw: random.Random, depth: int, index: str) -> list[str]:
    count = draw.randrange(1, 4)
    return [f"    {line}" for _ in range(count) for line in _statement(draw, depth, index)]


def _program(seed: int, folder: Path) -> Any:
    draw = random.Random(seed)
    given = [
        "s, w = 0.0, y", draw.choice(["a = x", "a = x * 1.0"]), "b = x * 0.5",
        draw.choice(["d = x + 1.0", "d = y", "d = b"]), "e = x * 2.0", "o = Holder(e)",
        "p, q = a[:2], b[1:]", "l, t, m = [a, d], (b, e), np.stack((a, b))", "def inner(g):",
        f"    {draw.choice(_ARRAYS)}[0] += 0.1 * g",
    ]  # fmt: skip
    read = [
        "s += o.array[1] + p[0] - q[1] + l[0][1] + t[1][2] + np.sum(m) + w[0]",
        *(f"s += {0.3 + k} * {name}[{k % 3}]" for k, name in enumerate(_ARRAYS)),
    ]  # fmt: skip
    body = [line for _ in range(4) for line in _statement(draw, 0, "")]
    text = [f"    {line}" for line in (*given, *body, *read, "return s")]
    source = _HEAD + "\n".join(["def f(x, y, n):", *text]) + "\n\n\n"
    source += "def g(u, n):\n    x = np.array([u, -0.5 * u, u * u])\n    return f(x, x + 1.0, n)\n"
    return imported(folder / f"random_aliases_{seed}.py", source)


def _tried(seed: int, folder: Path, slopes: bool) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    module = _program(seed, folder)
    try:
        for n in (0, 1, 2, 3):
            try:
                agree(module.f, np.array([0.7, -0.4, 0.9]), np.array([0.1, 0.2, 0.3]), n)
            except RaisedError as error:  # a loop has none, after which a name may be another's
                assert error.kind == "UserError", error  # noqa: PT017
                assert "no iterations" in error.message, error  # noqa: PT017
    except UserError as error:
        # Names that are not known, and lists of fixed length with an index that is not.
        assert error.code in ("RG0101", "RG0104", "RG0105", "RG0106", "RG0107", "RG0109"), error  # noqa: PT017
        return False
    if slopes:
        both = Slopes(module.g, "32kB")
        both.right(0.7, (1,))
        both.right(0.7, (2,))
    return True


@pytest.mark.thinned(2)
@pytest.mark.parametrize("shard", range(4))
def test_random_aliases(shard, tmp_path):
    accepted = [_tried(seed, tmp_path, seed < 4) for seed in range(shard, 40, 4)]
    assert sum(accepted) >= len(accepted) // 5


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(16))
def test_more_random_aliases(shard, tmp_path):
    accepted = [_tried(1000 + seed, tmp_path, seed % 20 < 2) for seed in range(shard, 3200, 16)]
    assert sum(accepted) >= len(accepted) // 5
