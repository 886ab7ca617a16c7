"""Rows matched to columns: `scipy.optimize.linear_sum_assignment`.

D. F. Crouse, On implementing 2D rectangular assignment algorithms, IEEE Transactions on Aerospace
and Electronic Systems 52 (2016): shortest augmenting paths, in SciPy's order.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import constant
from retrograd.frontend.library.written_matching import matched

__all__ = ["linear_sum_assignment"]

np: Any = numpy


def linear_sum_assignment(cost_matrix: Any, maximize: Any = False) -> Any:
    cost = constant(np.asarray(cost_matrix) * 1.0)
    if cost.ndim != 2:
        raise ValueError("expected a matrix (2-D array)")
    if maximize:
        cost = -cost
    if np.any(np.logical_or(np.isnan(cost), cost == -np.inf)):
        raise ValueError("matrix contains invalid numeric entries")
    rows, columns = cost.shape
    if columns < rows:
        found = matched(cost.T.copy())
        order = np.argsort(found)
        return found[order], order
    return np.arange(rows), matched(cost)
