"""`np.choose`, and functions over one axis after the other."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import as_tuple

__all__ = ["apply_over_axes", "choose"]

np: Any = numpy


def choose(a: Any, choices: Any) -> Any:
    a = np.asarray(a)
    if a.dtype == np.float64:
        raise TypeError("Cannot cast array data to int64 according to the rule 'safe'")
    if np.any(np.logical_or(a < 0, a >= len(choices))):
        raise ValueError("invalid entry in choice array")
    found = np.where(a == 0, choices[0], choices[0])
    for k in range(1, len(choices)):
        found = np.where(a == k, choices[k], found)
    return found


def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    found = np.asarray(a)
    for axis in as_tuple(axes):
        made = func(found, axis)
        found = made if made.ndim == found.ndim else np.expand_dims(made, axis)
    return found
