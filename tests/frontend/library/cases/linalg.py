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
1 np.linalg.cholesky(h) ! special
1 np.linalg.cholesky(h, upper=True) ! special
1 np.linalg.eigvalsh(h) ! special
1 np.linalg.eigvalsh(h, 'U') ! special
1 np.linalg.eigh(h) ! special
1 np.linalg.svd(d, full_matrices=False) ! special
1 np.linalg.svd(a, full_matrices=False) ! special
1 np.linalg.svd(c, compute_uv=False) ! special
1 np.linalg.svdvals(a) ! special
1 np.linalg.qr(d) ! special
1 np.linalg.qr(a) ! special
1 np.linalg.qr(c) ! special
1 np.linalg.qr(d, mode='r') ! special
1 np.linalg.pinv(d) ! special
1 np.linalg.pinv(c) ! special
1 np.linalg.lstsq(d, w)[0] ! special
1 np.linalg.lstsq(d, b.T) ! special
0 np.linalg.matrix_rank(d) ! special
0 np.linalg.matrix_rank(gs) ! special
1 np.linalg.cond(h) ! special
sl.solve(g, w) ? rank0
1 sl.solve(g, d, transposed=True) ? rank0
1 sl.inv(g) ? rank0
1 sl.det(g) ? rank0
"""
