"""Arguments that share memory, of functions that write to one of them.

Native code has each array for itself: what is written to one is not seen in another. Where the
caller's arrays overlap, Python's result is another one, so `jit` has Python run such a call, and
derivatives refuse it (docs/decisions/0023). Arguments that nobody writes may overlap as they like.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from retrograd.errors import Span, UserError
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.specs import CACHED
from retrograd.frontend.identity.surroundings import Interface, package_of
from retrograd.frontend.identity.transformed import Rerun, Ruled, Transformed

__all__ = ["place_of", "refuse_sharing", "shared"]


def place_of(fun: object) -> Span | None:
    """The first line of the Python function inside; None where it is not the user's."""
    while not isinstance(fun, FunctionType):
        match fun:
            case Transformed() | Rerun() | Ruled():
                fun = fun.fun
            case MethodType():
                fun = fun.__func__
            case partial():
                fun = cast("partial[Any]", fun).func
            case _ if type(fun) is CACHED:
                fun = cast("Any", fun).__wrapped__
            case _:
                return None
    if package_of(fun) is not None:
        return None
    file, line = fun.__code__.co_filename, fun.__code__.co_firstlineno
    text = linecache.getline(file, line).rstrip()
    return Span(file, line, len(text) - len(text.lstrip()), line, max(1, len(text)))


def shared(traced: Interface, flat: Sequence[Any]) -> tuple[int, int] | None:
    """Positions of an array that the function writes to and of one that shares memory with it.

    They are the same where elements of the written array share memory with each other.
    """
    arrays = {
        k: cast("NDArray[Any]", value)
        for k, value in enumerate(flat)
        if isinstance(value, np.ndarray) and value.ndim > 0
    }
    for one in traced.written:
        if _folded(arrays[one]):
            return one, one
        for other, array in arrays.items():
            if other != one and np.shares_memory(arrays[one], array):
                return one, other
    for one, other in traced.apart:
        if np.shares_memory(arrays[one], arrays[other]):
            return one, other
    return None


def _folded(array: NDArray[Any]) -> bool:
    """Whether elements of an array may share memory, as in a view made by `as_strided`.

    They do not where each axis, from the smallest stride on, steps over all that is inside it. To
    one that is read-only, as what `np.broadcast_to` gives, nobody can write in Python.
    """
    if array.flags.c_contiguous or array.size == 0 or not array.flags.writeable:
        return False
    span = array.itemsize
    axes = sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1)
    for stride, extent in axes:
        if stride < span:
            return True
        span += stride * (extent - 1)
    return False


def refuse_sharing(fun: Callable[..., Any], traced: Interface, flat: Sequence[Any]) -> None:
    """UserError where a derivative (or an interrupted run) would take for two what is one array."""
    if not traced.written and not traced.apart:
        return
    pair = shared(traced, flat)
    if pair is None:
        return
    names = list(_names(traced))
    one, other = (names[k] for k in pair)
    what = f"{one} and {other} share memory" if one != other else f"parts of {one} share memory"
    raise UserError(
        "RG0307", f"{what}, and the function writes to {one}", place_of(fun),
        "pass a copy for one of them: x.copy()",
    )  # fmt: skip


def _names(traced: Interface) -> Iterator[str]:
    """What the user calls each parameter of the entry."""
    for k, spec in enumerate(traced.inputs):
        yield from (f"argument {k}" for _ in leaf_types(spec))
    for name, spec in traced.keywords:
        yield from (f"argument {name!r}" for _ in leaf_types(spec))
    for hidden in traced.hidden:
        where = "the captured" if hidden.kind == "cell" else "the global"
        yield from (f"{where} {hidden.name!r}" for _ in leaf_types(hidden.spec))
