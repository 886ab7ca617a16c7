"""Random loops whose indices come round at an edge: on a torus, or from the end of an array.

Values and exceptions are plain Python's; values and gradients are the interpreter's to the bit,
which runs the loops undivided; so are gradients in little memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.random.calculus import Calculus, Interpreted, Native
from tests.random.harness import agree, outcome
from tests.random.programs.module import copied, load
from tests.random.test_stencils import TERMS

RANGES = ("range(n)", "range(n)", "range({a}, n)", "range({a}, n - {b})", "range(n - {b})",
          "range(n + {b})", "range(n - 1, -1, -1)", "range(0, n, 2)", "range(-{a}, n)")  # fmt: skip
BETWEEN = ("", "", "", "if x[{i}] > 2.4:\n                continue\n            ",
           "if x[{i}] > 2.4:\n                raise ValueError('large')\n            ")  # fmt: skip


def index(draw: Random) -> str:
    """An index that may come round."""
    by = draw.randint(1, 5)
    return draw.choice(
        ("i", f"(i - {by}) % n", f"(i + {by}) % n", f"(i - {by}) % len(x)", f"i - {by}",
         f"(i + {by}) % k", f"(i + n - {by}) % n")
    )  # fmt: skip


def source(draw: Random, index: Callable[[Random], str] = index) -> str:
    """One loop, some of it inside another one, with arrays of n and of k elements."""
    places = [f"{draw.choice('xxv')}[{index(draw)}]" for _ in range(draw.randint(2, 5))]
    value = " + ".join(draw.choice(TERMS).format(draw.choice(places), p) for p in places)
    kind = draw.choice(("y[i] = {}", "y[i] += {}", "total += w * ({})", "y[(i + 1) % n] += {}",
                        "y[i - 1] = {} + y[i]", "top = max(top, {})"))  # fmt: skip
    words = {"a": draw.randint(1, 3), "b": draw.randint(1, 3)}
    between = draw.choice(BETWEEN).format(i=index(draw))
    return f"""
import math
import numpy as np

def f(x, w, c, n, v, k):
    y = np.zeros(n)
    total = 0.0
    top = -9.0
    for _ in range({draw.randint(1, 3)}):
        for i in {draw.choice(RANGES).format(**words)}:
            {between}{kind.format(value)}
        x = 0.5 * x + 0.1 * y
    for i in range(n):
        total += w * y[i] * y[i]
    return total + top
"""


SIZES = ((1, 1), (2, 2), (3, 5), (7, 7), (41, 41), (9, 4))


def arguments(n: int, k: int, seed: int) -> tuple[Any, ...]:
    data = np.random.default_rng(seed)
    return data.normal(size=n), 0.4, 1.3, n, data.normal(size=k), k


def both_modes(calculus: Calculus, f: Callable[..., Any], args: tuple[Any, ...]) -> np.ndarray:
    """The gradient, after a look at both modes agreeing along a direction."""
    data = np.random.default_rng(1)
    dots = tuple(0 if isinstance(a, int) else data.normal(size=np.shape(a)) * 1.0 for a in args)
    _, dot = calculus.jvp(f, args, dots)
    bars = calculus.vjp(f, args)[1](1.0)
    pairs = [(a, b) for a, b in zip(bars, dots, strict=True) if a is not None]
    terms = [np.ravel(a * b) for a, b in pairs]
    size = float(sum(np.sum(np.abs(t)) for t in terms))
    assert abs(float(sum(map(np.sum, terms))) - float(dot)) <= 1e-10 * (size + 1e-30)
    return np.concatenate([np.ravel(bar) for bar, _ in pairs])


def check(
    seed: int,
    directory: Path,
    index: Callable[[Random], str] = index,
    sizes: Sequence[tuple[int, int]] = SIZES,
) -> None:
    """One program, for arrays of several extents."""
    text = source(Random(seed), index)
    f = load(text, directory).f
    native, interpreted = Native(), Interpreted()
    for n, k in sizes:
        args = arguments(n, k, seed)
        want, ours = outcome(f, copied(args)), outcome(rg.jit(f), copied(args))
        assert agree(want, ours, 1e-9) is None, (n, k, text)
        if want.error is not None:
            continue
        assert ours.value == interpreted.call(f, copied(args)), (n, k, text)
        gradients = [both_modes(c, f, copied(args)) for c in (native, interpreted)]
        assert gradients[0].tobytes() == gradients[1].tobytes(), (n, k, text)
        with_little(f, args, text)


def with_little(f: Any, args: tuple[Any, ...], text: str) -> None:
    want = rg.grad(f, argnums=(0, 4))(*copied(args))
    try:
        found = rg.grad(f, argnums=(0, 4), memory=3_000)(*copied(args))
    except UserError as error:
        if error.code != "RG4004":
            raise
        return
    for one, other in zip(want, found, strict=True):
        assert one.tobytes() == other.tobytes(), text


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(4))
def test_torus(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path, sizes=SIZES[1:3])


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_many_on_a_torus(shard: int, tmp_path: Path) -> None:
    for seed in range(1000 + 30 * shard, 1030 + 30 * shard):
        (tmp_path / str(seed)).mkdir()
        check(seed, tmp_path / str(seed))
