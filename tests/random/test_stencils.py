"""Random stencils in one and two dimensions, in both modes: their reverse adds to neighbours.

The gradient by native code has the bits of the interpreter's, and reverse mode is the transpose of
forward mode.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.random.calculus import Calculus, Interpreted, Native
from tests.random.programs.module import load

# Functions that both sides round correctly.
TERMS = ("{0} * {1}", "math.sqrt({0} * {0} + 1.0) * {1}", "{0} - {1} * {1}", "c * {0} + {1}")


def one_dimension(draw: Random) -> tuple[str, int]:
    """A stencil over x into y, some of it at shifted places; the least margin."""
    margin = draw.randint(1, 4)
    places = [f"x[i + {draw.randint(-margin, margin)}]" for _ in range(draw.randint(2, 5))]
    value = " + ".join(draw.choice(TERMS).format(draw.choice(places), p) for p in places)
    kind = draw.choice(("y[i] = {}", "y[i] += {}", "total += w * ({})", "y[n - 1 - i] += {}"))
    stop = "        if x[i] > 2.9:\n            break\n" if draw.random() < 0.2 else ""
    again = "    for i in range(1, n - 1):\n        total += y[i - 1] * y[i] - y[i + 1]\n"
    return (
        f"""
import math
import numpy as np

def f(x, w, c, n):
    y = np.zeros(n)
    total = 0.0
    for i in range({margin}, n - {margin}):
{stop}        {kind.format(value)}
{again if draw.random() < 0.6 else ""}    for i in range(n):
        total += w * y[i] * y[i]
    return total
""",
        margin,
    )


def two_dimensions(draw: Random) -> tuple[str, int]:
    margin = draw.randint(1, 2)

    def place() -> str:
        i, j = (draw.randint(-margin, margin) for _ in "ij")
        return f"x[i + {i}, j + {j}]"

    places = [place() for _ in range(draw.randint(2, 6))]
    value = " + ".join(draw.choice(TERMS).format(draw.choice(places), p) for p in places)
    outer, inner = draw.choice((("i", "j"), ("j", "i")))
    return (
        f"""
import math
import numpy as np

def f(x, w, c, n):
    y = np.zeros((n, n))
    total = 0.0
    for _ in range(2):
        for {outer} in range({margin}, n - {margin}):
            for {inner} in range({margin}, n - {margin}):
                y[i, j] += {value}
    for i in range(n):
        for j in range(n):
            total += w * y[i, j] * y[i, j]
    return total
""",
        margin,
    )


def both_modes(
    calculus: Calculus, f: Callable[..., Any], args: tuple[Any, ...], seed: int
) -> np.ndarray:
    """The gradient by x, after a look at both modes agreeing along a direction."""
    draw = np.random.default_rng(seed)
    dots = (draw.normal(size=np.shape(args[0])), 0.3, -0.7, 0)
    _, dot = calculus.jvp(f, args, dots)
    _, pullback = calculus.vjp(f, args)
    x_bar, w_bar, c_bar, *_ = pullback(1.0)
    along = float(np.sum(x_bar * dots[0]) + w_bar * dots[1] + c_bar * dots[2])
    size = float(np.sum(np.abs(x_bar * dots[0])) + abs(w_bar) + abs(c_bar))
    assert abs(along - float(dot)) <= 1e-11 * (size + 1e-30)
    return np.concatenate([np.ravel(x_bar), [w_bar, c_bar]])


@pytest.mark.thinned(4)
@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_stencils(rank: int, seed: int, tmp_path: Path) -> None:
    draw = Random(10 * seed + rank)
    source, margin = (one_dimension if rank == 1 else two_dimensions)(draw)
    f = load(source, tmp_path).f
    data = np.random.default_rng(seed)
    native, interpreted = Native(), Interpreted()
    longest = 75 if rank == 1 else 11
    for n in (0, 1, 2 * margin, 2 * margin + 1, 2 * margin + 2, longest):
        args = (data.normal(size=(n,) * rank), 0.4, 1.3, n)
        ours, reference = (both_modes(c, f, args, seed) for c in (native, interpreted))
        assert ours.tobytes() == reference.tobytes(), (n, source)
