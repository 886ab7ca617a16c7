"""At a tie `max` and `min` gave the whole derivative to one side; the other one had nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

import retrograd as rg
from retrograd.ir.print import print_program
from retrograd.prims import DEFAULT
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import MACHINE, OPTIMISE
from tests.frontend.harness import agree, traced

TIES = [
    (lambda x: max(x, 1.0), 0.5), (lambda x: max(1.0, x), 0.5), (lambda x: min(x, 1.0), 0.5),
    (lambda x: min(1.0, x), 0.5), (lambda x: max(x, 1), 0.5), (lambda x: max(x * x, x), 1.5),
    (lambda x: max((x, 1.0)), 0.5), (lambda x: min([1.0, x]), 0.5), (lambda x: max(x, 0.5), 1.0),
    (lambda x: max(2.0, x), 0.0), (lambda x: max(x, math.nan), 1.0), (lambda x: max(x, x), 1.0),
    (lambda x: np.maximum(x, 1.0), 0.5), (lambda x: max(np.array([x, 1.0])), 0.5),
    (lambda x: max(v * v for v in np.array([x, 1.0])), 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("f", "slope"), TIES)
def test_the_derivative_is_shared(f, slope) -> None:
    assert rg.grad(f)(1.0) == slope
    assert rg.jvp(f, (1.0,), (1.0,))[1] == slope
    assert rg.jit(lambda x: rg.grad(f)(x))(1.0) == slope


def test_second_derivatives() -> None:
    def f(x, y):
        return max(x * x, y) * y

    want = ((1.0, 1.0), (1.0, 1.0))
    assert rg.hessian(f, (0, 1))(1.0, 1.0) == want
    assert rg.jacrev(rg.grad(f, (0, 1)), (0, 1))(1.0, 1.0) == want
    assert rg.jvp(rg.grad(f), (1.0, 1.0), (1.0, 0.0))[1] == 1.0


def both(x, y):
    return max(x, y), min(x, y), max(y, x, 0.5), min((y, x))


def test_values_are_in_the_order_of_python() -> None:
    cases = (0.0, -0.0, 1.0, math.nan, math.inf, -math.inf, 2**53, 2**53 + 1, 2.0**53)
    run = rg.jit(both)
    for x in cases:
        for y in cases:
            agree(both, x, y)
            found = [(float(v), math.copysign(1.0, v)) for v in run(x, y)]
            want = [(float(v), math.copysign(1.0, v)) for v in both(x, y)]
            np.testing.assert_array_equal(found, want)


def test_nan_in_an_array() -> None:
    run = rg.jit(lambda x: (max(x), min(x)))
    for items in ([1.0, math.nan, 0.0], [math.nan, 2.0], [-math.inf, math.nan], [3.0, 5.0]):
        np.testing.assert_array_equal(run(np.array(items)), (max(items), min(items)))
    assert rg.grad(lambda x: max(x))(np.array([math.nan, 1.0])).tolist() == [1.0, 0.0]


def running(x):
    m = x[0]
    for v in x:
        m = max(m, v)
    return m


def test_running_extremes_are_still_found_in_lanes() -> None:
    x = np.random.default_rng(5).normal(size=1000)
    assert rg.jit(running)(x) == x.max()
    program = run_pipeline(OPTIMISE, traced(running, x).program, DEFAULT, check=True)
    machine = print_program(run_pipeline(MACHINE, program, DEFAULT, check=True))
    assert machine.count("for ") > print_program(program).count("for ")
    slopes = rg.grad(running)(np.array([1.0, 3.0, 3.0]))
    assert slopes.tolist() == [0.0, 0.5, 0.5]
