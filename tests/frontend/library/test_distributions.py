"""`scipy.special` and `scipy.stats` at edges of their domains and for large arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special as sp
import scipy.stats as st
from numpy.testing import assert_allclose

import retrograd as rg
from retrograd.errors import UserError

EDGES = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 50.0, np.nan])


def gamma_logpdf(x: Any, a: Any, scale: Any) -> Any:
    return st.gamma.logpdf(x, a, scale=scale)


def gamma_pdf(x: Any, a: Any, scale: Any) -> Any:
    return st.gamma.pdf(x, a, scale=scale)


def gamma_cdf(x: Any, a: Any, scale: Any) -> Any:
    return st.gamma.cdf(x, a, scale=scale)


def beta_logpdf(x: Any, a: Any, b: Any) -> Any:
    return st.beta.logpdf(x, a, b)


def beta_pdf(x: Any, a: Any, b: Any) -> Any:
    return st.beta.pdf(x, a, b)


def beta_cdf(x: Any, a: Any, b: Any) -> Any:
    return st.beta.cdf(x, a, b)


def t_logpdf(x: Any, df: Any, scale: Any) -> Any:
    return st.t.logpdf(x, df, 0.0, scale)


def t_cdf(x: Any, df: Any, scale: Any) -> Any:
    return st.t.cdf(x, df, scale=scale)


def poisson_pmf(k: Any, mu: Any, loc: Any) -> Any:
    return st.poisson.pmf(k, mu, loc=loc)


def poisson_cdf(k: Any, mu: Any, loc: Any) -> Any:
    return st.poisson.cdf(k, mu, loc=loc)


EVERY = [gamma_logpdf, gamma_pdf, gamma_cdf, beta_logpdf, beta_pdf, beta_cdf, t_logpdf, t_cdf,
         poisson_pmf, poisson_cdf]  # fmt: skip


@pytest.mark.thinned(3)
@pytest.mark.parametrize("f", EVERY)
@pytest.mark.parametrize(
    "others", [(1.0, 1.0), (0.5, 2.0), (3.0, 0.7), (2.0, 0.0), (-1.0, 1.0), (0.0, 2.0)]
)
def test_edges_of_the_support(f: Callable[..., Any], others: tuple[float, float]) -> None:
    with np.errstate(all="ignore"):
        value = f(EDGES, *others)
    assert_allclose(rg.jit(f)(EDGES, *others), value, rtol=1e-12, atol=1e-300)


@pytest.mark.slow
@pytest.mark.parametrize("f", [gamma_logpdf, gamma_pdf, gamma_cdf, beta_logpdf, beta_pdf, beta_cdf])
def test_outside_of_the_support_no_parameter_has_a_derivative(f: Callable[..., Any]) -> None:
    def total(a: Any, b: Any) -> Any:
        values = f(np.array([-2.0, 0.3, 70.0]), a, b)
        return values[1]

    def alone(a: Any, b: Any) -> Any:
        return f(0.3, a, b)

    found, wanted = (rg.grad(one, argnums=(0, 1))(2.5, 0.6) for one in (total, alone))
    assert_allclose(found, wanted, rtol=1e-13)


def test_a_density_is_the_derivative_of_its_distribution_function_at_the_edges() -> None:
    assert_allclose(rg.grad(gamma_cdf)(1e-300, 1.0, 2.0), 0.5)
    assert rg.grad(gamma_pdf)(0.0, 1.0, 1.0) == -1.0
    assert rg.grad(gamma_pdf)(0.0, 3.0, 1.0) == 0.0
    assert_allclose(rg.grad(t_cdf)(0.0, 3.0, 1.0), st.t.pdf(0.0, 3.0), rtol=1e-14)

    def inc(a: Any, x: Any) -> Any:
        return sp.gammainc(a, x)

    def part(a: Any, b: Any, x: Any) -> Any:
        return sp.betainc(a, b, x)

    assert rg.grad(inc, argnums=(0, 1))(1.0, 0.0) == (0.0, 1.0)
    assert rg.grad(inc, argnums=(0, 1))(2.0, 0.0) == (0.0, 0.0)
    assert_allclose(rg.grad(part, argnums=2)(1.0, 3.0, 0.0), 3.0)
    assert_allclose(rg.grad(part, argnums=2)(3.0, 1.0, 1.0), 3.0)
    assert rg.grad(part, argnums=2)(2.0, 2.0, 0.0) == 0.0


# By mpmath with 40 digits: SciPy gives 0.5 for the first.
@pytest.mark.parametrize(
    ("df", "x", "value"),
    [(1.0, -1e-9, 0.49999999968169011), (1e4, -1.5, 0.06682298591180982)],
)
def test_distribution_function_of_t(df: float, x: float, value: float) -> None:
    assert_allclose(rg.jit(t_cdf)(x, df, 1.0), value, rtol=1e-13)


def test_endless_degrees_of_freedom_are_a_normal_distribution() -> None:
    x = np.array([-30.0, -1.0, 0.0, 2.0])
    assert_allclose(rg.jit(t_cdf)(x, np.inf, 2.0), st.norm.cdf(x, scale=2.0), rtol=1e-12)
    assert_allclose(rg.jit(t_logpdf)(x, np.inf, 2.0), st.norm.logpdf(x, scale=2.0), rtol=1e-14)
    assert_allclose(rg.jit(t_logpdf)(x, 1e12, 2.0), st.norm.logpdf(x, scale=2.0), rtol=1e-9)


def test_a_method_that_was_taken_outside() -> None:
    logpdf = st.norm.logpdf

    def f(x: Any) -> Any:
        return logpdf(x, scale=3.0)

    assert_allclose(rg.grad(f)(0.6), -0.6 / 9.0, rtol=1e-14)


PRIOR = st.gamma(2, scale=3.0)


class Model:
    def __init__(self, width: Any) -> None:
        self.noise = st.norm(scale=width)

    def __call__(self, x: Any) -> Any:
        return self.noise.logpdf(x)


MADE = Model(2.0)


def frozen(x: Any) -> Any:
    d = st.norm(x, 2.0)
    low, high = st.t(df=3.0, loc=x).interval(0.9)
    found = d.logpdf(0.3) + d.ppf(0.2) * d.std() + low * high + MADE(x) * Model(x)(0.5)
    others = [st.beta(x, 2.0), st.beta(2.0, b=x)]
    found = found + sum(np.sum(d.pdf(np.array([0.2, 0.4]))) for d in others)
    return found + PRIOR.cdf(x) * PRIOR.mean() + st.poisson(x).pmf(2)


def test_distributions_with_their_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rg.check_grads(frozen, (0.8,), 1).ok
    value = frozen(0.8)
    assert_allclose(rg.jit(frozen)(0.8), value, rtol=1e-13)
    monkeypatch.setitem(globals(), "PRIOR", st.gamma(2.0, scale=4.0))
    assert frozen(0.8) != value
    assert_allclose(rg.jit(frozen)(0.8), frozen(0.8), rtol=1e-13)


def frozen_unknown(x: Any) -> Any:
    return st.tukeylambda(1.0).pdf(x)


def without_a_shape(x: Any) -> Any:
    return st.gamma(scale=2.0).pdf(x)


def unknown(x: Any) -> Any:
    return st.tukeylambda.pdf(x, 1.0)


def other(x: Any) -> Any:
    return st.norm.rvs(x)


def twice(x: Any) -> Any:
    return st.norm.cdf(x, 1.0, loc=2.0)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (frozen_unknown, "are norm, t, gamma, beta, poisson"),
        (without_a_shape, "lacks the argument 'a'"),
        (unknown, "are norm, t, gamma, beta, poisson"),
        (other, "scipy.stats.norm has logpdf, pdf"),
        (twice, "scipy.stats.norm.cdf is given 'loc' twice"),
    ],
)
def test_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(UserError, match=text):
        rg.jit(f)(0.5)
