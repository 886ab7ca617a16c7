"""A chain of masses with slightly nonlinear springs, by the classical Runge-Kutta method.

The slope is a function that returns a new array, the stages are loops, and a step overwrites the
state: what people write. The hand-written adjoint keeps one state per step and computes the
stages again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.crival import CAdjoint, CPrimal, address, double, integer, load, pointer
from benchmarks.problems.base import Arguments, Problem

__all__ = ["RK4", "rk4", "slope"]


def slope(y, alpha):
    """Time derivative of the displacements (first half of y) and the speeds (second half)."""
    n = len(y) // 2
    dy = np.zeros(2 * n)
    for i in range(n):
        dy[i] = y[n + i]
    for i in range(1, n - 1):
        right = y[i + 1] - y[i]
        left = y[i] - y[i - 1]
        dy[n + i] = right - left + alpha * (right * right - left * left)
    return dy


def rk4(start, weight, steps, h, alpha):
    """Weighted sum of the state after `steps` steps of length h."""
    size = len(start)
    y = start.copy()
    u = np.empty(size)
    for _ in range(steps):
        k1 = slope(y, alpha)
        for i in range(size):
            u[i] = y[i] + 0.5 * h * k1[i]
        k2 = slope(u, alpha)
        for i in range(size):
            u[i] = y[i] + 0.5 * h * k2[i]
        k3 = slope(u, alpha)
        for i in range(size):
            u[i] = y[i] + h * k3[i]
        k4 = slope(u, alpha)
        for i in range(size):
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
    total = 0.0
    for i in range(size):
        total += weight[i] * y[i]
    return total


def data(size: Mapping[str, int]) -> Arguments:
    """A chain displaced by two waves."""
    n = size["n"]
    draw = np.random.default_rng(4)
    place = np.linspace(0.0, np.pi, n)
    start = np.concatenate((np.sin(place) + 0.3 * np.sin(3.0 * place), np.zeros(n)))
    return start, draw.normal(size=2 * n), size["steps"], 0.05, 0.25


@functools.cache
def library() -> Mapping[str, Callable[..., float]]:
    sizes = (integer, integer, double, double)
    names = {"rk4": (*(address,) * 4, *sizes), "rk4_adjoint": (*(address,) * 6, *sizes)}
    return load(Path(__file__).with_name("rk4.c"), names)


def c_primal(arguments: Arguments) -> CPrimal:
    start, weight, *scalars = arguments
    arrays = (start, weight, np.empty_like(start), np.empty(5 * len(start)))
    fixed = (*map(pointer, arrays), len(start) // 2, *scalars)
    function = library()["rk4"]
    return CPrimal(lambda: function(*fixed))


def c_adjoint(arguments: Arguments) -> CAdjoint:
    start, weight, *scalars = arguments
    tape, gradient = np.empty((scalars[0], len(start))), np.empty_like(start)
    arrays = (start, weight, np.empty_like(start), np.empty(11 * len(start)), tape, gradient)
    fixed = (*map(pointer, arrays), len(start) // 2, *scalars)
    function = library()["rk4_adjoint"]
    return CAdjoint(lambda: function(*fixed), (gradient,), tape.nbytes)


RK4 = Problem(
    name="rk4",
    title="RK4 of a chain",
    primal=rk4,
    argnums=(0,),
    data=data,
    sizes={
        "full": {"n": 200, "steps": 1000},
        "quick": {"n": 100, "steps": 200},
        "tiny": {"n": 6, "steps": 3},
    },
    c_primal=c_primal,
    c_adjoint=c_adjoint,
)
