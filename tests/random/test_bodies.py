"""Random loops in loops: bodies of which a reverse sweep runs one at a time again.

States are numbers, vectors and matrices, inner loops change all or a part of them. The gradient is
the interpreter's, and the transpose of the tangent; in less and less memory, where first
outer and then inner loops are divided, it has the bits of the full tape.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.random.calculus import Interpreted, Native
from tests.random.programs.module import load
from tests.random.ways import in_every_way

ROWS = (
    "a[{i} % k] = np.sin(a[{i} % k] + 0.1 * a[({i} + 1) % k])",
    "a[{i} % k] = 0.9 * a[{i} % k] * np.cos(v)\nv = 0.9 * v + 0.1 * np.sin(v)",
)
CHANGES = (
    *ROWS,
    "a[{i} % k, ({i} + 1) % k] = 0.9 * a[{i} % k, {i} % k] + 0.1 * s",
    "a = 0.9 * a + 0.1 * np.sin(a * s)",
    "a = 0.9 * a + 0.1 * np.sin(a) @ w",
    "v = 0.9 * v + 0.1 * np.cos(w @ v)",
    "v = 0.9 * v + 0.1 * a[{i} % k]",
    "v[{i} % k] = 0.5 * v[{i} % k] + math.sin(s)",
    "v[1:] = 0.9 * v[1:] + 0.1 * v[:-1] * s",
    "s = 0.9 * s + 0.1 * math.sin(v[{i} % k])",
    "s = 0.9 * s + 0.1 * math.cos(s) * a[{i} % k, 0]",
    "s = turned(s, v[{i} % k])",
    "v = waved(v, w, {i} % 3)",
    "if s > 0.4:\n    s = 0.8 * s\nelse:\n    v = v + 0.01 * s",
    "if {i} % 3 == 1:\n    continue",
    "if s > 3.0:\n    break",
)
LOOPS = (
    "for {i} in range({n}):",
    "for {i} in range({n}):",
    "for {i} in range({n} - 1, -1, -1):",
    "{i} = -1\nwhile {i} < {n}:\n    {i} += 1",
    "{i} = -1\nwhile {i} < {n} and s < 9.0:\n    {i} += 1",
)
HELPERS = """
import math
import numpy as np

def turned(s, t):
    return 0.9 * s - 0.1 * math.sin(t * s)

def waved(v, w, times):
    for _ in range(times):
        v = 0.9 * v + 0.1 * np.sin(w @ v)
    return v

def descended(v, w, depth):
    if depth == 0:
        return v
    for _ in range(depth):
        v = 0.9 * v + 0.1 * np.sin(w @ v)
    return 0.5 * v + 0.5 * descended(v, w, depth - 1)
"""


def loop(draw: Random, depth: int, extents: tuple[str, ...], names: str = "ijh") -> str:
    """A loop with `depth` loops in it."""
    index = names[0]
    head = draw.choice(LOOPS).format(i=index, n=extents[0])
    few = [draw.choice(CHANGES).format(i=index) for _ in range(draw.randint(1, 2))]
    if draw.random() < 0.5:
        few.append(draw.choice(ROWS).format(i=index))
    if depth:
        inner = loop(draw, depth - 1, extents[1:], names[1:])
        few.insert(draw.randint(0, len(few)), inner)
        few = [one for one in few if not one.startswith("if s > 3.0") or draw.random() < 0.5]
        if draw.random() < 0.2:
            few.append("v = descended(v, w, 4)")
    return "\n".join([head, *(f"    {line}" for one in few for line in one.splitlines())])


def source(draw: Random) -> str:
    depth = draw.choice((1, 1, 1, 2))
    text = loop(draw, depth, ("n", "m", "3") if draw.random() < 0.9 else ("m", "n", "3"))
    body = "\n".join(f"    {line}" for line in text.splitlines())
    return f"""{HELPERS}
def f(x, w, n, m):
    k = len(x)
    a = np.outer(x, x)
    v = x * 0.5
    s = x[0]
{body}
    return np.sum(a) + np.sum(v * x) + s
"""


def arguments(seed: int) -> tuple[Any, ...]:
    data = np.random.default_rng(seed)
    k = 3 + seed % 3
    return data.normal(size=k), 0.3 * data.normal(size=(k, k)), 2 + seed % 5, 200


def check(seed: int, directory: Path) -> int:
    """One program; how many inner derivatives had a schedule of their own."""
    text = source(Random(seed))
    f, args = load(text, directory).f, arguments(seed)
    bars = []
    for calculus in (Native(), Interpreted()):
        data = np.random.default_rng(1)
        dots = tuple(data.normal(size=np.shape(a)) for a in args[:2])
        _, dot = calculus.jvp(f, args, (*dots, 0, 0))
        bars.append(calculus.vjp(f, args)[1](1.0)[:2])
        terms = [np.ravel(a * b) for a, b in zip(bars[-1], dots, strict=True)]
        along, size = (sum(np.sum(g(t)) for t in terms) for g in (np.asarray, np.abs))
        assert abs(along - float(dot)) <= 1e-9 * (size + 1e-30), text
    for ours, want in zip(*bars, strict=True):
        np.testing.assert_allclose(ours, want, rtol=1e-9, atol=1e-12, err_msg=text)
    with rg.record() as run:
        different = in_every_way(f, (0, 1), lambda: args)
    assert different is None, f"{different}\n{text}"
    return run.inner


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", [1, 8, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 6))])
def test_bodies(seed: int, tmp_path: Path) -> None:
    """Long bodies, others that a budget needs apart, and others that it does not."""
    assert bool(check(seed, tmp_path)) == (seed != 8)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_bodies(shard: int, tmp_path: Path) -> None:
    found = [check(1000 + 8 * shard + seed, tmp_path) for seed in range(8)]
    assert sum(map(bool, found)) >= 2
