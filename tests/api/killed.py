"""A gradient in a process of its own, which others kill: `python killed.py CASE FOLDER`.

Prints "begin" before, and the gradient's bytes and the number of steps behind it.
"""

from __future__ import annotations

import math
import os
import sys
from typing import Any

import numpy as np

import retrograd as rg

__all__ = ["CASES", "bits", "plain"]


def rotated(x, n):
    """An array that is written in place, and inner loops of different lengths."""
    for i in range(n):
        for _ in range(1 + i % 7):
            r = np.sqrt(np.sum(x * x))
            c, s = np.cos(r), np.sin(r)
            for k in range(0, len(x) - 1, 2):
                a, b = x[k], x[k + 1]
                x[k] = c * a - s * b
                x[k + 1] = s * a + c * b
    return np.sum(x * np.arange(len(x)))


def hiked(x, depth):
    """A recursion with a loop at each level, on the way down and on the way up."""
    for _ in range(400):
        x = x - 0.0002 * math.sin(x)
    if depth <= 0:
        return x
    y = hiked(x * 0.9999, depth - 1)
    for _ in range(400):
        y = y + 0.0001 * math.cos(y * x)
    return y


def rows(x, n, m):
    """Bodies that do not look long: a matrix as state, of which each iteration records a row."""
    a = np.outer(x, x)
    for _ in range(n):
        for j in range(m):
            a[j % 3] = a[j % 3] + 0.001 * np.sin(a[j % 3] + a[(j + 1) % 3])
        a = a * 0.9
    return np.sum(a)


@rg.reversible
def swung(x, v, dt, n):
    """Steps that are run backwards."""
    for _ in range(n):
        v -= dt * np.sin(x)
        x += dt * v


def driven(x, n):
    """A loop that records beside one that is undone, and reads what that has restored."""
    x, v = x.copy(), np.zeros(len(x))
    u = x * 0.5
    for _ in range(n):
        swung(x, v, 0.01, 20)
        u = np.sin(u) + 0.01 * x * v
    return np.sum(u)


X = np.array([0.5, -0.25, 1.0])

CASES: dict[str, tuple[Any, dict[str, Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "rotated": (
        rotated, {"memory": "100kB"}, (np.linspace(-1.0, 1.0, 101), 3),
        (np.linspace(-1.0, 1.0, 101), 12_000),
    ),
    "hiked": (hiked, {"memory": "3MB"}, (0.8, 3), (0.8, 2500)),
    "tree": (
        rotated, {"checkpointing": rg.checkpointing.fixed_space(6, leaf="30kB")},
        (np.linspace(-1.0, 1.0, 51), 3), (np.linspace(-1.0, 1.0, 51), 6_000),
    ),
    "rows": (rows, {"memory": "20kB"}, (X, 2, 3), (X, 8, 3000)),
    "driven": (driven, {"memory": "40kB"}, (X, 3), (X, 20_000)),
}  # fmt: skip
"""Functions, options, and arguments: small ones to compile with, and those of the long run."""


def bits(value: Any) -> str:
    return np.asarray(value).tobytes().hex()


def plain(case: str) -> str:
    """The bits of the whole tape."""
    fun, _, _, args = CASES[case]
    return bits(rg.grad(fun)(*args))


def main(case: str, folder: str) -> None:
    fun, options, small, args = CASES[case]
    rg.grad(fun, **options)(*small)
    place = rg.durable(os.path.join(folder, "run.rg"), every=0.0)
    gradient = rg.grad(fun, **options, resume=place)
    gradient.specialise(args, {})
    print("begin", flush=True)
    with rg.record() as run:
        found = gradient(*args)
    print(bits(found), run.steps, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
