"""The table of all library functions, by the identity of the object."""

from __future__ import annotations

from collections.abc import Mapping

from retrograd.frontend.core import Handler
from retrograd.frontend.library import create, elementwise, python, reduce

__all__ = ["library"]


def _by_identity(table: Mapping[object, Handler]) -> dict[int, Handler]:
    """A table by object made one by `id`; the objects are kept alive by `table`."""
    return {id(obj): handler for obj, handler in table.items()}


def library(methods: Mapping[object, Handler]) -> dict[int, Handler]:
    """Python's built-ins, `math` and NumPy, and the functions that methods have as well."""
    tables = (create.TABLE, elementwise.TABLE, reduce.TABLE, python.TABLE, methods)
    return {key: handler for table in tables for key, handler in _by_identity(table).items()}
