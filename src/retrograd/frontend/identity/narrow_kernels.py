"""What is done with the elements of arrays of ints of less than 64 bits, as programs.

`common`, `made`, `number`, `operand` and `raw` are known to the translation.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.identity.refusing import refuse

__all__ = [
    "applied", "chosen", "common", "converted", "kept", "last_bits", "made", "number",
    "operand", "product", "put", "raw",
]  # fmt: skip

np: Any = numpy

_WIDEN = "convert first: x.astype(np.int64), or x.astype(float)"


def common(a: Any, b: Any) -> Any:
    """The class of numbers of an operation on both; that of the other where one is None."""
    return np.result_type(a, b).type


def made(values: Any, kind: Any) -> Any:
    """A result of an operation on 64 bits, as an array or number of that class."""
    return values.astype(kind)


def number(value: Any, kind: Any) -> Any:
    """An element, which is in the range of its class."""
    return kind(value)


def raw(x: Any) -> Any:
    """The elements of what may be such an array, of 64 bits."""
    return x


def operand(x: Any, kind: Any) -> Any:
    """The same, of an operation whose result has that class: an int of Python's is of it, too."""
    return x


def last_bits(values: Any, bits: Any, signed: Any) -> Any:
    """What is left of ints in so many bits."""
    low = values & (2**bits - 1)
    return (low ^ 2 ** (bits - 1)) - 2 ** (bits - 1) if signed else low


def applied(apply: Any, a: Any, b: Any) -> Any:
    """A function of two, by 64 bits. Ints of Python's have to be in the range."""
    kind = common(a, b)
    return made(apply(operand(a, kind), operand(b, kind)), kind)


def chosen(condition: Any, a: Any, b: Any) -> Any:
    return made(np.where(raw(condition), raw(a), raw(b)), common(a, b))


def converted(make: Any, values: Any, kind: Any, *args: Any) -> Any:
    """An array that is made of data: ints of Python's have to be in the range."""
    found = make(values, *args)
    low, high = np.iinfo(kind).min, np.iinfo(kind).max
    if np.any((found < low) | (found > high)):
        raise OverflowError("Python integer out of bounds")
    return made(found, kind)


def put(value: Any, kind: Any) -> Any:
    """What is assigned to elements: arrays wrap around, numbers have to be in the range."""
    found = raw(value)
    if np.ndim(found) > 0:
        return raw(made(found.astype(int), kind))
    whole = int(found)
    if whole < np.iinfo(kind).min or whole > np.iinfo(kind).max:
        raise OverflowError("Python integer out of bounds")
    return whole


def kept(found: Any, kind: Any) -> Any:
    """The result of an operation in place, which has to be of the same class."""
    if common(found, found) is not kind:
        raise TypeError("Cannot cast ufunc output to the dtype of an array of ints")
    return raw(found)


def product(a: Any, b: Any, what: Any) -> Any:
    if np.issubdtype(common(a, b), np.integer):
        refuse(what, _WIDEN)
    return raw(a) @ raw(b)
