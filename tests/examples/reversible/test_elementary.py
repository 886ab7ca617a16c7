"""Elementary functions: values, what is restored, and gradients."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from examples.reversible.elementary import Case, cases, length, main, pairs, size_of


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_case(case: Case) -> None:
    expected = case.result if isinstance(case.result, tuple) else (case.result,)
    assert size_of(case.ends()[: len(expected)], expected) < 1e-13
    assert rg.check_inverse(case.function, *case.args, atol=1e-13).ok
    if case.gradient is not None:
        restored, slope = case.slopes()
        assert size_of(restored, case.args) < 1e-13
        assert size_of(slope, case.gradient) < 1e-13


def test_fibonacci_before_the_beginning() -> None:
    assert rg.inverse(pairs)(0, 1, 5) == (5, -3)


def test_a_pullback_of_ones_own() -> None:
    x = np.array([1.0, -2.0, 2.0])
    assert length(x) == 3.0
    np.testing.assert_allclose(rg.grad(length)(x), x / 3.0, rtol=1e-14)
    np.testing.assert_allclose(rg.grad(lambda x: length(x) ** 2)(x), 2.0 * x, rtol=1e-14)


def test_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    assert "Fibonacci" in capsys.readouterr().out


def test_a_size_is_the_largest() -> None:
    assert size_of((np.array([1.0, 2.0]), 0.0), (np.array([1.0, 5.0]), 1.0)) == 3.0
