"""Curves and tables of `scipy.interpolate` that were made outside of a program."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["is_curve", "kind_of_curve"]

_KINDS = ("PPoly", "BSpline", "interp1d", "RegularGridInterpolator")


def kind_of_curve(value: object) -> str | None:
    """The class of SciPy's that says what a curve or table holds; None of all else."""
    module: Any = sys.modules.get("scipy.interpolate")
    if module is None or not type(value).__module__.startswith("scipy.interpolate."):
        return None
    return next((name for name in _KINDS if isinstance(value, getattr(module, name))), None)


def is_curve(value: object) -> bool:
    """Whether it is a curve or a table that a program can make again."""
    return kind_of_curve(value) is not None
