"""Which functions of SciPy's smaller modules there are."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from retrograd.frontend.library.plain import samples
from retrograd.frontend.library.plain_functions import Plain

__all__ = ["NAMES", "loaded"]

NAMES = (
    "integrate.trapezoid", "integrate.cumulative_trapezoid", "integrate.simpson", "signal.lfilter",
    "signal.convolve", "linalg.norm", "sparse.issparse", "optimize.rosen",
)  # fmt: skip
"""Modules of SciPy with the names of functions that `plain.samples` has."""

_PARAMETERS = {"issparse": "x", "lfilter": "b a x axis zi"}


def loaded() -> Iterator[Plain]:
    """Those of the modules that are loaded already; no other can be used in a program."""
    for path in NAMES:
        module, _, name = path.partition(".")
        space = sys.modules.get(f"scipy.{module}")
        if space is not None:
            yield Plain(
                getattr(space, name), getattr(samples, name), _PARAMETERS.get(name, ""),
                label=f"scipy.{path}",
            )  # fmt: skip
