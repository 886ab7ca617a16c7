"""Which functions of SciPy's smaller modules there are."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from retrograd.frontend.library.plain import distances, samples, summaries
from retrograd.frontend.library.plain_functions import Plain

__all__ = ["NAMES", "loaded"]

NAMES = (
    "integrate.trapezoid", "integrate.cumulative_trapezoid", "integrate.simpson", "signal.lfilter",
    "signal.convolve", "linalg.norm", "sparse.issparse", "optimize.rosen",
    *(f"spatial.distance.{name}" for name in distances.__all__),
    *(f"stats.{name}" for name in summaries.__all__),
)  # fmt: skip
"""Modules of SciPy with the names of functions that programs in `plain` stand for."""

_PROGRAMS = {"spatial.distance": distances, "stats": summaries}

_PARAMETERS = {"issparse": "x", "lfilter": "b a x axis zi"}


def loaded() -> Iterator[Plain]:
    """Those of the modules that are loaded already; no other can be used in a program."""
    for path in NAMES:
        module, _, name = path.rpartition(".")
        space = sys.modules.get(f"scipy.{module}")
        if space is not None:
            program = getattr(_PROGRAMS.get(module, samples), name)
            words = _PARAMETERS.get(name, "")
            yield Plain(getattr(space, name), program, words, label=f"scipy.{path}")
