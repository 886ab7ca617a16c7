"""Which methods of which distributions of `scipy.stats` there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import scipy.stats

from retrograd.frontend.library.plain import (
    continuous,
    distributions,
    families,
    scipy_linalg,
    trials,
)
from retrograd.frontend.library.plain_functions import Plain

__all__ = ["PLAIN", "known_of", "method"]

stats: Any = scipy.stats

_SHAPES = {
    "weibull_min": "c loc scale", "pareto": "b loc scale", "f": "dfn dfd loc scale",
    "binom": "n p loc", "nbinom": "n p loc", "geom": "p loc", "bernoulli": "p loc",
}  # fmt: skip
_COUNTS = ("poisson", *trials.LAWS)
_METHODS = {
    "norm": ("logpdf pdf cdf logcdf sf logsf ppf isf", "loc scale"),
    "t": ("logpdf pdf cdf sf", "df loc scale"),
    "gamma": ("logpdf pdf cdf sf", "a loc scale"),
    "beta": ("logpdf pdf cdf sf", "a b loc scale"),
    "poisson": ("logpmf pmf cdf sf", "mu loc"),
    "expon": ("logpdf pdf cdf sf ppf isf", "loc scale"),
    "uniform": ("logpdf pdf cdf sf ppf", "loc scale"),
    "lognorm": ("logpdf pdf cdf sf ppf", "s loc scale"),
    "chi2": ("logpdf pdf cdf sf", "df loc scale"),
    **{
        name: (" ".join(methods), _SHAPES.get(name, "loc scale"))
        for name, methods in {**families.LAWS, **trials.LAWS}.items()
    },
}


_MODULES = dict.fromkeys(continuous.__all__, continuous)


def _plain(name: str, method: str, parameters: str) -> Plain:
    first = "q" if method in ("ppf", "isf") else "k" if name in _COUNTS else "x"
    laws = {**families.LAWS, **trials.LAWS}.get(name)
    written = f"{name}_{method}"
    return Plain(
        getattr(getattr(stats, name), method),
        laws[method] if laws else getattr(_MODULES.get(written, distributions), written),
        f"{first} {parameters}",
        label=f"scipy.stats.{name}.{method}",
    )


_OF_SEVERAL = {
    name: Plain(
        getattr(stats.multivariate_normal, name), program, "x mean cov allow_singular",
        label=f"scipy.stats.multivariate_normal.{name}",
    )
    for name, program in (
        ("logpdf", scipy_linalg.multivariate_logpdf), ("pdf", scipy_linalg.multivariate_pdf),
    )
}  # fmt: skip
_OF: Mapping[str, Mapping[str, Plain]] = {
    name: {method: _plain(name, method, parameters) for method in methods.split()}
    for name, (methods, parameters) in _METHODS.items()
} | {"multivariate_normal": _OF_SEVERAL}
PLAIN: tuple[Plain, ...] = tuple(plain for every in _OF.values() for plain in every.values())


def method(distribution: object, name: str) -> Plain | None:
    """What stands for a method of a distribution; None where it is not known."""
    for known, methods in _OF.items():
        if getattr(stats, known) is distribution:
            return methods.get(name)
    return None


def known_of(distribution: object) -> str:
    """What there is, of this distribution if it is known, as text."""
    for known, methods in _OF.items():
        if getattr(stats, known) is distribution:
            return f"scipy.stats.{known} has {', '.join(methods)} here"
    return f"the distributions of scipy.stats here are {', '.join(_OF)}"
