"""Programs with complex numbers as people write them: values, and gradients by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.complex_programs import CASES
from tests.frontend.harness import interpreted

_ROUGH = ("while_conv",)
"""What multiplies rounding by a million."""


_QUICK = [(f, p) for f, p in CASES if "fft" not in f.__code__.co_names]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("f", "p"), _QUICK, ids=[f.__name__ for f, _ in _QUICK])
def test_values_are_those_of_python(f: Any, p: Any) -> None:
    p = np.asarray(p, float)
    assert interpreted(f, p) == pytest.approx(f(p), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("f", "p"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_gradients_are_those_of_differences(f: Any, p: Any) -> None:
    p = np.asarray(p, float)
    value, slope = rg.value_and_grad(f)(p)
    assert value == pytest.approx(f(p), rel=1e-12)
    moved = [f(p + h) - f(p - h) for h in 1e-6 * np.eye(len(p))]
    near = 1e-4 if f.__name__ in _ROUGH else 1e-7
    np.testing.assert_allclose(slope, np.array(moved) / 2e-6, rtol=1e-6, atol=near)
