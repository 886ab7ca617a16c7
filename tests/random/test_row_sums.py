"""Random sums of rows: in machine code short ones are loops that rows share, of packed rows.

Elsewhere they are not. Bits of values and gradients are those of gradients in a budget, which keep
the sums.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

import retrograd as rg
from tests.random.programs.module import load

TERMS = (
    "c[i]", "p", "w", "c[i] * c[i]", "(p - c[i]) * w", "np.abs(p - c[i])", "p * t",
    "c[:, i % 3]", "np.maximum(c[i], w)", "-c[i] / 3.0", "np.sin(p) * c[i]",
    "np.sqrt(w * w + 1.0)",
)  # fmt: skip
HEADS = ("t = 0.5", "t = p[0] * i", "t = w[-1]")
TAILS = ("s", "s * t + 1.0", "s / (1.0 + i)", "np.exp(-s * s)")
MAPS = (
    "y = rg.build(n, of_row)",
    "y = np.array([of_row(i) for i in range(n)])",
    "y = np.zeros(n)\n    for i in range(n):\n        y[i] = of_row(i)",
    "y = np.zeros(n)\n    for k in range(m):\n        for i in range(n):\n"
    "            y[i] = 0.5 * y[i] + of_row(i) * k",
)


def source(draw: Random) -> str:
    terms = " + ".join(draw.choice(TERMS) for _ in range(draw.randint(1, 3)))
    row = f"s = np.sum({terms})"
    if draw.random() < 0.3:
        row = "s = 0.0\n        for j in range(n):\n            s += c[i, j] * (p[j] - w[j])"
    return f"""
import numpy as np
import retrograd as rg

def f(c, p, w, n, m):
    def of_row(i):
        {draw.choice(HEADS)}
        {row}
        return {draw.choice(TAILS)}
    {draw.choice(MAPS)}
    return np.sum(y * y) + y[0]
"""


def check(seed: int, directory: Path) -> None:
    draw, data = Random(f"sums of rows {seed}"), np.random.default_rng(seed)
    text = source(draw)
    f = load(text, directory).f
    n = draw.choice((3, 8, 17, 31, 32, 40))
    c = data.normal(size=(n, n))
    args = (c, data.normal(size=n), data.normal(size=n), n, draw.choice((2, 16, 17)))
    value, bars = rg.value_and_grad(f, argnums=(0, 1, 2))(*args)
    want, others = rg.value_and_grad(f, argnums=(0, 1, 2), memory="1MB")(*args)
    assert np.float64(value).tobytes() == np.float64(want).tobytes(), text
    assert [a.tobytes() for a in bars] == [a.tobytes() for a in others], text
    assert np.float64(rg.jit(f)(*args)).tobytes() == np.float64(want).tobytes(), text
    np.testing.assert_allclose(value, f(*args), rtol=1e-9, atol=1e-12, err_msg=text)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(8))
def test_row_sums(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20))
def test_many_row_sums(shard: int, tmp_path: Path) -> None:
    for seed in range(10):
        check(1000 + 10 * shard + seed, tmp_path)
