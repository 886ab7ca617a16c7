"""Comparisons of whole arrays."""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["allclose", "array_equal", "isclose"]

np: Any = numpy


def isclose(a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: Any = False) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    near = np.abs(a * 1.0 - b) <= atol + rtol * np.abs(b * 1.0)
    found = np.logical_or(np.logical_and(near, np.isfinite(b)), a == b)
    if equal_nan:
        return np.logical_or(found, np.logical_and(np.isnan(a), np.isnan(b)))
    return found


def allclose(a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: Any = False) -> Any:
    return np.all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any, equal_nan: Any = False) -> Any:
    a, b = np.asarray(a1), np.asarray(a2)
    if a.ndim != b.ndim:
        return False
    if a.ndim > 0:
        for one, two in zip(a.shape, b.shape, strict=True):
            if one != two:
                return False
    if equal_nan:
        return np.all(np.logical_or(a == b, np.logical_and(np.isnan(a), np.isnan(b))))
    return np.all(a == b)
