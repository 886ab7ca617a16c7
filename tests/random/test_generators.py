"""Random loops over random generators: as in plain Python, and their slopes in every way."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from retrograd.errors import UserError
from tests.frontend.harness import agree
from tests.random.files import imported
from tests.random.slopes import Slopes

_BEGIN = """
import numpy as np


class Node:
    def __init__(self, value, parts):
        self.value = value
        self.parts = parts

    def __iter__(self):
        yield self.value
        for part in self.parts:
            yield from part

    def scaled(self, by):
        self.value = self.value * 0.75 + by * 0.125
        for v in self:
            yield v * by


def tree(x, n):
    if n == 0:
        return Node(x, ())
    return Node(x * 0.5, (tree(x + 0.25, n - 1), Node(x * n, ())))


"""


def _value(draw: random.Random, names: str) -> str:
    a, b = draw.choice(names), draw.choice(names)
    return draw.choice(
        [f"{a} * 0.75", f"{a} - 0.5 * {b}", f"{a} / (1.0 + {b} * {b})", f"{a} * {b} * 0.5"]
    )


def _generated(draw: random.Random, k: int, depth: int, room: int) -> list[str]:
    """The statements of a generator: `a` and `b` are its arguments, `c` its own array."""
    lines: list[str] = []
    for _ in range(draw.randrange(1, 4)):
        match draw.randrange(9 if depth < 2 else 4):
            case 0 | 1:
                lines.append(f"yield {_value(draw, 'ab')}")
            case 2:
                lines += [f"a = {_value(draw, 'ab')}", "c[n % 3] += a"]
            case 3:
                lines += [f"if a > {draw.choice(['b', '1.0', 'c[1]'])}:", "    return"]
            case 4:
                lines += ["if a < b:", *_in(_generated(draw, k, depth + 1, room))]
                lines += ["else:", *_in(_generated(draw, k, depth + 1, room))]
            case 5 | 6:
                lines += [f"for n in range({draw.randrange(1, 4)}):"]
                lines += _in([*_generated(draw, k, depth + 1, room), "a = a * 0.5 + c[n % 3]"])
            case _:
                inner = _source(draw, k, "b", "n + 1") if k else "[a, b]"
                lines += draw.choice(
                    [[f"yield from {inner}"], [f"for v in {inner}:", "    yield v * a"]]
                )
    return lines


def _source(draw: random.Random, k: int, x: str, n: str) -> str:
    """What a loop runs over: one of the `k` generators that are there already."""
    called = f"g{draw.randrange(k)}({x}, {n}, c)"
    return draw.choice([called, called, f"tree({x}, {draw.randrange(3)})",
                        f"tree({x}, 1).scaled({x})"])  # fmt: skip


def _loop(draw: random.Random, k: int, depth: int) -> list[str]:
    name = draw.choice("pq")
    body = [f"s = s * 0.5 + {name} * {draw.choice('xyz')}"]
    for _ in range(draw.randrange(1, 4)):
        match draw.randrange(8):
            case 0:
                body += [f"if {name} > {draw.choice(['s', 'x', '0.75'])}:", "    break"]
            case 1:
                body += [f"if {name} < {draw.choice(['y', '0.25'])}:", "    continue"]
            case 2:
                body += ["if s > 6.0:", f"    return s * {name}"]
            case 3:
                body.append(f"c[{draw.randrange(3)}] = {_value(draw, f'{name}xs')}")
            case 4:
                body.append(f"{draw.choice('xyz')} = {_value(draw, f'{name}xy')}")
            case 5 if depth < 1:
                body += _loop(draw, k, depth + 1)
            case _:
                body.append(f"w.append({name})")
    lines = [f"for {name} in {_source(draw, k, draw.choice('xyz'), '1')}:", *_in(body)]
    if draw.random() < 0.3:
        lines += ["else:", "    s = s + 0.25"]
    return lines


def _in(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _text(seed: int) -> str:
    draw = random.Random(seed)
    text, count = _BEGIN, draw.randrange(1, 4)
    for k in range(count):
        body = [*_generated(draw, k, 0, 3), f"yield {_value(draw, 'ab')}"]
        text += "\n".join([f"def g{k}(a, n, c):", *_in(["b = a + 0.5", *body]), "", "", ""])
    body = [
        "x, y, z, s, p, q, w = u, 1.5 * u, 0.75, 0.0, u, u, [u]",
        "c = np.array([u, 0.5, u * u])",
    ]
    body += [*_loop(draw, count, 0), *_loop(draw, count, 0)]
    for_list = _source(draw, count, "x", "2")
    body += [f"w.extend(list({for_list}))", "return s + p * q + y * z + sum(w) + np.sum(c)"]
    return text + "def f(u):\n" + "".join(f"    {line}\n" for line in body)


def accepted(seed: int, folder: Path) -> bool:
    """Whether a program is accepted; then it gives what Python does, and its slopes are right."""
    f = imported(folder / f"random_generators_{seed}.py", _text(seed)).f
    try:
        for u in (0.7, -0.3, 1.9):
            agree(f, u)
    except UserError as error:
        assert error.code in ("RG0101", "RG0104"), error  # noqa: PT017
        return False
    slopes = Slopes(f, "32KB")
    for u in (0.7, 1.9):
        if abs(f(u)) < 1e6:  # products of products overflow
            slopes.right(u, ())
    return True


@pytest.mark.thinned(2)
@pytest.mark.parametrize("shard", range(2))
def test_loops_and_generators_take_turns(shard: int, tmp_path: Path) -> None:
    assert sum(accepted(seed, tmp_path) for seed in range(shard, 5, 2)) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_more_loops_and_generators_take_turns(shard: int, tmp_path: Path) -> None:
    assert sum(accepted(100 + seed, tmp_path) for seed in range(shard, 200, 20)) >= 8
