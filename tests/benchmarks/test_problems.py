"""The rivals: same values in Python and C, and hand-written adjoints that are right."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks import jax_rival
from benchmarks.crival import gcc_available
from benchmarks.jax_rival import JaxRival
from benchmarks.problems.base import Problem
from benchmarks.problems.catalogue import PROBLEMS
from benchmarks.problems.fig8 import FIG8, FIG8_SUM, inner_iterations
from benchmarks.problems.fig8_oracle import CASES, INNER_ITERATIONS, STRIDE, Case
from benchmarks.validate import WrongGradient, against_differences, check_gradient, check_value

pytestmark = pytest.mark.skipif(not gcc_available(), reason="the rivals in C need gcc")

names = pytest.mark.parametrize("problem", PROBLEMS, ids=[p.name for p in PROBLEMS])
adjoints = pytest.mark.parametrize(
    "problem", [p for p in PROBLEMS if p.c_adjoint], ids=[p.name for p in PROBLEMS if p.c_adjoint]
)


@names
def test_python_and_c_agree(problem: Problem) -> None:
    arguments = problem.data(problem.sizes["tiny"])
    check_value(problem, arguments, float(problem.primal(*arguments)), 1e-11)


@names
def test_primal_leaves_its_arguments_alone(problem: Problem) -> None:
    arguments = problem.data(problem.sizes["tiny"])
    before = [np.copy(a) for a in arguments]
    problem.primal(*arguments)
    assert all(np.array_equal(a, b) for a, b in zip(arguments, before, strict=True))


@adjoints
def test_c_adjoint_against_differences(problem: Problem) -> None:
    assert problem.c_adjoint is not None
    arguments = problem.data(problem.sizes["tiny"])
    rival = problem.c_adjoint(arguments)
    rival.run()
    assert against_differences(problem, arguments, rival.gradient, 1e-7).error < 1e-7


@adjoints
def test_c_adjoint_twice_gives_the_same(problem: Problem) -> None:
    assert problem.c_adjoint is not None
    rival = problem.c_adjoint(problem.data(problem.sizes["tiny"]))
    first = rival.run()
    gradient = [g.copy() for g in rival.gradient]
    assert rival.run() == first
    assert all(np.array_equal(a, b) for a, b in zip(gradient, rival.gradient, strict=True))


@pytest.mark.parametrize("steps", INNER_ITERATIONS)
def test_inner_iterations(steps: int) -> None:
    assert inner_iterations(steps) == INNER_ITERATIONS[steps]


@pytest.mark.parametrize("problem", [FIG8, FIG8_SUM], ids=["fig8", "fig8_sum"])
@pytest.mark.parametrize("case", CASES, ids=[f"n{c.n}-l{c.steps}" for c in CASES])
def test_fig8_adjoint_against_known_numbers(problem: Problem, case: Case) -> None:
    assert problem.c_adjoint is not None
    x = np.arange(case.n, 0, -1, dtype=np.float64)
    rival = problem.c_adjoint((x, case.steps, STRIDE))
    assert math.isclose(rival.run(), case.value, rel_tol=case.tolerance)
    (gradient,) = rival.gradient
    leading = gradient[: len(case.gradient)]
    np.testing.assert_allclose(leading, case.gradient, rtol=case.tolerance)
    assert math.isclose(gradient.sum(), case.gradient_sum, rel_tol=case.tolerance)
    assert math.isclose(np.linalg.norm(gradient), case.gradient_norm, rel_tol=case.tolerance)
    assert rival.tape_bytes == 8 * (case.n + 5) * inner_iterations(case.steps)


@names
def test_a_wrong_gradient_is_refused(problem: Problem) -> None:
    arguments = problem.data(problem.sizes["tiny"])
    wrong = [np.full(np.shape(arguments[p]), 1.25) for p in problem.argnums]
    with pytest.raises(WrongGradient):
        check_gradient(problem, arguments, wrong)


def test_a_wrong_shape_is_refused() -> None:
    arguments = FIG8.data(FIG8.sizes["tiny"])
    with pytest.raises(WrongGradient, match="shape"):
        check_gradient(FIG8, arguments, [np.zeros(3)])


def test_nan_is_refused() -> None:
    arguments = FIG8.data(FIG8.sizes["tiny"])
    with pytest.raises(WrongGradient):
        check_gradient(FIG8, arguments, [np.full(10, np.nan)])
    with pytest.raises(WrongGradient):
        check_value(FIG8, arguments, math.nan, 1e-3)


@pytest.mark.skipif(not jax_rival.available(), reason="JAX is not installed")
@pytest.mark.parametrize(
    "problem",
    [p for p in PROBLEMS if p.jax_primal],
    ids=[p.name for p in PROBLEMS if p.jax_primal],
)
@pytest.mark.filterwarnings("default")
def test_jax_version_is_the_same_function(problem: Problem) -> None:
    arguments = problem.data(problem.sizes["tiny"])
    value, parts = JaxRival.of(problem, arguments).gradient()
    check_value(problem, arguments, float(value), 1e-11)
    check_gradient(problem, arguments, [np.asarray(p) for p in parts])
