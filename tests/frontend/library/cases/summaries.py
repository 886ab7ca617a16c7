"""Calls of functions of SciPy's that describe samples, and of distances.

Lines as in `rows`: `st` is `scipy.stats`, `sd` is `scipy.spatial.distance`.
"""

from __future__ import annotations

__all__ = ["COUNTING", "DISTANCES", "GROUPS", "LAWS", "SUMMARIES"]

SUMMARIES = """
1 st.gmean(p)
1 st.gmean(np.abs(a), axis=1)
1 st.gmean(p, weights=np.abs(x)) ! one rank0
1 st.hmean(p)
1 st.hmean(np.abs(a), axis=None)
1 st.moment(x, 3)
1 st.moment(a, 2, axis=1)
1 st.skew(x)
1 st.skew(a, axis=1, bias=False)
1 st.kurtosis(x)
1 st.kurtosis(a, axis=None, fisher=False)
1 st.kurtosis(x, bias=False)
1 st.sem(x)
1 st.sem(a, axis=1, ddof=0)
1 st.variation(x)
1 st.variation(a, axis=1, ddof=1)
1 st.zscore(x)
1 st.zscore(a, axis=1, ddof=1)
1 st.zscore(a, axis=None)
1 st.iqr(x) ! empty nocolumns norows bools
1 st.iqr(a, axis=1, rng=(20, 70), scale="normal") ! nocolumns
1 st.median_abs_deviation(x)
1 st.median_abs_deviation(a, axis=1, scale="normal")
1 st.entropy(p) ! bools
1 st.entropy(np.abs(a), np.abs(b), base=2.0, axis=1) ! empty norows nocolumns rank0 bools
1 st.pearsonr(x, y).statistic ! special one
1 st.pearsonr(x, y)[1] ! special one
1 (lambda found: found.slope * 2.0 + found.intercept)(st.linregress(x, y)) ! special one
1 st.linregress(x, y).rvalue ! special one
1 st.linregress(x, y).pvalue ! special one
1 st.linregress(x, y).stderr ! special one
1 st.scoreatpercentile(x, 30) ! empty nocolumns norows
"""

DISTANCES = """
1 sd.euclidean(x, y)
1 sd.euclidean(x, y, p)
1 sd.sqeuclidean(x, y)
1 sd.cityblock(x, y, p)
1 sd.chebyshev(x, y)
1 sd.cosine(x, y)
1 sd.cdist(a, b)
1 sd.cdist(a, b, "cityblock")
1 sd.pdist(m)
1 sd.pdist(a, metric="sqeuclidean")
1 sd.pdist(a, "cosine")
1 sd.squareform(x) ! rank0
1 sd.squareform(np.abs(q + q.T) - np.diag(np.diag(np.abs(q + q.T)))) ! rank0
"""

COUNTING = """
1 sl.block_diag(a, q, v) ? rank3
1 sl.block_diag(x) ? rank3
1 sl.toeplitz(v, x) ? rank2 rank3 nocolumns norows ints
1 sl.toeplitz(x) ? rank2 rank3 nocolumns norows ints
1 sp.binom(3.0 + s, p) ! special
1 sp.binom(5, x) ! special
1 sp.rgamma(x)
1 sp.exp10(x)
1 sp.sindg(x * 90.0)
1 sp.cosdg(x * 90.0)
1 sp.tandg(x * 20.0)
1 sp.radian(x, 3.0, s)
1 sp.huber(s, x)
1 sp.pseudo_huber(s, x) ! special
1 sp.exprel(x) ! special
1 sp.inv_boxcox(p, s)
0 sp.comb(7, n)
0 sp.comb(n + 5, 2, exact=True)
1 sp.comb(x * 2.0 + 3.0, p)
0 sp.comb(i + 5, n) ? special
0 sp.bernoulli(6)
1 x[:6] * np.arange(6, None)
1 np.asfortranarray(a)
"""

LAWS = """
1 st.laplace.logpdf(x, s, 2.0)
1 st.laplace.pdf(x, scale=p)
1 st.laplace.cdf(x, s)
1 st.laplace.sf(x, s)
1 st.laplace.ppf(p, s, 2.0)
1 st.laplace.isf(p, s)
1 st.logistic.logpdf(x, s, 2.0)
1 st.logistic.pdf(x, s)
1 st.logistic.cdf(x, scale=s)
1 st.logistic.sf(x)
1 st.logistic.ppf(p, s)
1 st.logistic.isf(p, s)
1 st.cauchy.logpdf(x, s)
1 st.cauchy.pdf(x, scale=s)
1 st.cauchy.cdf(x, s)
1 st.cauchy.sf(x, s)
1 st.cauchy.ppf(p, s)
1 st.cauchy.isf(p, s)
1 st.gumbel_r.logpdf(x, s)
1 st.gumbel_r.pdf(x, s)
1 st.gumbel_r.cdf(x, s)
1 st.gumbel_r.sf(x, s)
1 st.gumbel_r.ppf(p, s)
1 st.gumbel_r.isf(p, s)
1 st.rayleigh.logpdf(x, loc=-2.5)
1 st.rayleigh.pdf(x, loc=-0.5)
1 st.rayleigh.cdf(x, loc=-0.5)
1 st.rayleigh.sf(x, loc=-0.5)
1 st.rayleigh.ppf(p, scale=s)
1 st.rayleigh.isf(p, scale=s)
1 st.halfcauchy.logpdf(x, loc=-2.5)
1 st.halfcauchy.pdf(x, loc=-0.5)
1 st.halfcauchy.cdf(x, loc=-0.5)
1 st.halfcauchy.sf(x, loc=-0.5)
1 st.halfcauchy.ppf(p, scale=s)
1 st.halfcauchy.isf(p, scale=s)
1 st.gumbel_l.logpdf(x, loc=-0.5)
1 st.gumbel_l.pdf(x, loc=-0.5)
1 st.gumbel_l.cdf(x, loc=-0.5)
1 st.gumbel_l.sf(x, loc=-0.5)
1 st.gumbel_l.ppf(p, scale=s)
1 st.gumbel_l.isf(p, scale=s)
1 st.maxwell.logpdf(x, loc=-2.5)
1 st.maxwell.pdf(x, loc=-0.5)
1 st.maxwell.cdf(x, loc=-0.5)
1 st.maxwell.sf(x, loc=-0.5)
1 st.maxwell.ppf(p, scale=s)
1 st.maxwell.isf(p, scale=s)
1 st.invgamma.logpdf(x, 1.7, loc=-2.5)
1 st.invgamma.pdf(x, 1.7, loc=-0.5)
1 st.invgamma.cdf(x, 1.7, loc=-0.5)
1 st.invgamma.sf(x, 1.7, loc=-0.5)
1 st.invgamma.ppf(p, 1.7, scale=s)
1 st.invgamma.isf(p, 1.7, scale=s)
1 st.genextreme.logpdf(x, 0.3, loc=-0.5)
1 st.genextreme.pdf(x, 0.3, loc=-0.5)
1 st.genextreme.cdf(x, 0.3, loc=-0.5)
1 st.genextreme.sf(x, 0.3, loc=-0.5)
1 st.genextreme.ppf(p, 0.3, scale=s)
1 st.genextreme.isf(p, 0.3, scale=s)
1 st.truncnorm.logpdf(x, -3.0, s + 2.5, loc=-0.5)
1 st.truncnorm.pdf(x, -1.0, s, loc=-0.5)
1 st.truncnorm.cdf(x, -1.0, s, loc=-0.5)
1 st.truncnorm.sf(x, -1.0, s, loc=-0.5)
1 st.truncnorm.ppf(p, -1.0, s, scale=s)
1 st.truncnorm.isf(p, -1.0, s, scale=s)
1 st.truncnorm.logpdf(p, 0.5, 3.0, -s)
0 st.truncnorm.ppf(p, 1.0, np.inf)
1 st.genextreme.logpdf(x, 0.0, s)
1 st.genpareto.logpdf(x, 0.3, loc=-2.5)
1 st.genpareto.pdf(x, 0.3, loc=-2.5)
1 st.genpareto.cdf(x, 0.3, loc=-2.5)
1 st.genpareto.sf(x, 0.3, loc=-2.5)
1 st.genpareto.ppf(p, 0.3, scale=s)
1 st.genpareto.isf(p, 0.3, scale=s)
1 st.loguniform.logpdf(p, 0.2, s + 2.5, loc=-0.3)
1 st.loguniform.pdf(p, 0.2, s + 2.5, loc=-0.3)
1 st.loguniform.cdf(p, 0.2, s + 2.5, loc=-0.3)
1 st.loguniform.sf(p, 0.2, s + 2.5, loc=-0.3)
1 st.loguniform.ppf(p, 0.2, s + 2.5, scale=s)
1 st.loguniform.isf(p, 0.2, s + 2.5, scale=s)
1 st.reciprocal.logpdf(p, 0.2, s + 2.5, loc=-0.3)
1 st.reciprocal.pdf(p, 0.2, s + 2.5, loc=-0.3)
1 st.reciprocal.cdf(p, 0.2, s + 2.5, loc=-0.3)
1 st.reciprocal.sf(p, 0.2, s + 2.5, loc=-0.3)
1 st.reciprocal.ppf(p, 0.2, s + 2.5, scale=s)
1 st.reciprocal.isf(p, 0.2, s + 2.5, scale=s)
1 st.triang.logpdf(p, 0.3, loc=-0.13)
1 st.triang.pdf(p, 0.3, loc=-0.13)
1 st.triang.cdf(p, 0.3, loc=-0.13)
1 st.triang.sf(p, 0.3, loc=-0.13)
1 st.triang.ppf(p, 0.3, scale=s)
1 st.triang.isf(p, 0.3, scale=s)
1 st.genpareto.logpdf(p, 0.0, scale=s)
1 st.genpareto.sf(p, -0.4, scale=s)
1 st.halfnorm.logpdf(x, -2.0, s)
1 st.halfnorm.pdf(p, scale=s)
1 st.halfnorm.cdf(x, scale=s)
1 st.halfnorm.sf(x, scale=s)
1 st.halfnorm.ppf(p, s)
1 st.halfnorm.isf(p, s)
1 st.weibull_min.logpdf(p, 1.5, scale=s)
1 st.weibull_min.pdf(p, c=s + 1.0)
1 st.weibull_min.cdf(x, s)
1 st.weibull_min.sf(x, 2.0, scale=s)
1 st.weibull_min.ppf(p, s, scale=2.0)
1 st.pareto.logpdf(p, s, -1.0)
1 st.pareto.pdf(p, 2.0, -1.0, s)
1 st.pareto.cdf(x, s, scale=0.5)
1 st.pareto.sf(x, b=s, scale=0.5)
1 st.pareto.ppf(p, 2.0, scale=s)
1 st.f.logpdf(p, 3.0, 5.0, scale=s)
1 st.f.pdf(p, dfn=s + 2.0, dfd=4.0)
1 st.f.cdf(x, 3.0, 4.0, scale=s)
1 st.f.sf(x, 3.0, s)
1 st.binom.logpmf(i, 5, p)
1 st.binom.pmf(i, 3, s)
1 st.binom.cdf(i, 3, s)
1 st.nbinom.logpmf(i, 2.5, p)
1 st.nbinom.pmf(i, s, 0.4)
1 st.nbinom.cdf(i, 3, s)
1 st.geom.logpmf(i + 1, p)
1 st.geom.pmf(i + 1, s)
1 st.geom.cdf(i, s)
1 st.geom.sf(i, s)
1 st.bernoulli.logpmf(k - k // 2, s)
1 st.bernoulli.pmf(k, v * v / 5.0)
"""

GROUPS = """
1 np.partition(x, 3)[3] ! rank2 rank3 norows nocolumns ints
1 np.partition(a, -1, axis=0)[-1] ! rank3
0 np.partition(a, 1, axis=None)[1]
0 np.take(x, np.argpartition(x, 2)[2]) ! rank2 rank3 norows nocolumns ints
1 np.histogram2d(x, y, 3, weights=p) ! special
0 np.histogram2d(x, y) ! special
1 np.histogram2d(x, y, [2, 3], [[-1.0, 1.0], [-2.0, 2.0]], True, p) ! special
0 np.histogram2d(x, y, bins=[xs, 4]) ! special
0 np.histogram2d(x, y, xs) ! special
1 np.logaddexp.reduce(a, axis=1) ! rank0 bools
1 np.logaddexp.reduce(c, axis=-1, keepdims=True) ! rank0 bools
1 np.logaddexp.reduce(a, axis=None, keepdims=True) ! rank0 bools
1 np.subtract.reduce(a, axis=1) ! rank0 bools
1 np.add.reduceat(x, [0, 2, 1, 4]) ! bools
1 np.multiply.reduceat(a, [0, 2], axis=1) ! bools rank0
1 np.maximum.reduceat(x, k) ! special
"""
