"""Calls of quantiles and of what follows from other methods of distributions.

Lines as in `rows`.
"""

from __future__ import annotations

__all__ = ["QUANTILES"]

QUANTILES = """
sp.gammaincinv(s, p)
1 sp.gammainccinv(p + 0.1, s)
1 sp.betaincc(s, 2.0, p)
sp.betaincinv(s, 2.0, p)
1 sp.betainccinv(p + 0.1, s, 0.3)
sp.stdtrit(s + 1.0, p) ! ints bools
1 sp.chdtr(s, p)
1 sp.chdtrc(s, p)
1 sp.chdtri(s, p)
1 sp.fdtr(3.0, s, p)
1 sp.fdtrc(3.0, s, p)
1 sp.fdtri(3.0, s, p) ! special
sp.exp1(p) ! bools
1 sp.exp1(p * 20.0)
sp.expi(x) ! bools
1 sp.expi(p * 90.0)
1 sp.erfcx(x * 2.0)
0 sp.erfcx(np.abs(x) * 20.0)
sp.zeta(p + 1.2, s) ! special rank1 rank2 rank3 one
1 sp.zeta(p + 1.2) ! rank1 rank2 rank3 one
sp.dawsn(x)
1 sp.dawsn(x * 6.0)
sp.fresnel(x)
1 sp.fresnel(x * 2.0)
sp.voigt_profile(x, np.abs(y), s) ! special
1 sp.voigt_profile(x, 0.0, s) ! special
1 sp.wofz(x + 1j * y).real ! special rank2 rank3 empty one nocolumns norows ints
1 sp.hyp2f1(s, p, 2.3, x * 0.4) ! special
1 sp.hyp2f1(1.2, -x, 2.0 + p, -3.0) ! special ints
1 sp.hyp1f1(s, 1.5 + p, x) ! special ints
0 sp.hyp2f1([0.5, -2.0, 1.5, 1.0], [0.5, 3.0, 1.0, 2.0], [2.0, 4.0, 2.0, 3.0], 1.0)
0 sp.gammasgn(x)
1 sp.loggamma(p)
1 sp.poch(p, s) ! rank1 rank2 rank3 special ints bools one
1 sp.multigammaln(p + 2.0, 3) ! special ints bools
1 st.t.ppf(p, s, 1.0, 2.0)
1 st.t.isf(p, df=s)
1 st.t.interval(s, 4.0, scale=2.0)[0]
1 st.t.logsf(x, s)
1 st.t.logcdf(x, s)
1 st.t.mean(p + 1.5)
1 st.t.var(p + 2.0)
1 st.gamma.ppf(p, s, scale=2.0)
1 st.gamma.isf(p, a=s)
1 st.gamma.logsf(p, s)
1 st.gamma.logcdf(p, s)
1 st.gamma.median(s)
1 st.gamma.mean(p, 1.0, s)
1 st.gamma.std(p, scale=s)
1 st.beta.ppf(p, s, 2.0)
1 st.beta.isf(p, s, 2.0, scale=3.0)
1 st.beta.logsf(p, s, 2.0)
1 st.beta.mean(p, s)
1 st.beta.var(p, b=s)
1 st.chi2.ppf(p, s)
1 st.chi2.isf(p, s)
1 st.f.ppf(p, 3.0, s + 1.0) ! special
1 st.f.isf(p, 3.0, s + 1.0) ! special
1 st.uniform.isf(p, s)
1 st.uniform.logcdf(p, -0.1)
1 st.uniform.std(scale=p)
1 st.lognorm.isf(p, s)
1 st.lognorm.mean(p) ! bools
1 st.lognorm.var(s, scale=p)
1 st.weibull_min.isf(p, s)
1 st.weibull_min.mean(p + 0.5)
1 st.weibull_min.var(s + 0.5)
1 st.pareto.isf(p, s)
1 st.pareto.mean(p + 1.5)
1 st.norm.median(x, s)
1 st.norm.interval(p, s)[1] ! special rank1 rank2 rank3 ints
1 st.norm.std(x, p) ! special
1 st.expon.logcdf(p)
1 st.expon.logsf(p)
1 st.laplace.var(s, p)
1 st.logistic.std(s, p)
1 st.gumbel_r.mean(x, s)
1 st.halfnorm.var(x, p) ! special
1 st.binom.logcdf(i, 5, s)
1 st.binom.var(5, p)
1 st.binom.mean(5, p)
1 st.poisson.logsf(i, s)
1 st.poisson.mean(p)
1 st.poisson.std(p, 2)
1 st.geom.mean(p)
1 st.geom.var(p)
1 st.nbinom.mean(3, p)
1 st.bernoulli.var(p)
1 st.norm.mean(scale=p)
1 st.norm.var(scale=p)
1 st.t.median(s + 2.5, scale=s)
1 st.t.std(s + 2.5, scale=p)
1 st.gamma.interval(s, s, scale=2.0)[1]
1 st.gamma.var(s, scale=p)
1 st.beta.logcdf(p, s, 2.0)
1 st.beta.median(s, 2.0, scale=s)
1 st.beta.interval(s, s, 2.0, scale=2.0)[1]
1 st.beta.std(s, 2.0, scale=p)
1 st.poisson.logcdf(i, s)
1 st.poisson.var(p)
1 st.expon.median(scale=s)
1 st.expon.interval(s, scale=2.0)[1]
1 st.expon.mean(scale=p)
1 st.expon.var(scale=p)
1 st.expon.std(scale=p)
1 st.uniform.logsf(p)
1 st.uniform.median(scale=s)
1 st.uniform.interval(s, scale=2.0)[1]
1 st.uniform.mean(scale=p)
1 st.uniform.var(scale=p)
1 st.lognorm.logcdf(p, s)
1 st.lognorm.logsf(p, s)
1 st.lognorm.median(s, scale=s)
1 st.lognorm.interval(s, s, scale=2.0)[1]
1 st.lognorm.std(s, scale=p)
1 st.chi2.logcdf(p, s)
1 st.chi2.logsf(p, s)
1 st.chi2.median(s, scale=s)
1 st.chi2.interval(s, s, scale=2.0)[1]
1 st.chi2.mean(s, scale=p)
1 st.chi2.var(s, scale=p)
1 st.chi2.std(s, scale=p)
1 st.laplace.logcdf(x)
1 st.laplace.logsf(x)
1 st.laplace.median(scale=s)
1 st.laplace.interval(s, scale=2.0)[1]
1 st.laplace.mean(scale=p)
1 st.laplace.std(scale=p)
1 st.logistic.logcdf(x)
1 st.logistic.logsf(x)
1 st.logistic.median(scale=s)
1 st.logistic.interval(s, scale=2.0)[1]
1 st.logistic.mean(scale=p)
1 st.logistic.var(scale=p)
1 st.cauchy.logcdf(x)
1 st.cauchy.logsf(x)
1 st.cauchy.median(s, 2.0)
1 st.cauchy.interval(s, scale=2.0)[1]
1 st.gumbel_r.logcdf(x)
1 st.gumbel_r.logsf(x)
1 st.gumbel_r.median(scale=s)
1 st.gumbel_r.interval(s, scale=2.0)[1]
1 st.gumbel_r.var(scale=p)
1 st.gumbel_r.std(scale=p)
1 st.rayleigh.logcdf(p, -0.5)
1 st.rayleigh.logsf(p, -0.5)
1 st.rayleigh.median(scale=s)
1 st.rayleigh.interval(s, scale=2.0)[1]
1 st.halfcauchy.logcdf(p, -0.5)
1 st.halfcauchy.logsf(p, -0.5)
1 st.halfcauchy.median(scale=s)
1 st.halfcauchy.interval(s, scale=2.0)[1]
1 st.gumbel_l.logcdf(p, -0.5)
1 st.gumbel_l.logsf(p, -0.5)
1 st.gumbel_l.median(scale=s)
1 st.gumbel_l.interval(s, scale=2.0)[1]
1 st.maxwell.logcdf(p, -0.5)
1 st.maxwell.logsf(p, -0.5)
1 st.maxwell.median(scale=s)
1 st.maxwell.interval(s, scale=2.0)[1]
1 st.invgamma.logcdf(p, 1.7, -0.5)
1 st.invgamma.logsf(p, 1.7, -0.5)
1 st.invgamma.median(1.7, scale=s)
1 st.invgamma.interval(s, 1.7, scale=2.0)[1]
1 st.genextreme.logcdf(p, 0.3, -0.5)
1 st.genextreme.logsf(p, 0.3, -0.5)
1 st.genextreme.median(0.3, scale=s)
1 st.genextreme.interval(s, 0.3, scale=2.0)[1]
1 st.truncnorm.logcdf(p, -1.0, 2.0, -0.5)
1 st.truncnorm.logsf(p, -1.0, 2.0, -0.5)
1 st.truncnorm.median(-1.0, 2.0, scale=s)
1 st.truncnorm.interval(s, -1.0, 2.0, scale=2.0)[1]
1 st.genpareto.logcdf(p, 0.3, -0.13)
1 st.genpareto.logsf(p, 0.3, -0.13)
1 st.genpareto.median(0.3, scale=s)
1 st.genpareto.interval(s, 0.3, scale=2.0)[1]
1 st.genpareto.mean(0.4 * p, 0.5, s)
1 st.genpareto.var(0.4 * p, scale=s)
1 st.genpareto.std(0.4 * p, scale=s)
1 st.loguniform.logcdf(p, 0.2, 2.5, -0.13)
1 st.loguniform.logsf(p, 0.2, 2.5, -0.13)
1 st.loguniform.median(0.2, 2.5, scale=s)
1 st.loguniform.interval(s, 0.2, 2.5, scale=2.0)[1]
1 st.loguniform.mean(0.2, p + 2.5, 0.5, s) ! special
1 st.loguniform.var(0.2, p + 2.5, scale=s) ! special
1 st.loguniform.std(0.2, p + 2.5, scale=s) ! special
1 st.reciprocal.logcdf(p, 0.2, 2.5, -0.13)
1 st.reciprocal.logsf(p, 0.2, 2.5, -0.13)
1 st.reciprocal.median(0.2, 2.5, scale=s)
1 st.reciprocal.interval(s, 0.2, 2.5, scale=2.0)[1]
1 st.reciprocal.mean(0.2, p + 2.5, 0.5, s) ! special
1 st.reciprocal.var(0.2, p + 2.5, scale=s) ! special
1 st.reciprocal.std(0.2, p + 2.5, scale=s) ! special
1 st.triang.logcdf(p, 0.3, -0.13)
1 st.triang.logsf(p, 0.3, -0.13)
1 st.triang.median(0.3, scale=s)
1 st.triang.interval(s, 0.3, scale=2.0)[1]
1 st.triang.mean(0.4 * p, 0.5, s)
1 st.triang.var(0.4 * p, scale=s)
1 st.triang.std(0.4 * p, scale=s)
1 st.halfnorm.logcdf(p)
1 st.halfnorm.logsf(p)
1 st.halfnorm.median(scale=s)
1 st.halfnorm.interval(s, scale=2.0)[1]
1 st.halfnorm.mean(scale=p)
1 st.halfnorm.std(scale=p)
1 st.weibull_min.logcdf(p, s)
1 st.weibull_min.logsf(p, s)
1 st.weibull_min.median(s, scale=s)
1 st.weibull_min.interval(s, s, scale=2.0)[1]
1 st.weibull_min.std(s, scale=p)
1 st.pareto.logcdf(p + 1.1, s)
1 st.pareto.logsf(p + 1.1, s)
1 st.pareto.median(s + 2.5, scale=s)
1 st.pareto.interval(s, s + 2.5, scale=2.0)[1]
1 st.pareto.var(s + 2.5, scale=p)
1 st.pareto.std(s + 2.5, scale=p)
1 st.f.logcdf(p, 3.0, s + 1.0)
1 st.f.logsf(p, 3.0, s + 1.0)
1 st.f.median(3.0, s + 1.0, scale=s)
1 st.f.interval(s, 3.0, s + 1.0, scale=2.0)[1]
1 st.binom.std(5, p)
1 st.nbinom.logcdf(i, 3, s)
1 st.nbinom.var(3, p)
1 st.nbinom.std(3, p)
1 st.geom.logcdf(i + 1, s) ! special
1 st.geom.logsf(i, s)
1 st.geom.std(p)
1 st.bernoulli.mean(p)
1 st.bernoulli.std(p)
"""
