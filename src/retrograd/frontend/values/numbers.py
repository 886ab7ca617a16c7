"""Whether numbers are Python's or NumPy's, where that is known.

Python's and NumPy's numbers are the same here but for a few operations: truth values of NumPy's add
up to truth values, and `~` gives the other one, while Python's are ints.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from retrograd.frontend.values.atoms import ONE_OF, SHARED
from retrograd.frontend.values.kinds import (
    ArrayRef,
    ComplexValue,
    Scalar,
    TupleValue,
    Value,
    parts,
    with_parts,
)
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Lit

__all__ = [
    "changed_number", "gives_numpy", "gives_python", "is_python", "may_be_array", "of_both",
    "of_numpy", "of_python", "with_array",
]  # fmt: skip

_GIVING_PYTHON: tuple[object, ...] = (
    np.allclose, np.array_equal, np.count_nonzero, np.imag, np.iscomplexobj, np.isrealobj,
    np.isscalar, np.issubdtype, np.iterable, np.ndim, np.real, np.shape, np.size,
)  # fmt: skip


def of_python(value: Value) -> Value:
    """A value with the fact that its numbers are Python's."""
    if isinstance(value, Scalar):
        return replace(value, numpy=False, array=0)
    if isinstance(value, TupleValue):
        return replace(value, items=tuple(map(of_python, value.items)))
    return value


def is_python(value: Scalar) -> bool:
    """Whether a number is known to be Python's: one that is written out is."""
    return value.numpy is False or (isinstance(value.atom, Lit) and value.numpy is None)


def of_both(made: Value, a: Scalar, b: Scalar) -> Value:
    """The result of an operation: NumPy's if one of the operands is, Python's if both are."""
    if not isinstance(made, Scalar):
        return made
    if a.numpy or b.numpy:
        return replace(made, numpy=True)
    known = is_python(a) and is_python(b) and not isinstance(made.atom, Lit)
    return replace(made, numpy=False) if known else made


def of_numpy(value: Value) -> Value:
    """A value with the fact that its numbers are NumPy's."""
    if isinstance(value, Scalar):
        return value if value.numpy else replace(value, numpy=True)
    if isinstance(value, TupleValue):
        return replace(value, items=tuple(map(of_numpy, value.items)))
    if isinstance(value, ComplexValue):
        return with_parts(value, (of_numpy(value.real), of_numpy(value.imag)))
    return value


_MAKING_ARRAYS: tuple[object, ...] = (
    np.array, np.copy, np.empty, np.empty_like, np.full, np.full_like, np.ones, np.ones_like,
    np.piecewise, np.select, np.where, np.zeros, np.zeros_like,
)  # fmt: skip
_VIEWING: tuple[object, ...] = (
    np.asarray, np.asanyarray, np.reshape, np.squeeze, np.transpose, "reshape", "squeeze",
    "transpose", "view",
)  # fmt: skip
_COPYING = ("copy", "astype")


def with_array(t: Tracer, function: object, args: Sequence[Value], made: Value) -> Value:
    """What a function of NumPy's, or a method (its name), gives, as an array without axes if it is
    one there: a new one, or that of the first argument."""
    if not isinstance(made, Scalar):
        return made
    if any(function is one for one in _VIEWING):
        first = args[0] if args else made
        array = SHARED if isinstance(first, ArrayRef) else made.array or t.ctx.fresh()
    elif function in _COPYING:
        array = made.array and t.ctx.fresh()
    else:
        array = t.ctx.fresh() if any(function is one for one in _MAKING_ARRAYS) else 0
    if array and not isinstance(function, str):
        t.ctx.of_rank_zero.add(made.atom)
    return made if made.array == array else replace(made, array=array)


def changed_number(t: Tracer, old: Value, new: Value) -> Value:
    """What `old op= ..` makes of a number: one that is an array without axes in NumPy changes in
    place, so nothing else may have it."""
    if not isinstance(old, Scalar) or not isinstance(new, Scalar) or not old.array:
        return new
    meant = (old.array, ONE_OF) if old.array > 0 else range(ONE_OF, t.ctx.counter + 1)
    held = [one for value in t.state.cells.values() for one in _numbers_in(value)]
    others = sum(1 for one in held if one.array and one.array in meant)
    if old.array == SHARED or others > 1:
        raise t.error(
            "RG0106", "an array without axes changes in place, and something else has it as well",
            "make a new one: x = x + y",
        )  # fmt: skip
    return replace(new, array=old.array)


def _numbers_in(value: Value) -> Iterator[Scalar]:
    if isinstance(value, Scalar):
        yield value
    for part in parts(value):
        yield from _numbers_in(part)


def may_be_array(t: Tracer, value: Value) -> bool:
    """Whether a number may be an array without axes, to which Python can assign."""
    if not isinstance(value, Scalar):
        return not isinstance(value, TupleValue) or value.cls is list
    return isinstance(value.atom, Lit) or value.atom in t.ctx.of_rank_zero


_COUNTING: tuple[object, ...] = (
    len, int, float, bool, np.ndim, np.shape, np.size, np.count_nonzero,
)  # fmt: skip
_KEEPING: tuple[object, ...] = (min, max, abs, round, pow, divmod)


def gives_python(function: object, args: Sequence[Value]) -> bool:
    """Whether the numbers that a function of a library gives are Python's."""
    if any(function is one for one in _COUNTING):
        return True
    kept = any(function is one for one in _KEEPING)
    return kept and all(isinstance(arg, Scalar) and is_python(arg) for arg in args)


def gives_numpy(function: object, args: Sequence[Value]) -> bool:
    """Whether the numbers that a function of a library gives are NumPy's."""
    if function is abs:
        return all(isinstance(arg, Scalar) and arg.numpy is True for arg in args)
    module = str(getattr(function, "__module__", None) or "")
    return module.startswith("numpy") and not any(function is one for one in _GIVING_PYTHON)
