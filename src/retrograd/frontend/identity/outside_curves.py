"""Curves, tables, densities, points and polynomials that were made outside of a program."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["is_curve", "kind_of_curve"]

_KINDS = {
    "scipy.interpolate": (
        "PPoly", "BSpline", "interp1d", "RegularGridInterpolator", "UnivariateSpline",
    ),
    "scipy.stats": ("gaussian_kde",),
    "scipy.spatial": ("cKDTree",),
    "numpy.polynomial": ("Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre"),
    "numpy": ("poly1d",),
}  # fmt: skip


def kind_of_curve(value: object) -> str | None:
    """The class that says what a curve, table or polynomial holds; None of all else."""
    own = type(value).__module__
    for name, kinds in _KINDS.items():
        module: Any = sys.modules.get(name) if f"{own}.".startswith(f"{name}.") else None
        for kind in kinds if module is not None else ():
            if isinstance(value, getattr(module, kind)):
                return kind
    return None


def is_curve(value: object) -> bool:
    """Whether it is a curve or a table that a program can make again."""
    return kind_of_curve(value) is not None
