"""The second derivative of `np.logaddexp` of two equal numbers was 0, that of infinities nan."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import retrograd as rg


@pytest.mark.parametrize(("fun", "unit"), [(np.logaddexp, 1.0), (np.logaddexp2, np.log(2.0))])
def test_equal_numbers_have_second_derivatives(fun: Any, unit: float) -> None:
    hessian = rg.hessian(lambda v: fun(v[0], v[1]))(np.array([1.3, 1.3]))
    assert hessian == pytest.approx(0.25 * unit * np.array([[1.0, -1.0], [-1.0, 1.0]]))
    assert rg.jit(lambda a: fun(a, a))(0.7) == fun(0.7, 0.7)


def test_what_is_impossible_has_no_influence() -> None:
    def chances(x: Any) -> Any:
        a = np.full(3, -np.inf)
        a[0] = x[0]
        b = np.full(3, -np.inf)
        for s in range(3):
            b[s] = np.logaddexp(a[s], a[s - 1] if s > 0 else -np.inf)
        return np.logaddexp.reduce(b) + x[1]

    assert rg.grad(chances)(np.array([0.1, 0.2])).tolist() == [1.0, 1.0]
    rows = np.array([[-np.inf, -np.inf], [0.0, -np.inf]])
    found = rg.grad(lambda a: logsumexp(a, axis=1)[1])(rows)
    assert found.tolist() == [[0.0, 0.0], [1.0, 0.0]]
