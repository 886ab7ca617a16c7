"""Functions of numbers at each element of arrays."""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["as_floats", "of_each"]

np: Any = numpy


def as_floats(x: Any) -> Any:
    return np.asarray(x) * 1.0


def of_each(one: Any, every: Any, *args: Any) -> Any:
    """A function of numbers at each element, arguments broadcast."""
    total = as_floats(args[0])
    for other in args[1:]:
        total = total + 0.0 * np.where(np.isfinite(other), other, 0.0)
    if total.ndim == 0:
        return one(*[as_floats(arg) for arg in args])
    flat = [np.ravel(np.broadcast_to(as_floats(arg), total.shape)) for arg in args]
    return np.reshape(every(*flat), total.shape)
