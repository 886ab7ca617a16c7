"""Systems of equations with the factors of their matrix: derivatives of both together."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.backends.interp.eval import run
from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Function, Program, ilit
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.prims.rules import F2
from retrograd.transforms.ad.jvp import jvp_function


def solving(n: int, trans: bool) -> Program:
    names = NameSupply()
    a, y = names.var("a", F2), names.var("y", F2)
    b = Builder(names, DEFAULT.result_types)
    factors = b.prim("lu", a, ilit(n + 1))
    x = b.prim("lu_solve", a, factors, y, trans=trans)
    return Program((Function("f", (a, y), b.block([x])),), "f")


@pytest.mark.parametrize("trans", [False, True])
def test_derivatives_follow_the_matrix_through_its_factors(trans: bool) -> None:
    rng = np.random.default_rng(3)
    a, y = rng.normal(size=(4, 4)) + 4.0 * np.eye(4), rng.normal(size=(4, 2))
    a_dot, y_dot = rng.normal(size=(4, 4)), rng.normal(size=(4, 2))
    program = solving(4, trans)
    once, first = jvp_function(program, "f", (True, True), supply_for(program), DEFAULT)
    twice, second = jvp_function(once, first, (True,) * 4, supply_for(once), DEFAULT)

    def solved(t: float, s: float) -> np.ndarray:
        matrix, right = a + (t + s) * a_dot + t * s * a_dot, y + (t + s) * y_dot
        return np.linalg.solve(matrix.T if trans else matrix, right)

    value, slope = run(Program(once.functions, first), [a, y, a_dot, y_dot], DEFAULT)
    h = 1e-5
    np.testing.assert_allclose(value, solved(0.0, 0.0), rtol=1e-12)
    np.testing.assert_allclose(slope, (solved(h, 0.0) - solved(-h, 0.0)) / (2 * h), rtol=1e-8)
    rest = [a_dot, y_dot, a_dot, np.zeros((4, 2))]
    found = run(Program(twice.functions, second), [a, y, a_dot, y_dot, *rest], DEFAULT)
    h = 1e-3
    corners = [solved(t, s) * np.sign(t * s) for t in (h, -h) for s in (h, -h)]
    np.testing.assert_allclose(found[-1], sum(corners) / (4 * h * h), rtol=1e-4)


def test_a_pivot_that_is_zero_is_exactly_so() -> None:
    (factors,) = DEFAULT["lu"].eval((np.array([[1.0, 2.0], [2.0, 4.0]]), 3), ())
    assert factors[1, 1] == 0.0
    assert factors[2].tolist() == [1.0, 1.0]
