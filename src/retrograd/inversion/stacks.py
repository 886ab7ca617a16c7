"""Stacks: values that a reversible function leaves behind, and takes up again on the way back."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrograd.tracebacks import library_program

__all__ = ["Stack", "stack"]


@dataclass(eq=False, repr=False)
class Stack:
    """Values that reversible functions have put aside; made by `stack`.

    It has no `len`, which of an array does not change when what it holds does.

    Attributes:
        items: an array of the capacity, and of the shape of a value after that; zeros above the
            top.
        filled: an array of one int, how many values there are; None of a cotangent, which is a
            stack as well.
    """

    items: NDArray[Any]
    filled: Any

    @property
    def count(self) -> Any:
        """How many values there are."""
        return self.filled[0]

    @property
    def capacity(self) -> Any:
        """How many there may be."""
        return len(self.items)

    def __repr__(self) -> str:
        if self.filled is None:
            return f"stack({self.items}, cotangents)"
        return f"stack({self.items[: self.filled[0]].tolist()}, capacity={len(self.items)})"


@library_program
def stack(capacity: Any, like: Any = 0.0) -> Stack:
    """An empty stack, to which `push` moves values, and from which `pop` takes them.

    Args:
        capacity: how many values it can hold, an int.
        like: a value of the kind that it holds: a number (float, int, bool), or an array of the
            shape and dtype of all values.

    Returns:
        A parameter, or a part of one, of reversible functions, which change it in place.

    Raises:
        ValueError: the capacity is negative.

    Source: Liu and Zhao 2020, "Differentiate everything with a reversible embedded domain-specific
    language" (`FLOAT64_STACK`).

    >>> import numpy as np, retrograd as rg
    >>> @rg.reversible
    ... def mean(s, out, x):
    ...     total = 0.0
    ...     for value in x:
    ...         total += value
    ...     out += total / len(x)
    ...     total = rg.push(s, total)
    ...     return out
    >>> s = rg.stack(4)
    >>> float(mean(s, 0.0, np.array([1.0, 2.0, 6.0]))), s
    (3.0, stack([9.0], capacity=4))
    """
    if isinstance(like, np.ndarray):
        return Stack(np.zeros((capacity, *like.shape), like.dtype), np.zeros(1, np.int64))
    if isinstance(like, bool):
        return Stack(np.zeros(capacity, np.bool_), np.zeros(1, np.int64))
    if isinstance(like, int):
        return Stack(np.zeros(capacity, np.int64), np.zeros(1, np.int64))
    return Stack(np.zeros(capacity), np.zeros(1, np.int64))
