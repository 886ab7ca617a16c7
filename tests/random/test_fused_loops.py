"""Random programs of elementwise statements and sums, in lines and in loops over arrays.

Loops over the same elements are one, and some iterations go through them together: the bits are the
interpreter's, in a budget too, and derivatives are those of differences.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

import retrograd as rg
from tests.random.calculus import Interpreted
from tests.random.programs.module import load

ARRAYS = ("a", "b", "c", "d")
LINES = (
    "{a} = {b} * {c} + 0.5",
    "{a} = {b} - 0.25 * {c}",
    "{a} = 0.3 * {a} * {b}",
    "{a} = {a} / (1.0 + {b} * {b})",
    "{a} = np.where({b} > s, {c}, {a})",
    "{a} = {b} + t * {a}",
    "{a} += 0.1 * {b}",
    "{a} *= w[{k} % 3]",
    "{a}, {b} = {b}, {a} + {c}",
    "{a} = np.maximum({b}, {c}) - 0.1",
    "{a} = {b} - m",
    "{a} = np.abs({a}) + m * {b}",
    "s = 0.1 * np.sum({a}) / len(x)",
    "t = 0.2 * np.sum({a} * {b}) / len(x)",
    "out[{k} % 3] += np.sum({b})",
    "total += np.sum({a} * {c})",
)
IN_LOOPS = LINES[:10] + LINES[11:]
OF_FUNCTIONS = ("{a} = np.sin({b}) * 0.7", "{a} = np.exp(-{b} * {b})")


def source(seed: int) -> str:
    draw = Random(seed)

    def lines(count: int, indent: str, k: str, among: tuple[str, ...]) -> list[str]:
        chosen = [draw.choice(among) for _ in range(count)]
        names = [dict(zip("abc", draw.sample(ARRAYS, 3), strict=True)) for _ in chosen]
        return [indent + c.format(k=k, **n) for c, n in zip(chosen, names, strict=True)]

    more = OF_FUNCTIONS if seed % 3 == 2 else ()
    body = lines(draw.randint(1, 5), "    ", "1", (*LINES, *more))
    for k in "ij"[: draw.choice((1, 1, 2))]:
        body.append(f"    for {k} in range(n):")
        body += lines(draw.randint(1, 3), "        ", k, draw.choice(((*LINES, *more), IN_LOOPS)))
        body += lines(draw.randint(0, 2), "    ", "2", LINES)
    text = "\n".join(body)
    return f"""
import numpy as np

def f(x, w, n):
    a = x * 1.0
    b = x + 0.5
    c = 0.7 - x
    d = 0.3 * x * x
    s, t, total, m = 0.2, 0.4, 0.0, np.mean(x)
    out = np.zeros(3)
{text}
    return total + np.sum(a * b) + np.sum(c - d) + s * t + np.sum(out * out)
"""


def check(seed: int, directory: Path) -> None:
    f = load(source(seed), directory).f
    data = np.random.default_rng(seed)
    full, part = rg.grad(f, argnums=(0, 1)), rg.grad(f, argnums=(0, 1), memory="1MB")
    by_interpreter, value = Interpreted(), rg.jit(f)
    for size, n in ((data.choice((3, 31, 33, 70)), data.choice((4, 5, 7, 9))), (2, 1)):
        args = data.normal(size=size), data.normal(size=3), int(n)
        with np.errstate(all="ignore"):
            slopes = full(*args)
            text = source(seed)
            for got, want in zip(slopes, part(*args), strict=True):
                np.testing.assert_array_equal(got, want, err_msg=text)
            rtol = 1e-11 if seed % 3 == 2 else 0  # NumPy's functions have other last digits
            for got, want in zip(slopes, by_interpreter.call(full, args), strict=True):
                np.testing.assert_allclose(got, want, rtol, rtol, err_msg=text)
            np.testing.assert_allclose(value(*args), f(*args), rtol=1e-9, err_msg=text)
            _, tangent = rg.jvp(f, args, (np.cos(args[0]), np.sin(args[1]), 0))
            against = slopes[0] @ np.cos(args[0]) + slopes[1] @ np.sin(args[1])
            np.testing.assert_allclose(tangent, against, rtol=1e-7, atol=1e-7, err_msg=text)


@pytest.mark.parametrize("shard", range(2))
def test_fused_loops(shard: int, tmp_path: Path) -> None:
    for seed in range(shard, 16, 2):
        check(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.also_in_ci(2)
@pytest.mark.parametrize("shard", range(8))
def test_more_fused_loops(shard: int, tmp_path: Path) -> None:
    for seed in range(1000 + shard, 1200, 8):
        check(seed, tmp_path)
