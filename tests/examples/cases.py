"""The examples and the benchmark problems as functions with arguments: small, but of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.problems.catalogue import PROBLEMS
from benchmarks.programs.interrupted import quadrature
from benchmarks.programs.long_runs import branching, grey_scott, growing, oscillator, walk_tree
from examples import cross_section_lookup, kmeans_by_newton, kmeans_sparse, lattice_boltzmann
from examples.adbench import diagonal_lstm, gaussian_mixture
from examples.descent_in_a_gradient import after_descent
from examples.early_exit import distance
from examples.fixed_point import root
from examples.gauss_seidel import solution
from examples.generated_code import swing_of
from examples.gradient_in_a_budget import pattern
from examples.killed_gradient import settled
from examples.newton_hvp import rosenbrock
from examples.ode_fit import misfit
from examples.picture_of_a_run import orbit
from examples.plan_of_a_gradient import spread
from examples.progress_of_a_gradient import ball
from examples.recursion import integral

__all__ = ["CASES", "Case"]

RNG = np.random.default_rng(29)
TREE = np.arange(1, 64), np.full(63, -1)
Case = tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]

CASES: dict[str, Case] = {
    "descent_in_a_gradient": (after_descent, (0.05, np.array([1.0, 0.9]), 60), (0, 1)),
    "early_exit": (distance, (0.7, 0.01), (0, 1)),
    "fixed_point": (root, (2.0,), (0,)),
    "gauss_seidel": (
        solution, (RNG.uniform(-1.0, 1.0, (9, 9)) + 9 * np.eye(9), RNG.normal(size=9), 8), (0, 1)
    ),
    "generated_code": (swing_of(24, 6), (RNG.normal(size=6),), (0,)),
    "gradient_in_a_budget": (
        pattern, (np.array([0.035, 0.06]), np.ones(30), RNG.uniform(size=30), 90), (0, 1, 2)
    ),
    "killed_gradient": (settled, (np.array([0.7, 0.4]), 200), (0,)),
    "newton_hvp": (rosenbrock, (RNG.normal(size=300),), (0,)),
    "ode_fit": (misfit, (np.log([0.9, 0.4, 1.1, 0.35]), RNG.uniform(size=(200, 2)), 0.1), (0, 1)),
    "picture_of_a_run": (orbit, (1.0, 600), (0,)),
    "plan_of_a_gradient": (spread, (0.1, np.sin(np.arange(40.0)), 150), (0, 1)),
    "progress_of_a_gradient": (ball, (0.7, 3000), (0,)),
    "recursion": (integral, (-1.0, 1.0, 0.05, 1e-6), (0, 1, 2)),
    "quadrature": (quadrature, (0.0, 1.0, 1e-4, 3), (0, 1)),
    "walk_tree": (walk_tree, (RNG.normal(size=63), np.r_[1:63, -1], np.full(63, -1)), (0,)),
    "branching": (branching, (RNG.normal(size=6), RNG.integers(1, 90, 40)), (0,)),
    "grey_scott": (grey_scott, (np.ones((8, 8)), RNG.uniform(size=(8, 8)), 0.035, 60), (0, 1, 2)),
    "oscillator": (oscillator, (np.array([2.0, 0.0]), 5.0, 20.0, 1e-4), (0, 1)),
    "growing": (growing, (RNG.normal(size=4), 60), (0,)),
    "gaussian_mixture": (
        gaussian_mixture.objective, gaussian_mixture.data(200, 3, 4, RNG), (0, 1, 2)
    ),
    "kmeans_by_newton": (
        kmeans_by_newton.cost, (RNG.normal(size=(3, 2)), RNG.normal(size=(60, 2))), (0, 1)
    ),
    "kmeans_sparse": (kmeans_sparse.cost, kmeans_sparse.data(80, 20, 3, 5, RNG), (0,)),
    "cross_section_lookup": (
        cross_section_lookup.misfit, cross_section_lookup.data(50, 6, 20, RNG), (0, 1)
    ),
    "lattice_boltzmann": (lattice_boltzmann.energy, lattice_boltzmann.data(3, 20, RNG), (0, 1)),
    "diagonal_lstm": (diagonal_lstm.objective, diagonal_lstm.data(2, 60, 5, RNG), (0, 1)),
}  # fmt: skip


SMALL = {
    "fig8": {"n": 20, "steps": 60},
    "fig8_sum": {"n": 20, "steps": 60},
    "lstm": {"length": 40, "inputs": 3, "hidden": 4},
    "lstm_np": {"length": 40, "inputs": 3, "hidden": 4},
    "leapfrog": {"n": 4, "steps": 40},
    "rk4": {"n": 12, "steps": 40},
    "determinant": {"n": 6},
    "logsumexp": {"n": 500},
    "logsumexp_np": {"n": 500},
}
"""Sizes with which there are some leaves."""


def of_problems() -> dict[str, Case]:
    """Those that are timed, small, with respect to all floats."""
    found: dict[str, Case] = {}
    for problem in PROBLEMS:
        args = tuple(problem.data(SMALL.get(problem.name, problem.sizes["tiny"])))
        floats = [k for k, a in enumerate(args) if np.asarray(a).dtype.kind == "f"]
        found[problem.name] = problem.primal, args, tuple(floats)
    return found


CASES |= of_problems()
