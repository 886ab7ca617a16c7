"""Calls of functions of linear algebra, in the notation of `rows`."""

from __future__ import annotations

__all__ = ["LINALG"]

LINALG = """
np.linalg.solve(m, w)
np.linalg.solve(g, d)
1 np.linalg.solve(gs, v)
1 np.linalg.solve(gs, q)
1 np.linalg.solve(q, gs)
1 np.linalg.solve(gs, gs + 1.0)
np.linalg.inv(g)
1 np.linalg.inv(gs)
np.linalg.det(g)
np.linalg.det(g * np.array([1.0, 1.0, 1.0, 0.0])) ! special
1 np.linalg.det(gs)
np.linalg.slogdet(g)
1 np.linalg.slogdet(gs)
sl.solve(g, w) ? rank0
1 sl.solve(g, d, transposed=True) ? rank0
1 sl.inv(g) ? rank0
1 sl.det(g) ? rank0
"""
