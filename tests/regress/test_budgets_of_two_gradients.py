"""Counting what a second gradient records failed where the first takes an array off the tape: its
extents were asked for before they had names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false


def entry(p):
    u = p[:4]
    x = np.mean(u)
    for i in range(2):
        s = -1.397 + i
        for j in range(i):
            s += math.sin(p[j])
        p[i] = math.tanh(s)
    y = p[0]
    if -0.247 - u[1] <= -0.087:
        pass
    elif np.all(p[:] >= 1.613):
        pass
    elif np.any(np.array([y, p[0]]) < 0.883):
        y = ignored(math.tanh(np.sum(p)), lambda _: u[1])
        y = math.tanh(np.sum(np.full(2, p[1])))
    else:
        pass
    first = 0.153 * (-0.107 * x + 0.373 * np.sum(p) + 0.843 * np.sum(u) + p[0])
    return first, 0.153 * (0.273 * x + 0.773 * np.sum(p) + 0.373 * np.sum(u) + x)


def ignored(v, f):
    f(v)


def objective(p):
    y = entry(p)
    return 0.7 * y[0] + 0.3 * y[1]


def both(f):
    return rg.jit(lambda *a: (rg.value_and_grad(f, (0,))(*a), rg.grad(f, (0,))(*a)))


def test_both_choose() -> None:
    x = np.random.default_rng(387).uniform(-1.5, 1.5, (2,))
    expected = rg.tree.leaves(both(objective)(x.copy()))
    policy = rg.checkpoint_policies.budget(500)
    within: Any = both(rg.checkpoint(objective, policy=policy))
    for _ in range(2):
        for found, right in zip(rg.tree.leaves(within(x.copy())), expected, strict=True):
            assert np.asarray(found).tobytes() == np.asarray(right).tobytes()
