"""Arrays of texts and of objects, whose class is `identity/object_arrays.py`."""

from __future__ import annotations

import numpy as np

from retrograd.frontend.identity.object_arrays import of_objects, of_texts
from retrograd.frontend.library.args import is_none
from retrograd.frontend.values.freezing import frozen
from retrograd.frontend.values.kinds import ArrayRef, Scalar, Static, TupleValue, Value, describe
from retrograd.frontend.values.lists import is_list
from retrograd.frontend.values.records import is_record
from retrograd.frontend.values.text_choices import is_text
from retrograd.frontend.values.tracer import Tracer

__all__ = ["means_objects", "of_no_numbers"]

_OBJECT = np.dtype(object)


def means_objects(dtype: Value | None) -> bool:
    """Whether a dtype is that of Python's objects."""
    obj: object = dtype.obj if isinstance(dtype, Static) else None
    return obj is object or obj in ("object", "O") or (isinstance(obj, np.dtype) and obj == _OBJECT)


def of_no_numbers(t: Tracer, value: Value, dtype: Value | None) -> Value | None:
    """An array of texts, or of objects where the dtype says so; None of what has numbers."""
    every = frozen(t, value)
    items = every.items if isinstance(every, TupleValue) and not is_record(every) else ()
    if is_none(dtype) and len(items) > 0 and all(map(is_text, items)):
        return t.call(Static(of_texts), (value,), {})
    if not means_objects(dtype):
        return None
    for item in items:
        if isinstance(item, Scalar | ArrayRef | TupleValue) or is_list(item):
            raise t.error(
                "RG0103", f"an array of objects of {describe(item)}",
                "make a list, or np.empty(n, dtype=object) and put items into it",
            )  # fmt: skip
    return t.call(Static(of_objects), (value,), {})
