"""The table of all library functions, by the identity of the object."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from retrograd.frontend.library import (
    array_functions,
    copying,
    create,
    elementwise,
    inquiries,
    inspecting,
    lapack,
    operator_functions,
    output,
    partials,
    plain_functions,
    plain_linalg,
    plain_numpy,
    plain_scipy,
    plan_einsum,
    python,
    random,
    reduce,
    text_methods,
    ufuncs,
)
from retrograd.frontend.library.plain_functions import Plain
from retrograd.frontend.library.written import WRITTEN
from retrograd.frontend.values.kinds import Static
from retrograd.frontend.values.tracer import Handler

__all__ = ["library"]


def _by_identity(table: Mapping[object, Handler]) -> dict[int, Handler]:
    """A table by object made one by `id`; the objects are kept alive by `table`."""
    return {id(obj): handler for obj, handler in table.items()}


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
    if (constants := sys.modules.get("scipy.constants")) is not None:
        yield inquiries.of_constants(constants)
    if (linalg := sys.modules.get("scipy.linalg")) is not None:
        yield _plain(plain_linalg.of_scipy(linalg))
        yield dict.fromkeys((linalg.eig, linalg.eigvals), plain_linalg.refused)


def library(methods: Mapping[object, Handler]) -> dict[int, Handler]:
    """Python's built-ins, `math` and NumPy, and the functions that methods have as well."""
    written = {obj: _compiled(function) for obj, function in WRITTEN.items()}
    tables = (
        create.TABLE,
        elementwise.TABLE,
        ufuncs.TABLE,
        reduce.TABLE,
        python.TABLE,
        inspecting.TABLE,
        partials.TABLE,
        copying.TABLE,
        text_methods.TABLE,
        output.TABLE,
        *output.of_logging(),
        operator_functions.TABLE,
        array_functions.TABLE,
        inquiries.TABLE,
        plain_functions.TOLD,
        plan_einsum.TABLE,
        lapack.TABLE,
        random.TABLE,
        _plain(plain_numpy.PLAIN),
        _plain(plain_linalg.NUMPY),
        plain_linalg.REFUSED,
        methods,
        written,
        *_of_scipy(),
    )
    return {key: handler for table in tables for key, handler in _by_identity(table).items()}
