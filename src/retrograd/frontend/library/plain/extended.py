"""`np.emath`: functions whose results are complex outside of their real domain.

Which kind of number a program has is known when it is translated. So real numbers are taken for
such of the domain, and a complex one has to be given where that is not so.
"""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["arccos", "arcsin", "arctanh", "log", "log2", "log10", "power", "sqrt"]

np: Any = numpy


def _positive(x: Any) -> None:
    if np.any(np.asarray(x) < 0):
        raise ValueError("the result is complex: give np.emath a complex number, x + 0j")


def _at_most_one(x: Any) -> None:
    if np.any(np.abs(x) > 1):
        raise ValueError("the result is complex: give np.emath a complex number, x + 0j")


def sqrt(x: Any) -> Any:
    _positive(x)
    return np.sqrt(x)


def log(x: Any) -> Any:
    _positive(x)
    return np.log(x)


def log2(x: Any) -> Any:
    _positive(x)
    return np.log2(x)


def log10(x: Any) -> Any:
    _positive(x)
    return np.log10(x)


def power(x: Any, p: Any) -> Any:
    _positive(x)
    return np.power(x, p)


def arccos(x: Any) -> Any:
    _at_most_one(x)
    return np.arccos(x)


def arcsin(x: Any) -> Any:
    _at_most_one(x)
    return np.arcsin(x)


def arctanh(x: Any) -> Any:
    _at_most_one(x)
    return np.arctanh(x)
