"""Arrays whose last two axes are those of matrices, as matrices along one axis."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import size_of

__all__ = ["stack_of", "stretched_to"]

np: Any = numpy


def stretched_to(a: Any, b: Any) -> Any:
    """The shape that those of two stacks, without the axes of the matrices, are stretched to."""
    rank = max(a.ndim, b.ndim) - 2
    one, other = _filled(a.shape[:-2], rank), _filled(b.shape[:-2], rank)
    return tuple([_common(n, m) for n, m in zip(one, other, strict=True)])


def _filled(shape: Any, rank: Any) -> Any:
    return (1,) * (rank - len(shape)) + tuple(shape)


def _common(n: Any, m: Any) -> Any:
    if n != m and n != 1 and m != 1:
        raise ValueError("operands could not be broadcast together with remapped shapes")
    return m if n == 1 else n


def stack_of(x: Any, shape: Any) -> Any:
    """The matrices as (n, rows, columns): as many as a stack of that shape has."""
    rows, columns = x.shape[-2:]
    n = size_of(shape)
    matrices = np.reshape(x, (size_of(x.shape[:-2]), rows, columns))
    if len(matrices) != n:
        matrices = np.reshape(np.broadcast_to(x, (*shape, rows, columns)), (n, rows, columns))
    return matrices
