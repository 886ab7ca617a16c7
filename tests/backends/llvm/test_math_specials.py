"""Zeros, infinities, NaN, subnormals and the ends of the range give what NumPy gives."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from retrograd.backends.llvm.math.kernels import KERNELS
from tests.backends.llvm.math_harness import Compiled, compiled, numpy_value

LARGEST = float(np.finfo(np.float64).max)
MAGNITUDES = [
    0.0, 5e-324, 1e-310, 2.0**-1022, 1e-300, 1e-20, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 709.78,
    710.4, 745.13, 745.14, 2.0**30, 2.0**52 + 1, 2.0**53, 1e22, 1e155, 1e200, LARGEST, float("inf"),
]  # fmt: skip
SPECIALS = np.array([*MAGNITUDES, *(-m for m in MAGNITUDES), float("nan")])


@pytest.fixture(scope="module", params=[True, False], ids=["inline", "calls"])
def library(request: pytest.FixtureRequest) -> Compiled:
    return compiled(list(KERNELS), inline=request.param)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", list(KERNELS))
def test_special_values(name: str, library: Compiled) -> None:
    pairs = np.array(list(itertools.product(SPECIALS, SPECIALS)))
    args = (SPECIALS,) if KERNELS[name].arity == 1 else (pairs[:, 0].copy(), pairs[:, 1].copy())
    got, expected = library.over(name, *args), numpy_value(name, *args)
    exact = ~np.isfinite(expected) | (expected == 0.0)
    np.testing.assert_array_equal(got[exact], expected[exact])
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[number]), np.signbit(expected[number]))
    np.testing.assert_allclose(got[~exact], expected[~exact], rtol=2e-15, atol=1e-323)


@pytest.mark.parametrize(
    "name", ["sin", "tan", "arcsin", "arctan", "sinh", "tanh", "erf", "quantile"]
)
def test_odd_functions_are_odd(name: str, library: Compiled, rng: np.random.Generator) -> None:
    x = rng.uniform(-1.0, 1.0, 500)
    np.testing.assert_array_equal(library.over(name, -x), -library.over(name, x))


def test_exp_underflows_gradually(library: Compiled) -> None:
    values = library.over("exp", np.linspace(-740.0, -708.0, 1500))
    assert (np.diff(values) > 0.0).all()
    assert library.over("exp", np.array([-745.13, -745.14])).tolist() == [5e-324, 0.0]
