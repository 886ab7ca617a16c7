"""The figures of one problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import adapter
from benchmarks.crival import CAdjoint
from benchmarks.figures import Bounds, Figure
from benchmarks.jax_rival import JaxRival
from benchmarks.problems.base import Arguments, Problem
from benchmarks.timing import Pair, interleave, once
from benchmarks.validate import check_gradient, check_value

__all__ = ["Effort", "measure"]


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure, and at which size."""

    size: str
    pairs: int
    sample_seconds: float

    @staticmethod
    def of(quick: bool) -> Effort:
        """`--quick` or the real thing."""
        return Effort("quick", 5, 0.002) if quick else Effort("full", 15, 0.01)


def measure(problem: Problem, effort: Effort, bounds: Bounds, jax: bool) -> Iterator[Figure]:
    """Compiles, validates, times. Raises `WrongGradient` rather than time what is wrong."""
    arguments = problem.data(problem.sizes[effort.size])
    small = problem.data(problem.sizes["tiny"])
    run = Runs(problem, effort, bounds)

    primal = adapter.primal(problem.primal)
    yield run.seconds("compile", once(lambda: primal(*small)), "primal")
    check_value(problem, arguments, float(primal(*arguments)), problem.tolerance)
    rival = problem.c_primal(arguments)
    yield run.ratio("primal_over_c", run.against(lambda: primal(*arguments), rival.run))

    gradient = adapter.gradient(problem.primal, problem.argnums)
    yield run.seconds("compile", once(lambda: gradient(*small)), "gradient")
    cold = once(lambda: gradient(*arguments))
    value, parts = gradient(*arguments)
    check_value(problem, arguments, float(value), problem.tolerance)
    check_gradient(problem, arguments, parts)
    if problem.c_adjoint is not None:
        yield from adjoint_figures(run, gradient, problem.c_adjoint(arguments), arguments, cold)
    else:
        yield run.tape(adapter.tape_bytes(gradient, arguments), None)
    yield run.ratio(
        "gradient_over_primal",
        run.against(lambda: gradient(*arguments), lambda: primal(*arguments)),
    )
    if jax and problem.jax_primal is not None:
        yield from jax_figures(run, primal, gradient, arguments)


def adjoint_figures(
    run: Runs, gradient: Any, rival: CAdjoint, arguments: Arguments, cold: float
) -> Iterator[Figure]:
    """Time, cold time and tape against the hand-written adjoint."""
    cold_rival = once(rival.run)
    yield run.ratio("cold_over_adjoint", Pair(cold, cold_rival, cold / cold_rival))
    yield run.ratio("gradient_over_adjoint", run.against(lambda: gradient(*arguments), rival.run))
    yield run.tape(adapter.tape_bytes(gradient, arguments), rival.tape_bytes)


def jax_figures(run: Runs, primal: Any, gradient: Any, arguments: Arguments) -> Iterator[Figure]:
    """Primal and gradient against JAX, after its numbers have been checked as ours were."""
    rival = JaxRival.of(run.problem, arguments)
    value, parts = rival.gradient()
    check_value(run.problem, arguments, float(value), run.problem.tolerance)
    check_gradient(run.problem, arguments, [np.asarray(p) for p in parts])
    yield run.ratio("primal_over_jax", run.against(lambda: primal(*arguments), rival.primal))
    yield run.ratio("gradient_over_jax", run.against(lambda: gradient(*arguments), rival.gradient))


@dataclass(frozen=True, slots=True)
class Runs:
    """Makes figures of one problem."""

    problem: Problem
    effort: Effort
    bounds: Bounds

    def against(self, ours: Any, rival: Any) -> Pair:
        return interleave(ours, rival, self.effort.pairs, self.effort.sample_seconds)

    def ratio(self, kind: str, pair: Pair) -> Figure:
        name = self.problem.name
        bar = self.bounds.bar(kind, name)
        return Figure(kind, name, pair.ratio, 1e3 * pair.ours, 1e3 * pair.rival, "ms", bar)

    def seconds(self, kind: str, seconds: float, note: str) -> Figure:
        name = self.problem.name
        return Figure(kind, name, seconds, unit="s", bar=self.bounds.bar(kind, name), note=note)

    def tape(self, ours: int, rival: int | None) -> Figure:
        """Every problem here needs residuals, so an empty tape means that nobody counted."""
        name, kind = self.problem.name, "tape_over_adjoint"
        bar = self.bounds.bar(kind, name) if rival is not None else None
        if ours <= 0:
            return Figure(kind, name, None, None, None, "kB", bar, "not counted")
        if rival is None:
            return Figure(kind, name, None, ours / 1e3, None, "kB", note="no rival")
        return Figure(kind, name, ours / rival, ours / 1e3, rival / 1e3, "kB", bar)
