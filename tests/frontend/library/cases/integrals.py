"""Calls of integrals, elliptic and spherical functions of `scipy.special` (`sp`), as in `rows`."""

from __future__ import annotations

__all__ = ["INTEGRALS"]

INTEGRALS = """
1 sp.ellipkinc(x, s) ! special
1 sp.ellipkinc(a * 2.0, -0.6) ! special
1 sp.ellipeinc(x, p) ! special
1 sp.ellipj(x, s)[0]
1 sp.ellipj(x, p)[2]
1 sp.ellipj(a, 0.3)[3]
1 sp.agm(p, s) ! special
1 sp.expn(2, p)
1 sp.expn(1, p * 3.0)
1 sp.expn(3, s)
1 sp.sici(x)[0] ! bools
1 sp.sici(p * 6.0)[1]
1 sp.shichi(x)[0] ! bools
1 sp.shichi(p * 6.0)[1]
1 sp.spence(p) ! special bools
1 sp.spence(np.abs(a) * 2.0) ! special
1 sp.spherical_jn(2, p) ! special bools
1 sp.spherical_jn(1, p, derivative=True) ! special bools
1 sp.spherical_yn(1, p) ! special bools
1 sp.jvp(1, p)
1 sp.jvp(1, p, 2)
1 sp.yvp(1, p)
1 sp.ivp(1, p)
1 sp.kvp(1, p)
1 sp.hankel1(1, p).imag ! rank1 one rank2 rank3 ints bools
1 sp.hankel2(0, p).real ! rank1 one rank2 rank3 ints bools
1 sp.lpmv(1, 3, p)
1 sp.lpmv(-2, 2, p)
1 sp.sph_harm_y(3, 1, x, s).real
1 sp.sph_harm_y(2, -1, s, x).imag
1 sp.gdtr(1.2, 2.0, p)
1 sp.gdtrc(s, 2.0, p)
1 sp.pdtr(2, p)
1 sp.pdtrc(i, p) ! one
1 sp.bdtr(2, 5, p)
1 sp.bdtrc(i, 3, p) ! one
1 sp.nbdtr(2, 3, p)
1 sp.nbdtrc(i, 2.0, p) ! one
1 sp.zetac(p + 1.5) ! rank1 one rank2 rank3
1 sp.cosm1(x)
1 sp.powm1(p, x)
1 sp.diric(x, 4) ! bools
1 sp.diric(a, 5) ! bools
1 sp.perm(x, 3) ! special
"""
