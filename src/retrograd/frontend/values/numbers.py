"""Whether numbers are Python's or NumPy's, where that is known.

Python's and NumPy's numbers are the same here but for a few operations: truth values of NumPy's add
up to truth values, and `~` gives the other one, while Python's are ints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from retrograd.frontend.values.kinds import (
    ComplexValue,
    Scalar,
    TupleValue,
    Value,
    with_parts,
)
from retrograd.ir.terms import Lit

__all__ = [
    "gives_numpy", "gives_python", "is_python", "kind_of_number", "may_be_array", "of_both",
    "of_numpy", "of_python",
]  # fmt: skip

_GIVING_PYTHON: tuple[object, ...] = (
    np.allclose, np.array_equal, np.can_cast, np.count_nonzero, np.imag, np.iscomplexobj,
    np.isdtype, np.isrealobj, np.isscalar, np.issubdtype, np.iterable, np.ndim, np.real, np.shape,
    np.size,
)  # fmt: skip


def of_python(value: Value) -> Value:
    """A value with the fact that its numbers are Python's."""
    if isinstance(value, Scalar):
        return replace(value, numpy=False, array=0, small=None)
    if isinstance(value, TupleValue):
        return replace(value, items=tuple(map(of_python, value.items)))
    return value


def is_python(value: Scalar) -> bool:
    """Whether a number is known to be Python's: one that is written out is."""
    return value.numpy is False or (isinstance(value.atom, Lit) and value.numpy is None)


def kind_of_number(value: Scalar) -> bool | None:
    """Whether a number is NumPy's; None if that is not known."""
    return False if is_python(value) else value.numpy


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


def may_be_array(value: Value) -> bool:
    """Whether a number may be an array without axes, to which Python can assign."""
    if not isinstance(value, Scalar):
        return not isinstance(value, TupleValue) or value.cls is list
    return isinstance(value.atom, Lit) or value.array != 0


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
