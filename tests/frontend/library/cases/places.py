"""Calls of orthogonal polynomials and rules, of graphs, of what is near, and of mixtures.

Lines as in `rows`; `sg` is `scipy.sparse.csgraph`, `sk` is `scipy.spatial`.
"""

from __future__ import annotations

__all__ = ["NEAR", "POLYNOMIALS"]

_OF_DEGREES = """
eval_legendre(n + 2, x)
eval_legendre([0, 1, 4], s)
eval_sh_legendre(3, x)
eval_chebyt(5, x)
eval_chebyt([0, 1, 4], s)
eval_chebyu(4, x)
eval_sh_chebyt(3, x)
eval_sh_chebyu(3, x)
eval_chebyc(3, x)
eval_chebys(3, x)
eval_hermite(n + 1, x)
eval_hermite([0, 1, 4], s)
eval_hermitenorm(4, x)
eval_laguerre(3, x)
eval_genlaguerre(n, s, x)
eval_genlaguerre([0, 1, 4], 0.3, s)
eval_gegenbauer(n + 1, 0.7, x)
eval_jacobi(n + 1, s, 0.3, x)
eval_jacobi([0, 1, 4], s, 0.3, 0.2)
"""
_OBJECTS = """
legendre(n + 2)(x)
sh_legendre(3)(x)
chebyt(4, monic=True)(x)
chebyu(3)(x)
sh_chebyt(3)(x)
sh_chebyu(2)(x)
hermite(n + 1)(x)
hermitenorm(3)(x)
laguerre(3)(x)
genlaguerre(3, s)(x)
gegenbauer(3, s)(x)
jacobi(3, s, 0.4)(x)
"""
_RULES = """
1 sp.roots_hermite(n + 3)[1] * s
1 sp.roots_hermitenorm(5)[0] * s
1 sp.roots_laguerre(4)[1] * s
1 sp.roots_genlaguerre(4, s)[0]
1 sp.roots_jacobi(4, s, 0.3)[1]
0 sp.roots_chebyt(n + 1)
0 sp.roots_chebyu(5, mu=True)
0 np.polynomial.hermite.hermgauss(n + 2)
0 np.polynomial.hermite_e.hermegauss(4)
0 np.polynomial.laguerre.laggauss(3)
0 np.polynomial.chebyshev.chebgauss(n)
np.polyval(sp.legendre(3), x)
np.polyint(v, 2, [s, 1.0]) ! rank0 norows nocolumns
np.polymul(np.poly1d(v), [1.0, s])(x) ! rank0 norows nocolumns special
np.polyder(np.poly1d(v))(x) ! rank0 norows nocolumns special
"""
_MEANINGLESS = " ! special nocolumns norows bools rank0 rank2 rank3"
_BASES = """
1 np.polynomial.hermite.hermval(s, x)
1 np.polynomial.hermite_e.hermeval(x, v)
1 np.polynomial.laguerre.lagval(x, v)
1 np.polynomial.polynomial.polyvalfromroots(s, x)
1 np.polynomial.polynomial.polyfromroots(x)
1 np.polynomial.polynomial.polypow(v, 3)
1 np.polynomial.chebyshev.chebder(x, 2)
1 np.polynomial.chebyshev.chebint(x, 2, [s, 1.0])
1 np.polynomial.chebyshev.chebadd(x, v)
1 np.polynomial.chebyshev.chebsub(x, v)
1 np.polynomial.legendre.legder(x)
1 np.polynomial.legendre.legint(x, lbnd=s)
1 np.polynomial.legendre.legadd(x, v)
1 np.polynomial.legendre.legsub(v, x)
1 np.polydiv(x, v)[0]
"""
_NO_LINES = " ! special empty nocolumns norows rank0 rank2 rank3 bools ints one"
_SETS = """
np.trim_zeros(np.where(x > 0.0, x, 0.0)) ! rank0 rank2 rank3 nocolumns norows ints
0 np.unique(np.round(a), axis=0, return_counts=True) ? bools ! special rank0
0 np.unique(np.round(a), True, True, axis=1) ? bools ! special rank0 rank1
np.setxor1d(x, x[2:]) ? bools ! rank0
0 np.unique_all(i).indices ? bools ! special
0 np.unique_counts(np.round(x)).counts ? bools ! special
0 np.unique_inverse(i).inverse_indices ? bools ! special
0 np.histogram_bin_edges(x, 3) ! special
1 np.cov(a, aweights=np.abs(w)) ! special rank0 rank1 rank3 nocolumns norows one
1 np.cov(a, fweights=[1, 2, 1, 3]) ! special rank0 rank1 rank3 nocolumns norows one
0 np.searchsorted(x, y, sorter=np.argsort(x)) ! special rank0 rank2 rank3 ints one empty
1 np.split(x, n)[0] ! rank0
1 np.array_split(a, 3, axis=1)[1] ! rank0 rank1
0 np.split(x, [1, 3])[1] ! rank0
"""
POLYNOMIALS = "\n".join((
    *(f"{line}{_NO_LINES}" for line in _BASES.strip().splitlines()),
    *_SETS.strip().splitlines(),
    *(f"1 sp.{line}{_MEANINGLESS}" for line in _OF_DEGREES.split("\n") if line),
    *(f"1 sp.{line}{_MEANINGLESS}" for line in _OBJECTS.split("\n") if line),
    *_RULES.strip().splitlines(),
))  # fmt: skip

NEAR = """
1 ss.freqz([0.2, s], [1.0, -0.3, 0.1], 5)[1].real
1 ss.freqz(v, worN=[0.1, 0.7], fs=3.0)[1].imag ! special ints bools empty rank0 rank2 rank3
1 ss.freqz_sos([[0.3, s, 0.1, 1.0, -0.2, 0.1], [1.0, s, 0.0, 1.0, 0.1, 0.0]], 4)[1].imag
1 ss.sosfreqz([[0.3, s, 0.1, 1.0, -0.2, 0.1]], worN=[0.2, 0.9])[1].real
1 ss.freqs([0.2, s], [1.0, 0.3], x)[1].real ! special ints bools empty rank0 rank2 rank3
1 ss.sosfilt_zi([[0.3, s, 0.1, 1.0, -0.2, 0.1], [1.0, s, 0.0, 1.0, 0.1, 0.0]])
1 ss.sosfilt([[0.3, s, 0.1, 1.0, -0.2, 0.1]], x, zi=[[s, 0.2]])[1] ! special empty rank0 rank2
1 sg.laplacian(np.abs(q)) ! special rank0 rank1 rank3 ints bools nocolumns norows
1 sg.laplacian(np.abs(m), normed=True) ! special rank0 rank1 rank3 ints bools one
0 sg.laplacian(np.array([[0, 2, 0], [1, 0, 0], [0, 0, 0]]), use_out_degree=True)
1 sg.floyd_warshall(np.abs(q)) ! special rank0 rank1 rank3 ints bools
1 sg.shortest_path(np.abs(m), directed=False, indices=1) ! special rank0 rank1 rank3 ints bools
0 sg.connected_components(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]))
1 sd.braycurtis(x, y)
1 sd.canberra(x, y, w=p)
1 sd.correlation(x, y)
1 sd.minkowski(x, y, 3)
1 sd.minkowski(x, y, 1.5, p)
1 sd.seuclidean(v, q[0], q[1] ** 2) ! one
1 sd.mahalanobis(v, q[0], q @ q.T)
1 sd.jensenshannon(p, np.abs(y), 2.0) ! rank0
0 sd.hamming(i, np.round(x))
0 sd.jaccard(t, x > 0.5)
0 sd.dice(t, x > 0.5)
0 sd.rogerstanimoto(t, x > 0.5)
0 sd.russellrao(t, x > 0.5)
0 sd.sokalsneath(t, x > 0.5)
0 sd.yule(t, x > 0.5)
1 sd.cdist(a, b, "minkowski", p=3)
1 sd.cdist(a, b, "correlation")
1 sd.pdist(a, "canberra") ! special
1 sd.cdist(q, q + 1.0, "seuclidean") ! special rank2 rank3 one rank0 rank1
1 sd.pdist(a, lambda one, other: np.max(one - other))
1 sk.distance_matrix(a, b, 3) ! rank0 rank1 rank3 one bools
1 sk.minkowski_distance(a, b)
1 sk.KDTree(a).query(b)[0] ! empty nocolumns norows rank0 rank1 rank3
1 sk.cKDTree(a).query(b[0] + 0.01, k=2)[0] ! empty nocolumns norows rank0 rank1 rank3
0 sk.KDTree(a).query(b, k=2)[1] ! empty nocolumns norows rank0 rank1 rank3
0 sk.KDTree(a).query_ball_point(b, 1.5, return_length=True) ! empty nocolumns norows rank0
1 sip.griddata(xs, y, a, fill_value=s) ! special one
1 st.gaussian_kde(x)(a[0]) ! special one
1 st.gaussian_kde(a[:2], s, np.abs(w)).logpdf(b[:2]) ! special one bools ints
1 st.gaussian_kde(x, "silverman").integrate_box_1d(-1.0, s) ! special one
0 st.binom.ppf(p, 10, 0.3)
0 st.binom.isf(p, 10, 0.3, 2)
1 st.binom.sf(i, 10, p)
0 st.poisson.ppf(p, 3.5)
0 st.poisson.isf(p, 3.5)
0 st.nbinom.ppf(p, 4, 0.3)
0 st.nbinom.isf(p, 4, 0.3)
1 st.nbinom.sf(i, 4, p)
0 st.geom.ppf(p, 0.3)
0 st.geom.isf(p, 0.3)
0 st.bernoulli.ppf(p, 0.3)
0 st.bernoulli.isf(p, 0.3)
1 st.bernoulli.cdf(i, p)
1 st.bernoulli.sf(i, p)
0 st.binom.median(10, p)
0 st.binom.interval(0.9, 10, p)
0 st.poisson.median(3.0 + p) ! special
0 st.poisson.interval(0.9, 3.0 + p) ! special
0 st.nbinom.median(4, 0.3)
0 st.nbinom.interval(0.9, 4, 0.3)
0 st.geom.median(0.3)
0 st.geom.interval(0.9, 0.3)
0 st.bernoulli.median(0.3)
0 st.bernoulli.interval(0.9, 0.3)
1 st.bernoulli.logcdf(i, 0.2 + 0.5 * p)
1 st.bernoulli.logsf(0, 0.2 + 0.5 * p)
1 st.binom.logsf(i, 10, 0.2 + 0.5 * p)
1 st.nbinom.logsf(i, 4, 0.2 + 0.5 * p)
1 st.ncx2.logpdf(p + 0.1, 3.0, s) ! special
1 st.ncx2.pdf(p + 0.1, 3.0 + s, 1.5) ! special
1 st.ncx2.cdf(p + 0.1, 3.0, s) ! special
1 st.ncx2.sf(p + 0.1, 3.0, s) ! special
1 st.ncx2.logcdf(p + 0.1, 3.0, s) ! special
1 st.ncx2.logsf(p + 0.1, 3.0, s) ! special
1 st.ncf.logpdf(p + 0.1, 3.0, 5.0, s) ! special
1 st.ncf.pdf(p + 0.1, 3.0, 5.0, s) ! special
1 st.ncf.cdf(p + 0.1, 3.0, 5.0, s) ! special
1 st.ncf.sf(p + 0.1, 3.0, 5.0, s) ! special
0 st.hypergeom.logpmf(i, 20, 7, 12)
0 st.hypergeom.pmf(i, 20, 7, 12)
0 st.hypergeom.cdf(i, 20, 7, 12)
0 st.hypergeom.sf(i, 20, 7, 12)
"""
