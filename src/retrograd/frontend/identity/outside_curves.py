"""Curves, tables, densities and points of SciPy's that were made outside of a program."""

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
}  # fmt: skip


def kind_of_curve(value: object) -> str | None:
    """The class of SciPy's that says what a curve or table holds; None of all else."""
    own = type(value).__module__
    for name, kinds in _KINDS.items():
        module: Any = sys.modules.get(name) if own.startswith(f"{name}.") else None
        if module is not None:
            return next((kind for kind in kinds if isinstance(value, getattr(module, kind))), None)
    return None


def is_curve(value: object) -> bool:
    """Whether it is a curve or a table that a program can make again."""
    return kind_of_curve(value) is not None
