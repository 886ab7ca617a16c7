"""Series of orthogonal polynomials: `np.polynomial.Chebyshev` and its like."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from retrograd.frontend.library.written_families import Family, family_fit

__all__ = ["FAMILIES", "FITS"]


def chebyshev(coef: Any, domain: Any = None, window: Any = None) -> Any:
    return Family("Chebyshev", coef, domain, window)


def legendre(coef: Any, domain: Any = None, window: Any = None) -> Any:
    return Family("Legendre", coef, domain, window)


def hermite(coef: Any, domain: Any = None, window: Any = None) -> Any:
    return Family("Hermite", coef, domain, window)


def hermite_e(coef: Any, domain: Any = None, window: Any = None) -> Any:
    return Family("HermiteE", coef, domain, window)


def laguerre(coef: Any, domain: Any = None, window: Any = None) -> Any:
    return Family("Laguerre", coef, domain, window)


def chebyshev_fit(x: Any, y: Any, deg: Any, domain: Any = None, w: Any = None) -> Any:
    return family_fit("Chebyshev", x, y, deg, domain, w)


def legendre_fit(x: Any, y: Any, deg: Any, domain: Any = None, w: Any = None) -> Any:
    return family_fit("Legendre", x, y, deg, domain, w)


def hermite_fit(x: Any, y: Any, deg: Any, domain: Any = None, w: Any = None) -> Any:
    return family_fit("Hermite", x, y, deg, domain, w)


def hermite_e_fit(x: Any, y: Any, deg: Any, domain: Any = None, w: Any = None) -> Any:
    return family_fit("HermiteE", x, y, deg, domain, w)


def laguerre_fit(x: Any, y: Any, deg: Any, domain: Any = None, w: Any = None) -> Any:
    return family_fit("Laguerre", x, y, deg, domain, w)


FAMILIES = {
    "Chebyshev": chebyshev, "Legendre": legendre, "Hermite": hermite, "HermiteE": hermite_e,
    "Laguerre": laguerre,
}  # fmt: skip
FITS: dict[str, FunctionType] = {
    "Chebyshev": chebyshev_fit, "Legendre": legendre_fit, "Hermite": hermite_fit,
    "HermiteE": hermite_e_fit, "Laguerre": laguerre_fit,
}  # fmt: skip
"""How they are made, of coefficients and of points."""
