"""Distributions of `scipy.stats` and all their parameters, as `norm(loc, scale)` has them."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

__all__ = ["MODULE", "Frozen", "frozen_of"]

MODULE = __name__


class Frozen(NamedTuple):
    """A distribution and all its parameters, in its order."""

    dist: Any
    parameters: Any

    def pdf(self, x: Any) -> Any:
        return self.dist.pdf(x, *self.parameters)

    def logpdf(self, x: Any) -> Any:
        return self.dist.logpdf(x, *self.parameters)

    def pmf(self, k: Any) -> Any:
        return self.dist.pmf(k, *self.parameters)

    def logpmf(self, k: Any) -> Any:
        return self.dist.logpmf(k, *self.parameters)

    def cdf(self, x: Any) -> Any:
        return self.dist.cdf(x, *self.parameters)

    def logcdf(self, x: Any) -> Any:
        return self.dist.logcdf(x, *self.parameters)

    def sf(self, x: Any) -> Any:
        return self.dist.sf(x, *self.parameters)

    def logsf(self, x: Any) -> Any:
        return self.dist.logsf(x, *self.parameters)

    def ppf(self, q: Any) -> Any:
        return self.dist.ppf(q, *self.parameters)

    def isf(self, q: Any) -> Any:
        return self.dist.isf(q, *self.parameters)

    def interval(self, confidence: Any) -> Any:
        return self.dist.interval(confidence, *self.parameters)

    def median(self) -> Any:
        return self.dist.median(*self.parameters)

    def mean(self) -> Any:
        return self.dist.mean(*self.parameters)

    def var(self) -> Any:
        return self.dist.var(*self.parameters)

    def std(self) -> Any:
        return self.dist.std(*self.parameters)


def frozen_of(value: object) -> tuple[str, tuple[Any, ...], dict[str, Any]] | None:
    """The name and the parameters of a distribution that SciPy has made so; None of others."""
    module: Any = sys.modules.get("scipy.stats._distn_infrastructure")
    if module is None or not isinstance(value, module.rv_frozen):
        return None
    found: Any = value
    return str(found.dist.name), tuple(found.args), dict(found.kwds)
