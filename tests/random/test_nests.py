"""Random loop nests over arrays of some length: sums of rows, updates of columns, extremes, chains.

Iterations of such loops are run side by side in machine code. Values are plain Python's, and to the
bit the interpreter's, which runs the loops in order; so is the gradient; reverse mode is the
transpose of forward mode. Some nests raise somewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.random.calculus import Calculus, Interpreted, Native
from tests.random.harness import agree, outcome
from tests.random.programs.module import copied, load

# Functions that both sides round correctly.
FACTORS = ("w[i, j]", "w[i, j] * w[i, j]", "(w[i, j] - c)", "w[n - 1 - i, j]", "w[i, m - 1 - j]")
BESIDE = ("y[j]", "y[m - 1 - j]", "x[i]", "z[i]", "math.sqrt(y[j] * y[j] + 1.0)", "c")
MAPS = (
    "math.sqrt(x[i] * x[i] + 1.0) / (2.0 + x[i] * x[i])",
    "x[i] * x[n - 1 - i] - z[i]",
    "(x[i] if x[i] > c else c * x[i]) * math.sqrt(1.0 + z[i] * z[i])",
)
CHAINS = (
    "s = 0.5 * s + t",
    "s = t - s if s > t else 0.25 * s + t",
    "z[i] = s\n        s += t * c",
    "s += t\n        z[i] += s",
    "s = s * 0.9 + z[i]\n        z[i] = t",
)
EXTREMES = (
    "if x[i] > top:\n            top = x[i]",
    "top = max(top, x[i] * c)",
    "top = min(x[i], top)",
    "top = z[i] if z[i] < top else top",
)


def outer_range(draw: Random) -> str:
    return draw.choice((*["range(n)"] * 5, "range(n - 1, -1, -1)", "range(1, n)"))


def inner_range(draw: Random) -> str:
    return draw.choice((*["range(m)"] * 5, "range(m - 1, -1, -1)", "range(0, m, 2)"))


def nest(draw: Random) -> list[str]:
    """A loop around a loop."""
    term = f"{draw.choice(FACTORS)} * {draw.choice(BESIDE)}"
    body = draw.choice(
        (
            ["s = {start}", "for j in {inner}:", "    s += {term}", "z[i] {op} s"],
            ["s = {start}", "for j in {inner}:", "    s += {term}", "total += s * x[i]"],
            ["for j in {inner}:", "    v[j] += {term}"],
            ["for j in {inner}:", "    v[j] = 0.5 * v[j] + {term}"],
            ["for j in {inner}:", "    u[i, j] {op} {term}"],
            ["s = {start}", "for j in {inner}:", "    s += {term}", "    v[j] += x[i]",
             "z[i] = s"],
            ["s = {start}", "for j in {inner}:", "    s += {term}", "y[i % m] += s"],
        )
    )  # fmt: skip
    words = {
        "start": draw.choice(("0.0", "x[i]", "c")),
        "inner": inner_range(draw),
        "term": term,
        "op": draw.choice(("=", "+=")),
    }
    lines = [line.format(**words) for line in body]
    guard = draw.random()
    if guard < 0.15:
        lines.insert(0, "if x[i] > 2.2:\n            raise ValueError('large')")
    elif guard < 0.25:
        lines.insert(0, "c = c * k[i + 1] / k[i]")
    elif guard < 0.35:
        lines.append("if z[i] > 6.0:\n            break")
    return [f"for i in {outer_range(draw)}:", *(f"    {line}" for line in lines)]


def flat(draw: Random) -> list[str]:
    """A loop that carries a scalar."""
    if draw.random() < 0.4:
        return ["top = x[0]", f"for i in {outer_range(draw)}:", f"    {draw.choice(EXTREMES)}",
                "total += top"]  # fmt: skip
    lines = [f"for i in {outer_range(draw)}:", f"    t = {draw.choice(MAPS)}"]
    return ["s = 0.0", *lines, f"    {draw.choice(CHAINS)}", "total += s"]


def source(draw: Random) -> str:
    parts = [nest(draw) if draw.random() < 0.6 else flat(draw) for _ in range(draw.randint(1, 3))]
    body = "\n".join(f"    {line}" for part in parts for line in part)
    return f"""
import math
import numpy as np

def f(w, x, y, c, k, n, m):
    u = np.zeros((n, m))
    z = np.zeros(n)
    v = np.zeros(m)
    total = 0.0
{body}
    for i in range(n):
        total += z[i] * x[i]
        for j in range(m):
            total += u[i, j] * w[i, j]
    for j in range(m):
        total += v[j] * y[j]
    return total
"""


def arguments(n: int, m: int, seed: int) -> tuple[Any, ...]:
    data = np.random.default_rng(seed)
    k = np.ones(n + (seed % 5 != 0))
    w, x, y = data.normal(size=(n, m)) / 4, data.normal(size=n), data.normal(size=m)
    return w, x, y, 0.7, k, n, m


def both_modes(calculus: Calculus, f: Callable[..., Any], args: tuple[Any, ...]) -> np.ndarray:
    """The gradient, after a look at both modes agreeing along a direction."""
    data = np.random.default_rng(1)
    dots = tuple(data.normal(size=np.shape(a)) if np.ndim(a) else 0.3 for a in args[:5])
    _, dot = calculus.jvp(f, args, (*dots, 0, 0))
    _, pullback = calculus.vjp(f, args)
    bars = pullback(1.0)[:5]
    along = float(sum(np.sum(a * b) for a, b in zip(bars, dots, strict=True)))
    size = float(sum(np.sum(np.abs(a * b)) for a, b in zip(bars, dots, strict=True)))
    assert abs(along - float(dot)) <= 1e-10 * (size + 1e-30)
    return np.concatenate([np.ravel(b) for b in bars])


SIZES = ((1, 1), (9, 40), (35, 6))


def check(seed: int, directory: Path) -> None:
    """One program, for arrays of several extents."""
    text = source(Random(seed))
    f = load(text, directory).f
    native, interpreted = Native(), Interpreted()
    for n, m in SIZES:
        args = arguments(n, m, seed)
        want = outcome(f, copied(args))
        ours = outcome(rg.jit(f), copied(args))
        assert agree(want, ours, 1e-9) is None, (n, m, text)
        if want.error is not None:
            continue
        assert ours.value == interpreted.call(f, copied(args)), (n, m, text)
        gradients = [both_modes(c, f, copied(args)) for c in (native, interpreted)]
        assert gradients[0].tobytes() == gradients[1].tobytes(), (n, m, text)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(10))
def test_nests(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_many_nests(shard: int, tmp_path: Path) -> None:
    for seed in range(1000 + 30 * shard, 1030 + 30 * shard):
        (tmp_path / str(seed)).mkdir()
        check(seed, tmp_path / str(seed))
