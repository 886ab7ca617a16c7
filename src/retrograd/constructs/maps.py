"""Maps: arrays of which each element is calculated by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from retrograd.tracebacks import library_program

__all__ = ["build", "common_length", "iota", "item", "map", "put_once", "replicate"]


@library_program
def build(n: Any, f: Callable[[Any], Any]) -> Any:
    """The array of f(0), f(1), .. f(n - 1).

    Args:
        n: how many elements, an int; none where it is negative.
        f: a function of an int. It gives a number, an array of at most two axes, which becomes a
            row, or a tuple, list, dict, NamedTuple or frozen dataclass of these; it writes to
            nothing but its own arrays.

    Returns:
        An array with one axis more than what `f` gives, or a tuple (..) of such arrays. Without
        elements numbers make an empty array.

    Raises:
        ValueError: rows of different shapes, or rows of an array that has none.

    >>> import retrograd as rg
    >>> rg.build(4, lambda i: 2.0 * i)
    array([0., 2., 4., 6.])
    >>> rg.grad(lambda x: sum(rg.build(3, lambda i: x ** i)))(2.0)
    5.0
    """
    return _stacked([f(k) for k in range(n)])


def _stacked(items: list[Any]) -> Any:
    """What `build` gives where nothing is compiled."""
    kind = items[0].__class__ if items else None
    as_kind: Any = list if kind is list else getattr(kind, "_make", tuple)
    if kind is not None and issubclass(kind, (tuple, list)):
        return as_kind([_stacked(list(column)) for column in zip(*items, strict=True)])
    if kind is dict:
        return {key: _stacked([item[key] for item in items]) for key in items[0]}
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        return replace(items[0], **{k: _stacked([getattr(i, k) for i in items]) for k in names})
    if len({np.shape(item) for item in items}) > 1:
        raise ValueError("rows of different shapes")
    return np.array(items) if items else np.zeros(0)


def common_length(arrays: Any) -> Any:
    """The length of all these arrays."""
    if len(arrays) == 0:
        raise TypeError("there is no array")
    n = len(arrays[0])
    for array in arrays[1:]:
        if len(array) != n:
            raise ValueError("arrays of different lengths")
    return n


def item(arrays: Any, i: Any) -> Any:
    """Element i of the only array, or of all arrays as a tuple."""
    return arrays[0][i] if len(arrays) == 1 else tuple([a[i] for a in arrays])


def put_once(out: Any, i: Any, value: Any) -> None:
    """`out[i] = value` of an element, or row, of `np.empty` that is written this one time.

    So a gradient need not clear the cotangent of what was there before. That no other write meets
    the element is the caller's to see to, and is not tested.
    """
    out[i] = value


@library_program
def map(f: Callable[..., Any], *arrays: Any) -> Any:
    """The array of f(a[i], b[i], ..) for all i.

    Args:
        f: a function of as many arguments as there are arrays, with results as for `build`.
        arrays: of one length; of arrays of several axes `f` is given rows.

    Returns:
        An array, or a tuple of arrays, as long as the arguments.

    Raises:
        ValueError: arrays of different lengths; rows of different shapes.

    Source: Schenck et al. 2022, "AD for an array language with nested parallelism".

    >>> import numpy as np, retrograd as rg
    >>> rg.map(lambda x, y: x * y, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([3., 8.])
    >>> rg.grad(lambda x: np.sum(rg.map(np.sin, x)))(np.zeros(3))
    array([1., 1., 1.])
    """
    return build(common_length(arrays), lambda i: f(*[a[i] for a in arrays]))


@library_program
def iota(n: int) -> Any:
    """The ints 0 to n - 1.

    Args:
        n: how many; none where it is negative.

    >>> import retrograd as rg
    >>> rg.iota(3)
    array([0, 1, 2])
    """
    return np.arange(n)


@library_program
def replicate(n: Any, x: Any) -> Any:
    """n times the same value.

    Args:
        n: how many, an int.
        x: a number, an array of at most two axes, or a tuple of these.

    Returns:
        What `build` makes of it.

    >>> import retrograd as rg
    >>> rg.replicate(2, 1.5)
    array([1.5, 1.5])
    """
    return build(n, lambda i: x)
