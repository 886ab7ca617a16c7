"""Calls of functions of linear algebra, in the notation of `rows`."""

from __future__ import annotations

__all__ = ["LINALG"]

LINALG = """
np.linalg.solve(m, w)
np.linalg.solve(g, d)
np.linalg.solve(gs, v)
np.linalg.solve(gs, q)
np.linalg.solve(q, gs)
np.linalg.solve(gs, gs + 1.0)
sl.solve(h, w, assume_a='pos') ? rank0 one ! special ints bools
sl.solve(h, d, assume_a='pos', lower=True) ? rank0 one ! special ints bools
sl.solve(g, w, assume_a='sym') ? rank0 one ! special
sl.solve(g, d, lower=True, assume_a='symmetric') ? rank0 one ! special
sl.solve(g, w, assume_a='gen', transposed=True) ? rank0 one ! special
sl.solve(np.triu(g), w, assume_a='upper triangular') ! special rank0
sl.solve(np.tril(g), d, assume_a='lower triangular', transposed=True) ! special rank0
sl.solve(np.diag(w), d, assume_a='diagonal') ! special rank0
sl.lstsq(d, w)[0] ! special
sl.lstsq(d, b.T)[:2] ! special
sl.lstsq(a, v)[0] ? rank3 ! special
np.linalg.cross(q, v)
np.linalg.outer(x, y)
np.linalg.diagonal(c)
np.linalg.trace(c, offset=1)
np.linalg.vecdot(a, b)
np.linalg.matmul(a, d)
np.linalg.matrix_transpose(c)
np.linalg.tensordot(a, d, axes=1)
np.roots(np.array([1.0, -3.5, 1.25, 2.5, -1.0]) + 0.01 * np.append(v, [s, s]))
0 np.roots([0.0, 2.0, -3.0, 1.0, 0.0])
np.polyfit(xs, x, 2) ! special
np.polyfit(xs, x, 3, w=p + 0.1) ! special
np.polyfit(xs, np.stack([x, y]).T, 1) ! special
np.polyfit(xs, x, 1, cov=True) ! special
1 np.polyfit(xs, y, 1, full=True) ! special
1 np.linalg.eig(np.triu(g))
1 sl.eig(np.triu(g))[1] ? rank0 ! bools
np.linalg.inv(g)
1 np.linalg.inv(gs)
np.linalg.det(g)
np.linalg.det(g * np.array([1.0, 1.0, 1.0, 0.0])) ! special
1 np.linalg.det(gs)
np.linalg.slogdet(g)
1 np.linalg.slogdet(gs)
np.linalg.cholesky(h) ! special
1 np.linalg.cholesky(h, upper=True) ! special
1 np.sum(np.linalg.eigvals(g).real ** 2) ? rank3 ! special
1 np.max(np.abs(np.linalg.eigvals(m))) ? rank3 ! special
1 np.sum(np.abs(sl.eigvals(g)) ** 3) ? rank0 rank3 ! special
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
1 np.linalg.norm(a, 2) ! special
1 np.linalg.norm(d, -2) ! special
1 np.linalg.norm(a, 'nuc') ! special
1 np.linalg.norm(a, -1)
1 np.linalg.norm(c, 'fro', axis=(0, 2))
1 np.linalg.norm(c, 2, axis=(2, 1), keepdims=True) ! special
1 np.linalg.norm(c, np.inf, axis=(1, 2))
np.linalg.matrix_norm(c) ! special
np.linalg.matrix_power(g, 5) ! special
1 np.linalg.matrix_power(g, -3) ! special
0 np.linalg.matrix_power(gs, 2) ! special
np.linalg.multi_dot((d, a, w)) ? rank3 rank2
1 np.linalg.multi_dot([a, d, a]) ? rank3
0 sl.sqrtm(h) ? rank0 one reversed
1 sl.sqrtm(q @ q.T) ! rank1 one rank2
1 sl.cholesky(h) ? rank0
1 sl.cholesky(h, lower=True) ? rank0
1 sl.cho_factor(h)[0] ? rank0
1 sl.cho_solve(sl.cho_factor(h), w) ? rank0
1 sl.cho_solve(sl.cho_factor(h, lower=True), d) ? rank0
sl.solve_triangular(g, w, lower=True) ? rank0
1 sl.solve_triangular(g, d, trans='T', unit_diagonal=True) ? rank0
1 sl.lu_factor(g)[0] ? rank0 one bools rank1 empty rank2 nocolumns norows rank3 ints
1 sl.lu_solve(sl.lu_factor(g), w) ? rank0
1 sl.lu_solve(sl.lu_factor(g), d, trans=1) ? rank0
1 sl.eigvalsh(h) ? rank0
1 sl.eigvalsh(h, h + np.eye(4)) ? rank0
1 np.abs(sl.eigh(h)[1]) ? rank0
1 sl.svd(d, full_matrices=False) ? rank0 rank3
1 sl.svdvals(a) ? rank0 rank3
1 sl.qr(d, mode='economic') ? rank0 rank3
1 sl.pinvh(h) ? rank0 rank3 ! special empty
1 sl.pinv(d) ? rank0 rank3
1 sl.expm(g) ? rank0 one
1 sl.expm(m * 0.01) ? rank0 one
1 sl.expm_frechet(g * 0.3, m * 5.0) ? rank0 ! special
1 sl.lu(g) ? rank0 empty rank2 nocolumns norows rank3 ints ! special
1 sl.sqrtm(g + 2.0 * np.eye(4)) ? rank2 rank3 reversed ! special one empty rank1
1 sl.logm(g + 2.0 * np.eye(4)) ? rank2 rank3 reversed ! special one empty rank1
1 sl.logm(h) ? rank0 one reversed ! special
1 sl.solve_discrete_are(0.3 * g, d, h + h.T, np.eye(3)) ? rank0 empty nocolumns norows ! special
1 sl.solve_continuous_are(0.3 * g, d, h + h.T, np.eye(3)) ? rank0 empty nocolumns norows ! special
1 np.abs(sl.orth(d)) ! special empty nocolumns norows rank3
0 np.abs(sl.null_space(h @ (np.eye(4) - 0.25))) ! special empty nocolumns norows rank2 rank3
1 sl.polar(g) ? rank2 rank3 ! special
1 sl.polar(d, 'left') ? rank2 rank3 ! special
1 sl.polar(a) ? rank2 rank3 ! special
1 sl.solve_sylvester(g, q + 4.0 * np.eye(3), d) ? rank0 empty nocolumns norows ! special
1 sl.solve_banded((1, 1), d.T, w)
1 sl.solve_banded((2, 0), d.T, m)
1 st.multivariate_normal.logpdf(w, w + 1.0, h)
1 st.multivariate_normal.logpdf(m, cov=h) ? one rank0 rank3
1 st.multivariate_normal.pdf(v, v * 0.5, np.abs(v)) ! empty one special
1 st.multivariate_normal.logpdf(x, s, 2.0) ? rank2 rank3 nocolumns norows ints ! one
sl.solve(g, w) ? rank0
1 sl.solve(g, d, transposed=True) ? rank0
1 sl.inv(g) ? rank0
1 sl.det(g) ? rank0
"""
