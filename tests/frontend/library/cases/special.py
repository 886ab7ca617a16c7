"""Calls of functions of `scipy.special` (`sp`), in lines as in `rows`."""

from __future__ import annotations

__all__ = ["SPECIAL"]

SPECIAL = """
sp.expit(x)
sp.log_expit(a)
sp.logit(p)
sp.entr(p)
sp.xlogy(p, p)
sp.xlogy(x, p)
sp.xlog1py(x, p)
sp.rel_entr(p, p * p)
sp.kl_div(p, p * p)
sp.erf(x)
sp.erfc(a)
sp.erfinv(p)
sp.erfcinv(p)
sp.ndtr(x)
sp.log_ndtr(x)
sp.log_ndtr(x * 20.0)
sp.ndtri(p)
sp.gamma(p)
sp.gammaln(p)
sp.digamma(p) ! ints bools rank2 one
sp.psi(p) ! ints bools rank2 one
sp.polygamma(1, p) ! rank1 rank2 rank3 ints bools nocolumns norows one rank0 special
sp.beta(p, s) ! special ints bools rank2
sp.betaln(p, s) ! special ints bools rank2
sp.gammainc(s, p)
sp.gammaincc(p, p * 3.0)
sp.betainc(s, 2.0, p)
sp.stdtr(s, x)
sp.boxcox(p, s)
sp.boxcox(p, 0.0)
0 sp.factorial(i) ! empty nocolumns norows bools special
0 sp.factorial2(i, exact=True) ! empty nocolumns norows bools special
0 sp.factorial2(i) ! empty nocolumns norows bools special
sp.logsumexp(x) ? empty nocolumns norows
sp.logsumexp(a, axis=1) ? empty nocolumns norows ! rank0
sp.logsumexp(a, axis=0, keepdims=True) ? empty nocolumns norows ! rank0
sp.logsumexp(x, b=p) ? empty nocolumns norows ! rank0
sp.softmax(x) ? empty nocolumns norows ! bools
sp.softmax(a, axis=0) ? empty nocolumns norows rank0 ! bools
sp.log_softmax(a, axis=1) ? empty nocolumns norows ! bools rank0
sp.lambertw(p).real ! rank1 rank2 rank3 ints bools nocolumns norows one rank0 special
sp.lambertw(p * -0.4, -1).real ! rank1 rank2 rank3 ints bools nocolumns norows one rank0 special
sp.expm1(x)
"""
