"""What is differentiated in a budget that is small against the tape, and on what data."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import adapter
from benchmarks.problems import lstm
from benchmarks.problems.base import Arguments, Value
from benchmarks.problems.fig8 import fig8_sum
from benchmarks.problems.fig8_oracle import STRIDE
from benchmarks.programs.long_runs import (
    branching,
    grey_scott,
    growing,
    layered,
    oscillator,
    walk_tree,
)
from benchmarks.programs.straight import straight

__all__ = ["LONG_RUNS", "LongRun"]

Compiled = Callable[..., Any]
Size = Mapping[str, int]


def value_and_gradient(run: LongRun, f: Value, memory: int | None) -> Compiled:
    return adapter.gradient_in(f, run.argnums, memory)


def product(run: LongRun, f: Value, memory: int | None) -> Compiled:
    return adapter.product_in(f, memory)


@dataclass(frozen=True, slots=True)
class LongRun:
    """One program.

    Attributes:
        name: how `--problem` selects it.
        title: one line for people.
        made: the function for a size; most are the same for all.
        data: the arguments for a size.
        sizes: `full` for the figures, `quick` for a look; the whole tape of that one always fits.
        argnums: the arguments that are differentiated.
        budget: bytes; None for `states` times the live state of the run.
        states: 32, and twice as many where each number has a tangent beside it.
        derivative: makes what is timed from the function and a number of bytes.
        direction: the second argument is a direction, which the function itself does not take.
        deep: the recursion is too deep for the native stack at full size.
    """

    name: str
    title: str
    made: Callable[[Size], Value]
    data: Callable[[Size], Arguments]
    sizes: Mapping[str, Size]
    argnums: tuple[int, ...] = (0,)
    budget: int | None = None
    states: int = 32
    derivative: Callable[[LongRun, Value, int | None], Compiled] = value_and_gradient
    direction: bool = False
    deep: bool = False

    def own(self, arguments: Arguments) -> Arguments:
        """The arguments of the function itself."""
        return (arguments[0], *arguments[2:]) if self.direction else arguments


def tree(size: Size) -> Arguments:
    """A spine as deep as the tree, with leaves on half of its nodes; -1 is no child."""
    depth, draw = size["depth"], np.random.default_rng(7)
    left, right = np.full(2 * depth, -1), np.full(2 * depth, -1)
    left[: depth - 1] = np.arange(1, depth)
    some = np.flatnonzero(draw.random(depth) < 0.5)
    right[some] = depth + some
    return 0.5 * draw.normal(size=2 * depth), left, right


def lengths(size: Size) -> Arguments:
    """Inner loops by a law without a mean: most are short, and a few are nearly all of the run."""
    draw = np.random.default_rng(11)
    found = np.minimum(draw.pareto(0.7, size=size["loops"]) + 1.0, size["longest"])
    return draw.normal(size=16), found.astype(np.int64)


def sequence(size: Size) -> Arguments:
    return lstm.data(size)


def pattern(size: Size) -> Arguments:
    """A square of the second substance in the first one, with a little noise."""
    n, draw = size["n"], np.random.default_rng(13)
    u, v = np.ones((n, n)), np.zeros((n, n))
    u[n // 3 : n // 2, n // 3 : n // 2] = 0.5
    v[n // 3 : n // 2, n // 3 : n // 2] = 0.25
    return u + 0.01 * draw.normal(size=u.shape), v, 0.035, size["steps"]


def directed(size: Size) -> Arguments:
    n = size["n"]
    direction = np.random.default_rng(17).normal(size=n)
    return np.arange(n, 0, -1, dtype=np.float64), direction, size["steps"], STRIDE


def kept_folder() -> Path:
    """Where generated source stays as long as this process: its text is read when it is traced."""
    return Path(tempfile.mkdtemp(prefix="retrograd-benchmarks-"))


def vector(size: Size) -> Arguments:
    x: npt.NDArray[np.float64] = np.random.default_rng(19).normal(size=8)
    return (x,)


def oscillation(size: Size) -> Arguments:
    return np.array([2.0, 0.0]), 5.0, float(size["until"]), 1e-6


def network(size: Size) -> Arguments:
    """Rows of data, and a matrix and a shift for each layer."""
    draw, width = np.random.default_rng(23), size["width"]
    layers = tuple(
        (draw.normal(size=(width, width)) / width**0.5, draw.normal(size=width))
        for _ in range(size["layers"])
    )
    return draw.normal(size=(size["rows"], width)), layers


LONG_RUNS = (
    LongRun(
        "run_tree", "Tree walk", lambda size: walk_tree, tree,
        {"full": {"depth": 100_000}, "quick": {"depth": 2000}},
        budget=64 * 10**6, deep=True,
    ),
    LongRun(
        "run_while", "`while` with inner loops of wild lengths", lambda size: branching, lengths,
        {"full": {"loops": 30_000, "longest": 10**6}, "quick": {"loops": 300, "longest": 20_000}},
    ),
    LongRun(
        "run_lstm", "LSTM", lambda size: lstm.lstm, sequence,
        {"full": {"length": 100_000, "inputs": 4, "hidden": 8},
         "quick": {"length": 2000, "inputs": 2, "hidden": 4}},
        argnums=(0, 1, 2),
    ),
    LongRun(
        "run_reaction", "Reaction and diffusion in 2-D", lambda size: grey_scott, pattern,
        {"full": {"n": 256, "steps": 10_000}, "quick": {"n": 24, "steps": 300}},
        argnums=(0, 1),
    ),
    LongRun(
        "run_adaptive", "ODE with rejected steps", lambda size: oscillator, oscillation,
        {"full": {"until": 20_000}, "quick": {"until": 60}},
        argnums=(0, 1),
    ),
    LongRun(
        "run_straight", "Straight-line code",
        lambda size: straight(kept_folder(), size["statements"]), vector,
        {"full": {"statements": 5000}, "quick": {"statements": 400}},
    ),
    LongRun(
        "run_layers", "Layers without a loop", lambda size: layered, network,
        {"full": {"layers": 60, "rows": 20_000, "width": 32},
         "quick": {"layers": 48, "rows": 500, "width": 8}},
    ),
    LongRun(
        "run_growing", "An array that grows", lambda size: growing,
        lambda size: (np.array([0.3, 0.2]), size["steps"]),
        {"full": {"steps": 10_000}, "quick": {"steps": 600}},
    ),
    LongRun(
        "run_product", "Hessian times vector, Fig. 8", lambda size: fig8_sum, directed,
        {"full": {"n": 1000, "steps": 1000}, "quick": {"n": 50, "steps": 100}},
        states=64, derivative=product, direction=True,
    ),
)  # fmt: skip
"""In the order of the table."""
