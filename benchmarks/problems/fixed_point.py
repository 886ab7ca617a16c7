"""Kepler's equation E = M + e sin(E) by fixed-point iteration, a `while` as long as data says.

The gradient is taken through the iterations, with respect to the mean anomalies and e.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.crival import CPrimal, address, double, integer, load, pointer
from benchmarks.problems.base import Arguments, Problem

__all__ = ["FIXED_POINT", "fixed_point"]


def fixed_point(mean, eccentricity, tolerance):
    """Sum of squares of the eccentric anomalies."""
    total = 0.0
    for i in range(len(mean)):
        m = mean[i]
        now = m
        change = 1.0
        while change > tolerance:
            after = m + eccentricity * math.sin(now)
            change = abs(after - now)
            now = after
        total += now * now
    return total


def data(size: Mapping[str, int]) -> Arguments:
    """Anomalies away from 0 and pi, where the number of iterations jumps."""
    return np.random.default_rng(16).uniform(0.1, 3.0, size["n"]), 0.6, 1e-12


@functools.cache
def library() -> Mapping[str, Callable[..., float]]:
    types = {"fixed_point": (address, integer, double, double)}
    return load(Path(__file__).with_name("fixed_point.c"), types)


def c_primal(arguments: Arguments) -> CPrimal:
    mean, eccentricity, tolerance = arguments
    fixed = (pointer(mean), len(mean), eccentricity, tolerance)
    function = library()["fixed_point"]
    return CPrimal(lambda: function(*fixed))


FIXED_POINT = Problem(
    name="fixed_point",
    title="`while` fixed point",
    primal=fixed_point,
    argnums=(0, 1),
    data=data,
    sizes={"full": {"n": 1000}, "quick": {"n": 100}, "tiny": {"n": 4}},
    c_primal=c_primal,
)
