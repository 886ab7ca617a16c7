"""Determinant by recursive minors: recursion in both sweeps, an array per call.

The rival in C keeps its minors on the stack.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.crival import CPrimal, address, integer, load, pointer
from benchmarks.problems.base import Arguments, Problem

__all__ = ["DETERMINANT", "determinant"]


def determinant(a):
    """Expansion along the first row."""
    n = a.shape[0]
    if n == 1:
        return a[0, 0]
    minor = np.empty((n - 1, n - 1))
    total = 0.0
    sign = 1.0
    for c in range(n):
        for i in range(1, n):
            for j in range(c):
                minor[i - 1, j] = a[i, j]
            for j in range(c + 1, n):
                minor[i - 1, j - 1] = a[i, j]
        total += sign * a[0, c] * determinant(minor)
        sign = -sign
    return total


def data(size: Mapping[str, int]) -> Arguments:
    n = size["n"]
    return (np.random.default_rng(3).normal(size=(n, n)),)


@functools.cache
def library() -> Mapping[str, Callable[..., float]]:
    return load(Path(__file__).with_name("determinant.c"), {"determinant": (address, integer)})


def c_primal(arguments: Arguments) -> CPrimal:
    (a,) = arguments
    fixed, function = (pointer(a), len(a)), library()["determinant"]
    return CPrimal(lambda: function(*fixed))


DETERMINANT = Problem(
    name="determinant",
    title="determinant by minors",
    primal=determinant,
    argnums=(0,),
    data=data,
    sizes={"full": {"n": 8}, "quick": {"n": 6}, "tiny": {"n": 4}},
    c_primal=c_primal,
)
