"""What a user would call objects and classes."""

from __future__ import annotations

import os
from typing import Any, cast

from retrograd.frontend.identity.buffers import (
    ListBuffer,
    ListItems,
    ListKinds,
    ListObject,
    ListRow,
    ListText,
)
from retrograd.frontend.identity.clocks import TIME
from retrograd.frontend.identity.containers import stands_for
from retrograd.frontend.identity.dict_rows import DictRow
from retrograd.frontend.identity.growing_lists import Growing
from retrograd.frontend.identity.narrow_ints import NarrowArray
from retrograd.ir.types import BOOL, F64, I64, DType, Type

__all__ = ["class_in_words", "object_in_words", "type_in_words"]

_SCALARS = {F64: "a float", I64: "an int", BOOL: "a bool"}
_ARRAYS = {DType.F64: "floats", DType.I64: "ints", DType.BOOL: "bools"}


def type_in_words(type_: Type) -> str:
    """A number or an array of a type."""
    if type_.is_scalar:
        return _SCALARS[type_]
    return f"an array of {_ARRAYS[type_.dtype]} of rank {type_.rank}"


def class_in_words(cls: type[Any], items: int | None) -> str:
    """An object of a class; `items` is how many a tuple has, None for what is no tuple."""
    if cls in (ListItems, ListBuffer, ListRow) or (cls is list and items is None):
        return "a list"
    if issubclass(cls, Growing):
        return "a list"
    if cls is NarrowArray:
        return "an array of ints of less than 64 bits"
    if cls is dict or issubclass(cls, DictRow):
        return "a dict"
    if issubclass(cls, ListObject):
        return f"an object of class {cls.of.__name__!r}"
    if issubclass(cls, ListText):
        return "a text"
    if issubclass(cls, ListKinds):
        return "None" if not cls.ids else "one of several kinds"
    if (real := stands_for(cast("type[Any]", cls))) is not None:
        return _with_article(real.__name__)
    if items is not None:
        ours = cls.__module__.startswith("retrograd.")  # what it is made of is nobody's to see
        return _with_article(cls.__name__) if ours else f"a {cls.__name__} of {items}"
    return f"an object of class {_name_of(cls.__name__, cls.__module__, cls.__doc__)!r}"


def _name_of(name: str, module: str, told: str | None) -> str:
    """As the user has it: a class of ours that stands for another one begins with its name."""
    text = (told or "").partition("`")
    if not module.startswith("retrograd.") or text[0] or "`" not in text[2]:
        return name
    return text[2].partition("`")[0]


def _with_article(name: str) -> str:
    return f"an {name}" if name[0] in "aeiouAEIOU" else f"a {name}"


def object_in_words(obj: object) -> str:
    """A baked object, with its type."""
    name: object = getattr(obj, "__name__", None)
    kind = type(obj).__name__
    if obj is TIME:
        return "a time that a clock told"
    if obj is os.environ:
        return "the environment"  # which is nobody's to read
    if kind.endswith("_function_or_method"):  # of C, or compiled by Cython
        kind = "function"
    return f"{kind} {(name if isinstance(name, str) else obj)!r}"
