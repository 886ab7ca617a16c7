"""The ends of generalised extreme values with a small shape were infinite."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats as st

import retrograd as rg


@pytest.mark.parametrize("shape", [5e-4, -5e-4, 1e-9, 0.2, -0.2, 0.0])
def test_quantiles_of_nothing_and_all(shape: float) -> None:
    quantile = rg.jit(lambda q, c: st.genextreme.ppf(q, c))
    for q in (0.0, 1.0, 0.3):
        assert np.isclose(quantile(q, shape), st.genextreme.ppf(q, shape), rtol=1e-9)
