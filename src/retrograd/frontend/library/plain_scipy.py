"""Which functions of SciPy's smaller modules there are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from retrograd.frontend.library import written_interpolation
from retrograd.frontend.library.plain import (
    curves,
    distances,
    filters,
    measuring,
    peaks,
    resampling,
    samples,
    signals,
    spectra,
    summaries,
    tapers,
    waves,
    windows,
)
from retrograd.frontend.library.plain_functions import Plain

__all__ = ["NAMES", "loaded"]

_ALONG_LINES = (
    "convolve1d", "correlate1d", "gaussian_filter", "gaussian_filter1d",
    "gaussian_gradient_magnitude", "gaussian_laplace", "laplace", "maximum_filter1d",
    "minimum_filter1d", "prewitt", "sobel", "uniform_filter", "uniform_filter1d",
)  # fmt: skip
NAMES = (
    "integrate.trapezoid", "integrate.cumulative_trapezoid", "integrate.simpson", "signal.convolve",
    *(f"signal.{name}" for name in (*signals.__all__, *spectra.__all__, *peaks.__all__)),
    *(f"signal.{name}" for name in waves.__all__), "signal.get_window",
    *(f"signal.windows.{name}" for name in tapers.__all__), "linalg.norm",
    "sparse.issparse", "optimize.rosen", "interpolate.interp1d",
    *(f"interpolate.{name}" for name in curves.__all__),
    *(f"spatial.distance.{name}" for name in distances.__all__),
    *(f"stats.{name}" for name in summaries.__all__),
    *(f"ndimage.{name}" for name in (*_ALONG_LINES, *windows.__all__)),
    *(f"ndimage.{name}" for name in (*resampling.__all__, *measuring.__all__)),
)  # fmt: skip
"""Modules of SciPy with the names of functions that programs in `plain` stand for."""

_PROGRAMS = {
    "interpolate": (written_interpolation, curves),
    "signal": (signals, samples, tapers, spectra, peaks, waves),
    "signal.windows": (tapers,),
    "spatial.distance": (distances,), "stats": (summaries,),
    "ndimage": (filters, windows, resampling, measuring),
}  # fmt: skip

_OF_BELLS = "input sigma output mode cval axes truncate radius"
_PARAMETERS = {
    "issparse": "x", "lfilter": "b a x axis zi", "gaussian_laplace": _OF_BELLS,
    "gaussian_gradient_magnitude": _OF_BELLS,
}  # fmt: skip

_LITERALS = {resampling.__name__: ("order",), curves.__name__: ("k",)}


def _program(module: str, name: str) -> Callable[..., Any]:
    """What stands for a function."""
    places = _PROGRAMS.get(module, (samples,))
    return getattr(next(place for place in places if name in dir(place)), name)


def loaded() -> Iterator[Plain]:
    """Those of the modules that are loaded already; no other can be used in a program."""
    for path in NAMES:
        module, _, name = path.rpartition(".")
        space = sys.modules.get(f"scipy.{module}")
        if space is not None:
            words = _PARAMETERS.get(name, "")
            program = _program(module, name)
            literals = _LITERALS.get(program.__module__, ())
            yield Plain(getattr(space, name), program, words, literals, label=f"scipy.{path}")
