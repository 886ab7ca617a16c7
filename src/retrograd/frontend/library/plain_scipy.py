"""Which functions of SciPy's smaller modules there are.

The programs that stand for them are loaded where SciPy's modules are: none else can be used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType

from retrograd.frontend.library.plain_functions import Plain

__all__ = ["MODULES", "loaded"]

_HERE = "retrograd.frontend.library"
_PROGRAMS = {
    "integrate": ("samples",),
    "signal": (
        "signals",
        "samples",
        "tapers",
        "spectra",
        "time_frequency",
        "peaks",
        "waves",
        "responses",
        "rates",
    ),
    "signal.windows": ("tapers",),
    "linalg": ("samples",),
    "sparse": ("sparse",),
    "sparse.linalg": ("sparse_solvers",),
    "sparse.csgraph": ("graphs",),
    "optimize": ("samples", "matching"),
    "interpolate": ("curves", "scattered", "radial"),
    "spatial.distance": ("distances", "dissimilarities"),
    "stats": ("summaries", "densities", "hypotheses", "ranking", "trimming"),
    "spatial": ("trees",),
    "ndimage": ("filters", "windows", "resampling", "measuring", "morphology"),
}
"""Modules of SciPy, and those of `plain` where the programs are, the first one first."""

MODULES = tuple(f"scipy.{module}" for module in _PROGRAMS)
"""Modules that have functions here where they are loaded."""

_ALONG_LINES = (
    "convolve1d", "correlate1d", "gaussian_filter", "gaussian_filter1d",
    "gaussian_gradient_magnitude", "gaussian_laplace", "laplace", "maximum_filter1d",
    "minimum_filter1d", "prewitt", "sobel", "uniform_filter", "uniform_filter1d",
)  # fmt: skip
_CHOSEN = {
    "spatial.distance": (
        "braycurtis", "canberra", "correlation", "dice", "hamming", "jaccard", "jensenshannon",
        "mahalanobis", "minkowski", "rogerstanimoto", "russellrao", "seuclidean", "sokalsneath",
        "yule",
    ),
    "integrate": (
        "trapezoid", "cumulative_trapezoid", "cumulative_simpson", "romb", "simpson",
    ),
    "signal": ("convolve", "get_window"),
    "linalg": ("norm",),
    "optimize": ("rosen",),
    "interpolate": ("interp1d", "NearestNDInterpolator", "griddata"),
    "ndimage": _ALONG_LINES,
}  # fmt: skip
"""Those that are chosen of a module of programs that has others, too."""

_WHOLE = (
    "signals", "spectra", "time_frequency", "peaks", "waves", "curves", "distances", "summaries",
    "windows", "resampling", "measuring", "sparse", "sparse_solvers", "responses", "graphs",
    "densities", "trees", "hypotheses", "ranking", "trimming",
    "rates", "morphology", "matching", "radial",
)  # fmt: skip
"""Modules of programs of which all are taken; of `tapers` for `signal.windows` only."""

_OF_BELLS = "input sigma output mode cval axes truncate radius"
_PARAMETERS = {
    "lfilter": "b a x axis zi", "gaussian_laplace": _OF_BELLS,
    "gaussian_gradient_magnitude": _OF_BELLS,
    "sosfreqz": "sos worN whole fs", "linear_sum_assignment": "cost_matrix maximize",
    "Rbf": "*args function epsilon smooth norm mode",
    "cKDTree": "data leafsize compact_nodes copy_data balanced_tree boxsize",
    **dict.fromkeys(
        (f"{kind}_{own}" for kind in ("csr", "csc", "coo") for own in ("array", "matrix")),
        "arg1 shape dtype copy",
    ),
}  # fmt: skip

_LITERALS = {
    "rates": ("q", "n"), "morphology": ("rank", "connectivity"),
    "sparse": ("offsets", "k"), "resampling": ("order",), "curves": ("k",),
}  # fmt: skip


def loaded() -> Iterator[Plain]:
    """Those of the modules that are loaded already; no other can be used in a program."""
    for module, places in _PROGRAMS.items():
        space = sys.modules.get(f"scipy.{module}")
        if space is not None:
            programs = [import_module(f"{_HERE}.plain.{place}") for place in places]
            if module == "interpolate":
                programs.insert(0, import_module(f"{_HERE}.written_interpolation"))
            for name in _names(module, programs):
                yield _function(space, module, name, programs)


def _names(module: str, programs: list[ModuleType]) -> Iterator[str]:
    """The functions of a module of SciPy's that there are."""
    yield from _CHOSEN.get(module, ())
    for place in programs:
        own = place.__name__.rpartition(".")[2]
        if own in _WHOLE or module == "signal.windows":
            yield from place.__all__


def _function(space: ModuleType, module: str, name: str, programs: list[ModuleType]) -> Plain:
    place = next(place for place in programs if name in dir(place))
    program: Callable[..., object] = getattr(place, name)
    literals = _LITERALS.get(program.__module__.rpartition(".")[2], ())
    words = _PARAMETERS.get(name, "")
    return Plain(getattr(space, name), program, words, literals, label=f"scipy.{module}.{name}")
