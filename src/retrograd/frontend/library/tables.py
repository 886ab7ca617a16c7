"""The table of all library functions, by the identity of the object."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any

from retrograd.frontend.library import (
    array_functions,
    attribute_dicts,
    clocks,
    complex_calls,
    copying,
    create,
    dataclass_fields,
    designs,
    elementwise,
    environment,
    inquiries,
    inspecting,
    integration,
    lapack,
    named_tuples,
    narrow,
    operator_functions,
    output,
    partials,
    patterns,
    plain_functions,
    plain_linalg,
    plain_numpy,
    plain_scipy,
    plan_einsum,
    python,
    random,
    reduce,
    root_finding,
    roundings,
    text_methods,
    transforms,
    ufuncs,
)
from retrograd.frontend.library.known_ints import COUNTS, of_known_ints
from retrograd.frontend.library.masked import of_masked
from retrograd.frontend.library.plain import standard_laws
from retrograd.frontend.library.plain_functions import Plain
from retrograd.frontend.library.written import WRITTEN
from retrograd.frontend.values.kinds import Static
from retrograd.frontend.values.tracer import Handler

__all__ = ["library"]


def _by_identity(tables: Iterable[Mapping[object, Handler]]) -> dict[int, Handler]:
    """Tables by object made one by `id`; later ones go first. `tables` keep the objects alive."""
    return {id(obj): handler for table in tables for obj, handler in table.items()}


def _compiled(function: Callable[..., Any]) -> Handler:
    return lambda t, args, kwargs: t.call(Static(function), args, kwargs)


def _plain(plains: Iterable[Plain]) -> Mapping[object, Handler]:
    return {plain.real: plain_functions.compiled(plain) for plain in plains}


def _of_scipy() -> Iterator[Mapping[object, Handler]]:
    """The tables of modules that are loaded already."""
    if "scipy.special" in sys.modules:
        from retrograd.frontend.library import plain_special

        yield plain_special.TABLE
        yield _plain(plain_special.PLAIN)
    if "scipy.stats" in sys.modules:
        from retrograd.frontend.library import plain_stats

        yield _plain(plain_stats.PLAIN)
    yield _plain(plain_scipy.loaded())
    if (ma := sys.modules.get("numpy.ma")) is not None:
        yield of_masked(ma)
    if (statistics := sys.modules.get("statistics")) is not None:
        inverse: object = vars(statistics)["_normal_dist_inv_cdf"]
        yield {inverse: _compiled(standard_laws.quantile_of_normal)}
    if (constants := sys.modules.get("scipy.constants")) is not None:
        yield inquiries.of_constants(constants)
    if (signal := sys.modules.get("scipy.signal")) is not None:
        yield designs.of_scipy(signal)
    if (fft := sys.modules.get("scipy.fft")) is not None:
        yield transforms.of_scipy(fft)
    if (fftpack := sys.modules.get("scipy.fftpack")) is not None:
        yield transforms.of_fftpack(fftpack)
    if (optimize := sys.modules.get("scipy.optimize")) is not None:
        yield root_finding.of_scipy(optimize)
    if (integrate := sys.modules.get("scipy.integrate")) is not None:
        yield integration.of_scipy(integrate)
    if (linalg := sys.modules.get("scipy.linalg")) is not None:
        yield _plain(plain_linalg.of_scipy(linalg))


_OPTIONAL = tuple(
    dict.fromkeys((
        "logging", "statistics", "numpy.ma", "scipy.special", "scipy.stats", "scipy.constants",
        "scipy.linalg", "scipy.fft", "scipy.fftpack",
        *plain_scipy.MODULES,
    ))
)  # fmt: skip
"""Modules that have tables where they are loaded."""

_Tables = tuple[Mapping[object, Handler], ...]


@lru_cache(maxsize=1)
def _tables(
    modules: tuple[ModuleType | None, ...],
) -> tuple[dict[int, Handler], dict[int, Handler], tuple[_Tables, _Tables]]:
    """All tables but that of methods: those before it, those after it, which go first, and both as
    they are.

    They are made again when other modules of `_OPTIONAL` are loaded, which `modules` are.
    """
    written = {obj: _compiled(function) for obj, function in WRITTEN.items()}
    written |= {obj: of_known_ints(count, written[obj]) for obj, count in COUNTS.items()}
    before = (
        create.TABLE,
        elementwise.TABLE,
        ufuncs.TABLE,
        reduce.TABLE,
        python.TABLE,
        inspecting.TABLE,
        partials.TABLE,
        copying.TABLE,
        attribute_dicts.TABLE,
        clocks.TABLE,
        dataclass_fields.TABLE,
        named_tuples.TABLE,
        text_methods.TABLE,
        patterns.TABLE,
        output.TABLE,
        *output.of_logging(),
        operator_functions.TABLE,
        array_functions.TABLE,
        inquiries.TABLE,
        environment.TABLE,
        complex_calls.TABLE,
        plain_functions.TOLD,
        narrow.KERNELS,
        roundings.ROUNDED,
        plan_einsum.TABLE,
        lapack.TABLE,
        random.TABLE,
        _plain(plain_numpy.PLAIN),
        _plain(plain_linalg.NUMPY),
    )
    after = (written, *_of_scipy())
    return _by_identity(before), _by_identity(after), (before, after)


def library(methods: Mapping[object, Handler]) -> dict[int, Handler]:
    """Python's built-ins, `math` and NumPy, and the functions that methods have as well."""
    before, after, _ = _tables(tuple(map(sys.modules.get, _OPTIONAL)))
    return before | _by_identity((methods,)) | after
