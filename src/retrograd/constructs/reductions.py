"""Reductions and scans with any operator.

A reduction is done in parts: each begins with its first element, never with the neutral one, and
what the parts give is folded in order. A scan goes through the same parts, one after the other. How
long they are depends on the length of the array alone. The reverse sweep goes through one part at a
time again, so that the tape has one value for each part, and those of one part.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from retrograd.constructs.maps import build, common_length, item, put_once
from retrograd.tracebacks import library_program

__all__ = ["fold", "reduce", "scan"]


def _part(n: Any) -> Any:
    """Elements of a part: a 64th of all, but neither so few that parts cost more than elements nor
    more than what stays in a cache near the processor."""
    return min(max((n + 63) // 64, 1024), 16384)


@library_program
def reduce(op: Callable[[Any, Any], Any], neutral: Any, *arrays: Any) -> Any:
    """All elements put together by an associative operator.

    Args:
        op: a function of two elements that gives one; with several arrays, of tuples.
        neutral: what `op` leaves everything as it is with: the result where there are no elements.
        arrays: of one length.

    Returns:
        A value as an element; of arrays of several axes an array. Of `min`, `max`, `np.minimum` and
        `np.maximum` the derivative is that of the first of equal elements. The order of the
        elements is kept; uncompiled the result can differ in rounding.

    Raises:
        ValueError: arrays of different lengths.

    Source: Bruun et al. 2023, "Reverse-mode AD of multi-reduce and scan in Futhark".

    >>> import numpy as np, retrograd as rg
    >>> rg.reduce(lambda a, b: a * b, 1.0, np.array([1.0, 2.0, 3.0]))
    6.0
    >>> rg.grad(lambda x: rg.reduce(max, -np.inf, x))(np.array([1.0, 5.0, 5.0]))
    array([0., 1., 0.])
    """
    n = common_length(arrays)
    if n == 0:
        return neutral
    if op is builtins.min or op is np.minimum:
        return _first_extreme(arrays, n, 1.0)
    if op is builtins.max or op is np.maximum:
        return _first_extreme(arrays, n, -1.0)
    size = _part(n)
    parts = (n + (size - 1)) // size
    if parts == 1:
        return _folded(op, arrays, 0, n)
    totals = build(parts, lambda p: _folded(op, arrays, p * size, min((p + 1) * size, n)))
    return _folded(op, totals if len(arrays) > 1 else (totals,), 0, parts)


def _folded(op: Any, arrays: Any, first: Any, end: Any) -> Any:
    """The elements from the first to before the end, which there are."""
    total = _own(item(arrays, first))
    for i in range(first + 1, end):
        total = op(total, item(arrays, i))
    return total


def _own(value: Any) -> Any:
    """A value that is no view of an array."""
    if not isinstance(value, tuple):
        return value.copy() if np.ndim(value) > 0 else value
    return tuple([_own(one) for one in value])  # pyright: ignore[reportUnknownVariableType]


def _first_extreme(arrays: Any, n: Any, side: Any) -> Any:
    """The least element (`side` 1.0) or the largest (-1.0), the first of equal ones; of rows, for
    each column."""
    if len(arrays) > 1:
        raise TypeError("min and max take one array")
    (xs,) = arrays
    return _extreme(xs, n, side) if np.ndim(xs) == 1 else _extremes(xs, n, side)


def _extreme(xs: Any, n: Any, side: Any) -> Any:
    at = 0
    for i in range(1, n):
        if side * xs[i] < side * xs[at]:
            at = i
    return xs[at]


def _extremes(xs: Any, n: Any, side: Any) -> Any:
    return build(xs.shape[1], lambda j: _extreme(xs[:, j], n, side))


_NO_LOOP = (
    "rg.scan is a prefix scan, whose op combines two elements; for jax.lax.scan(f, init, xs) write "
    "`for x in xs: carry, y = f(carry, x)`, with rg.checkpoint(f) in the place of f to save less"
)


@library_program
def scan(
    op: Callable[[Any, Any], Any],
    neutral: Any,
    *arrays: Any,
    exclusive: bool = False,
    **others: Any,
) -> Any:
    """What `reduce` gives of the first element, the first two, and so on.

    Args:
        op: as for `reduce`.
        neutral: as for `reduce`; where a scan is exclusive it begins with this.
        arrays: of one length.
        exclusive: whether element i is of the elements before i, without that one.
        others: none; what `jax.lax.scan` is given by name is refused with what to write instead.

    Returns:
        An array as long as the arguments; of several arrays a tuple.

    Raises:
        ValueError: arrays of different lengths.
        TypeError: it is called like `jax.lax.scan(f, init, xs)`, which is a Python `for` here:
            `for x in xs: carry, y = f(carry, x)`, with `rg.checkpoint(f)` to save less.

    >>> import numpy as np, retrograd as rg
    >>> rg.scan(lambda a, b: a + b, 0.0, np.array([1.0, 2.0, 3.0]))
    array([1., 3., 6.])
    >>> rg.scan(lambda a, b: a + b, 0.0, np.array([1.0, 2.0, 3.0]), exclusive=True)
    array([0., 1., 3.])
    """
    if "length" in others or "reverse" in others or "unroll" in others:
        raise TypeError(_NO_LOOP)
    if len(others) > 0:
        raise TypeError("scan has one keyword argument: exclusive")
    one = len(arrays) == 1
    if one and (isinstance(neutral, tuple) or np.ndim(neutral) not in (0, np.ndim(arrays[0]) - 1)):
        raise TypeError(_NO_LOOP)
    n = common_length(arrays)
    outs = tuple([np.empty_like(a) for a in arrays])
    if n > 0:
        total = _own(item(arrays, 0))
        _put(outs, 0, neutral if exclusive else total)
        size = _part(n)
        for p in range((n + (size - 1)) // size):
            for i in range(max(p * size, 1), min((p + 1) * size, n)):
                if exclusive:
                    _put(outs, i, total)
                total = op(total, item(arrays, i))
                if one and isinstance(total, tuple):
                    raise TypeError(_NO_LOOP)
                if not exclusive:
                    _put(outs, i, total)
    return outs[0] if len(arrays) == 1 else outs


def _put(outs: Any, i: Any, value: Any) -> None:
    """Writes an element of the only array, or of each of them."""
    if len(outs) == 1:
        put_once(outs[0], i, value)
    else:
        for out, one in zip(outs, value):  # noqa: B905 (their numbers are the operator's)
            put_once(out, i, one)


@library_program
def fold(f: Callable[[Any, Any], Any], first: Any, *arrays: Any) -> Any:
    """A value that is taken through all elements, one after the other: a plain loop.

    Args:
        f: a function of the value and an element (a tuple of them with several arrays); it gives
            the next value, which need not be as an element is.
        first: the value before the first element.
        arrays: of one length.

    Returns:
        The value after the last element.

    Raises:
        ValueError: arrays of different lengths.

    >>> import numpy as np, retrograd as rg
    >>> rg.fold(lambda total, x: 0.5 * total + x, 0.0, np.array([1.0, 2.0]))
    2.5
    """
    value = first
    for i in range(common_length(arrays)):
        value = f(value, item(arrays, i))
    return value
