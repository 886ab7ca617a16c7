"""Random programs with dicts and sets whose keys are known at run time only: as in Python."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree
from tests.random.files import imported
from tests.random.lines import inner, lines

X = np.array([0.4, 1.3, -0.7])


def _key(draw: random.Random) -> str:
    return draw.choice(["k", "(k * 3 + 1) % 5", "int(x[1] * 7) % 4", "n - 2", "2 * n - k"])


def _number(draw: random.Random) -> str:
    return draw.choice(["x[k % 3]", "s", "0.5 * x[0] * s", "1.5", "np.sin(x[2] + k)"])


def _statement(draw: random.Random, depth: int) -> list[str]:
    key, number, pair = _key(draw), _number(draw), f"({draw.choice('kn')} % 2, {_key(draw)})"
    match draw.randrange(18 if depth < 2 else 14):
        case 0:
            return [f"d[{key}] = {number}"]
        case 1:
            return [f"s += 0.5 * d.get({key}, {number})"]
        case 2:
            return [f"c.{draw.choice(['add', 'discard', 'add'])}({key})"]
        case 3:
            return [f"e[{pair}] = e.get({pair}, {number}) * 0.5"]
        case 4:
            return [f"s += 0.1 * d.setdefault({key}, {number})"]
        case 5:
            return [f"if {key} in d:", f"    s -= 0.3 * d.pop({key})"]
        case 6:
            return [f"if {pair} in e:", f"    del e[{pair}]"]
        case 7:
            return ["for i, v in d.items():", "    s += 0.1 * v * (i + 1)"]
        case 8:
            return ["for i in sorted(c):", f"    s = s * 0.9 + 0.01 * i * {number}"]
        case 9:
            return ["s = 0.5 * s + 0.1 * len(d) + 0.2 * len(c | {k, 1}) + 0.1 * sum(e.values())"]
        case 10:
            return ["for i in d:", f"    d[i] = 0.9 * d[i] + 0.01 * {number}"]
        case 11:
            op = draw.choice(["|", "&", "-", "^"])
            return ["b = c", f"c {op}= {{{key}, {_key(draw)}}}", "s += 0.1 * len(b)"]
        case 12:
            return ["a = d.copy()", f"a[{key}] = 0.2", "s += 0.1 * (a == d) + 0.05 * len(a)"]
        case 13:
            return ["w = d.values()", f"d[{key}] = {number}", "s += 0.1 * sum(w) - 0.05 * max(w)"]
        case 14:
            return [f"if {key} in {draw.choice('cd')}:", *_inner(draw, depth)]
        case _:
            return [f"for k in range({draw.choice(['n', '3'])}):", *_inner(draw, depth)]


_inner = partial(inner, _statement, most=3)
_lines = partial(lines, _statement)


def _text(seed: int) -> str:
    draw = random.Random(seed)
    head = [
        "d, e, c, s, k = {}, {}, set(), 0.2, 1", "for k in range(n):",
        "    d[k * k % 3] = x[k % 3]",
        "    e[(k, 0)] = x[0]", "    c.add(k % 2)",
    ]  # fmt: skip
    last = ["return s + sum(d.values()) + 0.5 * sum(e.values()) + len(c)"]
    lines = [*head, *_lines(draw, 0, 6), *last]
    return "import numpy as np\n\n\ndef f(x, n):\n" + "".join(f"    {line}\n" for line in lines)


def _slope(seed: int, folder: Path) -> float:
    """The slope of a program in one direction; it is the same in every way."""
    f = imported(folder / f"random_keys_{seed}.py", _text(seed)).f
    agree(f, X.copy(), 4)
    value, slopes = rg.value_and_grad(f)(X, 4)
    assert value == pytest.approx(f(X, 4), rel=1e-12)
    less: Any = rg.grad(f, memory="100kB")(X, 4)
    assert np.array_equal(less, slopes)
    direction = np.array([0.3, -0.2, 0.9])
    tangent = rg.jvp(lambda x: f(x, 4), (X,), (direction,))[1]
    assert tangent == pytest.approx(slopes @ direction, rel=1e-9, abs=1e-12)
    h = 1e-6 * direction
    assert tangent == pytest.approx((f(X + h, 4) - f(X - h, 4)) / 2e-6, rel=1e-5, abs=1e-6)
    return tangent


@pytest.mark.parametrize("seed", [1, pytest.param(0, marks=pytest.mark.slow)])
def test_random_programs_with_keys_of_the_run(seed: int, tmp_path: Path) -> None:
    assert np.isfinite(_slope(seed, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_more_random_programs_with_keys_of_the_run(shard: int, tmp_path: Path) -> None:
    seeds = range(100 + 10 * shard, 110 + 10 * shard)
    assert all(np.isfinite(_slope(seed, tmp_path)) for seed in seeds)
