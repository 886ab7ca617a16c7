"""A sparse product and its adjoint, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from examples.reversible.sparse_product import ADJOINT, PRODUCT, data, dot, main, product


def test_product_and_adjoint() -> None:
    a, (y, *rest) = data(30, 0.2)
    PRODUCT(y, *rest)
    np.testing.assert_allclose(y, a @ rest[-1], rtol=1e-12)
    assert rg.check_inverse(product, y, *rest, atol=1e-14).ok
    y_bar, zero = np.linspace(-1.0, 1.0, 30), np.zeros(30)
    _, bars = ADJOINT(y, *rest, y_bar, np.zeros_like(a.data), zero)
    np.testing.assert_allclose(bars[2], a.T @ y_bar, rtol=1e-12)


def test_dot() -> None:
    a, b = np.arange(3.0), np.array([2.0, -1.0, 0.5])
    assert dot(1.0, a, b) == 1.0 + a @ b
    assert rg.inverse(dot)(1.0 + a @ b, a, b) == 1.0
    for found, expected in zip(rg.grad(dot, argnums=(0, 1, 2))(0.0, a, b), (1, b, a), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick"])
    assert "times as long" in capsys.readouterr().out
