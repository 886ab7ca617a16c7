"""Which methods of which distributions of `scipy.stats` there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import scipy.stats

from retrograd.frontend.library.plain import (
    continuous,
    counted,
    derived,
    distributions,
    families,
    further,
    multivariate,
    noncentral,
    quantiles,
    shaped,
    trials,
)
from retrograd.frontend.library.plain_functions import Plain

__all__ = ["PLAIN", "known_of", "method", "parameters_of"]

stats: Any = scipy.stats

_SHAPES = {
    "weibull_min": "c loc scale", "pareto": "b loc scale", "f": "dfn dfd loc scale",
    "binom": "n p loc", "nbinom": "n p loc", "geom": "p loc", "bernoulli": "p loc",
    **shaped.SHAPES, **further.SHAPES, **noncentral.SHAPES,
}  # fmt: skip
_MADE: Any = {**shaped.SHAPED, **further.SHAPED}
_LAWS: Any = {
    **families.LAWS, **trials.LAWS, **further.COUNTED, **_MADE, **noncentral.LAWS,
}  # fmt: skip
_COUNTS = ("poisson", "hypergeom", *trials.LAWS, *further.COUNTED)
_MORE = {"weibull_min": ("isf",), "pareto": ("isf",), "f": ("ppf", "isf")}
_METHODS = {
    "norm": ("logpdf pdf cdf logcdf sf logsf ppf isf", "loc scale"),
    "t": ("logpdf pdf cdf sf ppf isf", "df loc scale"),
    "gamma": ("logpdf pdf cdf sf ppf isf", "a loc scale"),
    "beta": ("logpdf pdf cdf sf ppf isf", "a b loc scale"),
    "poisson": ("logpmf pmf cdf sf", "mu loc"),
    "expon": ("logpdf pdf cdf sf ppf isf", "loc scale"),
    "uniform": ("logpdf pdf cdf sf ppf isf", "loc scale"),
    "lognorm": ("logpdf pdf cdf sf ppf isf", "s loc scale"),
    "chi2": ("logpdf pdf cdf sf ppf isf", "df loc scale"),
    **{
        name: (" ".join((*methods, *_MORE.get(name, ()))), _SHAPES.get(name, "loc scale"))
        for name, methods in _LAWS.items()
    },
}


_MODULES = dict.fromkeys(continuous.__all__, continuous) | dict.fromkeys(
    quantiles.__all__, quantiles
)


def _plain(name: str, method: str, parameters: str) -> Plain:
    first = "q" if method in ("ppf", "isf") else "k" if name in _COUNTS else "x"
    laws = _LAWS.get(name, {})
    written = f"{name}_{method}"
    return Plain(
        getattr(getattr(stats, name), method),
        laws.get(method) or getattr(_MODULES.get(written, distributions), written),
        f"{first} {parameters}",
        label=f"scipy.stats.{name}.{method}",
        renamed=name in _MADE,
    )


def _derived(name: str, methods: Mapping[str, Plain], parameters: str) -> Iterator[Plain]:
    """Methods of a distribution that follow from others."""
    counts = name in _COUNTS
    shapes = len(parameters.split()) - (1 if counts else 2)
    first = "k" if counts else "x"

    def made(method: str, program: Any, words: str) -> Plain:
        real, label = getattr(getattr(stats, name), method), f"scipy.stats.{name}.{method}"
        return Plain(real, program, words.strip(), label=label, renamed=True)

    for of in ("cdf", "sf"):
        if of in methods and f"log{of}" not in methods and shapes < 3:
            program = derived.logarithm(methods[of].program, shapes, counts)
            yield made(f"log{of}", program, f"{first} {parameters}")
    quantile = methods["ppf"].program if "ppf" in methods else None
    if name in counted.LAST:
        quantile = counted.quantile(methods["cdf"].program, shapes, name)
        above = counted.inverse_survival(methods["sf"].program, shapes, name)
        yield made("ppf", quantile, f"q {parameters}")
        yield made("isf", above, f"q {parameters}")
    if quantile is not None:
        yield made("median", derived.median(quantile, shapes, counts), parameters)
        program = derived.interval(quantile, shapes, counts)
        yield made("interval", program, f"confidence {parameters}")
    if name in derived.MOMENTS:
        of_mean, of_var = derived.MOMENTS[name]
        variance = derived.var(of_var, shapes, counts)
        yield made("mean", derived.mean(of_mean, shapes, counts), parameters)
        yield made("var", variance, parameters)
        yield made("std", derived.std(variance, shapes, counts), parameters)


def _with_derived(name: str, methods: Mapping[str, Plain], parameters: str) -> Mapping[str, Plain]:
    more = {one.label.rpartition(".")[2]: one for one in _derived(name, methods, parameters)}
    return {**methods, **more}


_OF_SEVERAL: Any = {
    name: {
        method: Plain(
            getattr(getattr(stats, name), method), program, words,
            label=f"scipy.stats.{name}.{method}",
        )
        for method, program in (("logpdf", logpdf), ("pdf", pdf))
    }
    for name, words, logpdf, pdf in (
        ("multivariate_normal", "x mean cov allow_singular", multivariate.multivariate_logpdf,
         multivariate.multivariate_pdf),
        ("multivariate_t", "x loc shape df allow_singular", multivariate.student_logpdf,
         multivariate.student_pdf),
        ("dirichlet", "x alpha", multivariate.dirichlet_logpdf, multivariate.dirichlet_pdf),
    )
}  # fmt: skip
_OF: Mapping[str, Mapping[str, Plain]] = {
    name: _with_derived(
        name, {method: _plain(name, method, parameters) for method in methods.split()}, parameters
    )
    for name, (methods, parameters) in _METHODS.items()
} | _OF_SEVERAL
PLAIN: tuple[Plain, ...] = tuple(plain for every in _OF.values() for plain in every.values())


def method(distribution: object, name: str) -> Plain | None:
    """What stands for a method of a distribution; None where it is not known."""
    for known, methods in _OF.items():
        if getattr(stats, known) is distribution:
            return methods.get(name)
    return None


def parameters_of(distribution: object) -> str | None:
    """Its parameters as words; None of one that is not known."""
    for known, (_, words) in _METHODS.items():
        if getattr(stats, known) is distribution:
            return words
    return None


def known_of(distribution: object) -> str:
    """What there is, of this distribution if it is known, as text."""
    for known, methods in _OF.items():
        if getattr(stats, known) is distribution:
            return f"scipy.stats.{known} has {', '.join(methods)} here"
    return f"the distributions of scipy.stats here are {', '.join(_OF)}"
