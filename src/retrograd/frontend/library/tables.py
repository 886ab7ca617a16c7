"""The table of all library functions, by the identity of the object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from retrograd.frontend.library import (
    array_functions,
    create,
    elementwise,
    operator_functions,
    python,
    reduce,
    ufuncs,
)
from retrograd.frontend.library.written import WRITTEN
from retrograd.frontend.values.kinds import Static
from retrograd.frontend.values.tracer import Handler

__all__ = ["library"]


def _by_identity(table: Mapping[object, Handler]) -> dict[int, Handler]:
    """A table by object made one by `id`; the objects are kept alive by `table`."""
    return {id(obj): handler for obj, handler in table.items()}


def _compiled(function: Callable[..., Any]) -> Handler:
    return lambda t, args, kwargs: t.call(Static(function), args, kwargs)


def library(methods: Mapping[object, Handler]) -> dict[int, Handler]:
    """Python's built-ins, `math` and NumPy, and the functions that methods have as well."""
    written = {obj: _compiled(function) for obj, function in WRITTEN.items()}
    tables = (
        create.TABLE,
        elementwise.TABLE,
        ufuncs.TABLE,
        reduce.TABLE,
        python.TABLE,
        operator_functions.TABLE,
        array_functions.TABLE,
        methods,
        written,
    )
    return {key: handler for table in tables for key, handler in _by_identity(table).items()}
