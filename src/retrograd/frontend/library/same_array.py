"""Methods of arrays that give the array itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.frontend.library.args import bind, dtype_from, is_none
from retrograd.frontend.library.ways_out import of_array_method
from retrograd.frontend.values.kinds import ArrayRef, Static, Value
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.types import DType

__all__ = ["view"]


def view(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The array itself, which all that is written to the view is written to."""
    value, dtype, kind = bind(t, "view", args, kwargs, "a dtype type")
    assert value is not None
    for given in (dtype, kind):
        if is_none(given) or given == Static(np.ndarray):
            continue
        cls = given.obj if isinstance(given, Static) else None
        if isinstance(cls, type) and issubclass(cls, np.ndarray):
            raise t.error("RG0107", f"a view as a {cls.__name__}", "arrays are np.ndarray here")
        wanted = None if given is None else dtype_from(t, given, DType.F64)
        if not isinstance(value, ArrayRef) or wanted is not value.type.dtype:
            raise t.error("RG0107", "a view of another dtype", of_array_method("view"))
    return value
