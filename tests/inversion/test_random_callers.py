"""Random programs around calls of reversible functions: writes, branches, loops and swaps between.

Each is compared with the same program in which the functions are ordinary ones, which is taped.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

FUNCTIONS = """
def swing(x, v, k, dt):
    for i in range(len(x)):
        v[i] -= dt * k[i] * np.sin(x[i])
    x += dt * v

def kick(x, v, c):
    v += c * np.tanh(x)
    x[0] += 0.1 * v[1]

def turn(a, b, c):
    a += c * b
    b -= c * a * a
    return a, b

def count(x, n):
    for i in range(1, len(x)):
        x[i] += 0.1 * x[i - 1] * x[i - 1]
    n += 2
    return n

@rg.checkpoint
def apart(x, v, a):
    t = 0.0
    for i in range(len(x)):
        t += np.sin(x[i]) * v[i] if x[i] > 0.0 else np.exp(0.1 * v[i])
    return t * a
"""

SIMPLE = (
    "swing(x, v, k, dt)", "swing(v, x, k, dt)", "kick(x, v, 0.05)", "kick(v, x, a * 0.1)",
    "a, b = turn(a, b, dt)", "a, b = turn(b, a, k[0])", "m = count(x, m)", "m = count(v, m)",
    "s += x[0] * v[1]", "s += np.sum(x * v)", "s += a * b", "s += x[m % 3]", "s += apart(x, v, a)",
    "x[1] = np.sin(x[2])", "x[0] = 0.5 * v[0]", "v[2] += 0.1 * x[2] * x[2]", "a = np.sin(b)",
    "a = 0.3 * x[1]", "w = x.copy()\ns += np.sum(w * v)",
)  # fmt: skip
HEADS = (
    "for q{0} in range(n):", "for q{0} in range(m % 4):", "if x[0] > 0.1:", "if a < b:",
    "if m % 3 == 1:",
)  # fmt: skip


def block(rng: np.random.Generator, depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(int(rng.integers(2, 5))):
        kind = int(rng.integers(10))
        if kind < 8 or depth == 2:
            lines += str(rng.choice(SIMPLE)).split("\n")
        elif kind == 8 or depth == 1:
            lines.append(str(rng.choice(HEADS)).format(depth))
            lines += ["    " + line for line in block(rng, depth + 1)]
        else:
            lines.append("x, v = v, x")
    return lines


def program(seed: int, reversible: bool) -> Callable[..., Any]:
    rng = np.random.default_rng(seed)
    body = "\n".join("        " + line for line in block(rng, 0))
    text = (
        f"{FUNCTIONS}\ndef f(x, v, k, dt, a, b, n):\n    x, v = x.copy(), v.copy()\n"
        f"    s, m = 0.0, 1\n    for t in range(n):\n{body}\n    return s + np.sum(x) + a\n"
    )
    name = f"<caller {seed} {reversible}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    scope: dict[str, Any] = {"np": np, "rg": rg}
    exec(compile(text, name, "exec"), scope)
    if reversible:
        scope |= {one: rg.reversible(scope[one]) for one in ("swing", "kick", "turn", "count")}
    return scope["f"]


RNG = np.random.default_rng(1)
ARGS = (*(0.5 * RNG.normal(size=3) for _ in range(3)), 0.07, 0.3, -0.2, 3)
SEEDS = (1, 2, *(pytest.param(k, marks=pytest.mark.slow) for k in range(3, 41)))


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_are_those_by_tape(seed: int) -> None:
    undone, taped = program(seed, True), program(seed, False)
    places = (0, 1, 2, 3, 4, 5)
    wanted = rg.grad(taped, argnums=places)(*ARGS)
    scale = 1.0 + max(float(np.max(np.abs(one))) for one in wanted)
    found = [rg.grad(undone, argnums=places)(*ARGS)]
    if seed % 3 == 0:
        found.append(rg.grad(rg.checkpoint(undone), argnums=places)(*ARGS))
    if seed % 5 == 1:
        found.append(rg.grad(undone, argnums=places, memory="8kB")(*ARGS))
    for one in found:
        for mine, theirs in zip(one, wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-10 * scale)
