"""Calls of the methods of further distributions of `scipy.stats`, made of their arguments."""

from __future__ import annotations

__all__ = ["FURTHER"]

_ON_HALF = ("p", "-0.13")
_ON_LINE = ("x", "0.2")
_WITH_QUANTILES = {
    "powerlaw": ("1.7", *_ON_HALF), "lomax": ("1.7", *_ON_HALF), "fisk": ("1.7", *_ON_HALF),
    "weibull_max": ("1.7", "-p", "0.07"), "gompertz": ("1.7", *_ON_HALF),
    "chi": ("2.7", *_ON_HALF), "nakagami": ("1.7", *_ON_HALF),
    "burr12": ("1.7, 1.3", *_ON_HALF), "johnsonsu": ("0.6, 1.3", *_ON_LINE),
    "moyal": ("", *_ON_LINE),
}  # fmt: skip
_WITHOUT = {
    "invgauss": ("0.7", *_ON_HALF), "wald": ("", *_ON_HALF), "betaprime": ("2.0, 1.7", *_ON_HALF),
    "gennorm": ("1.7", *_ON_LINE), "exponnorm": ("1.7", *_ON_LINE),
}  # fmt: skip
_DENSITIES = {
    "skewnorm": ("1.7", *_ON_LINE), "vonmises": ("1.7", *_ON_LINE), "rice": ("1.7", *_ON_HALF),
}  # fmt: skip


def _rows() -> list[str]:
    found: list[str] = []
    for name, (shapes, x, loc) in {**_WITH_QUANTILES, **_WITHOUT, **_DENSITIES}.items():
        more = f"{shapes}, " if shapes else ""
        methods = ["logpdf", "pdf"]
        if name not in _DENSITIES:
            methods += ["cdf", "sf", "logcdf", "logsf"]
        meaningless = {"logpdf": " ! special", "pdf": " ! special"}
        for method in methods:
            end = meaningless.get(method, "")
            found.append(f"1 st.{name}.{method}({x}, {more}{loc}, 1.5){end}")
        if name in _WITH_QUANTILES:
            found.append(f"1 st.{name}.ppf(p, {more}scale=s)")
            found.append(f"1 st.{name}.isf(p, {more}scale=s)")
            found.append(f"1 st.{name}.median({more}scale=s)")
            found.append(f"1 st.{name}.interval(s, {more}scale=2.0)[1]")
    return found


_SEVERAL = """
1 st.betabinom.logpmf(i, 7, 2.0 + p, 3.0)
1 st.betabinom.pmf(i, 7, 2.0, 3.0 + p)
1 st.dirichlet.logpdf(np.array([0.2, 0.3, 0.5]), np.abs(v)) ! special ints bools nocolumns norows
1 st.dirichlet.pdf(np.array([0.2, 0.3]), np.abs(v)) ! special ints bools nocolumns norows
1 st.multivariate_t.logpdf(v, q[0], q @ q.T + np.eye(3), 3.5) ! special ints one rank0 rank1 rank3
1 st.multivariate_t.pdf(a[:, :3], v, q @ q.T + np.eye(3), 3.5) ! special ints one rank0 rank1 rank3
"""

FURTHER = "\n".join((*_rows(), *_SEVERAL.strip().splitlines()))
