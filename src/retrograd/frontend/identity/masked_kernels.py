"""What is done with the elements and marks of masked arrays, as programs."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.identity.refusing import linked

__all__ = [
    "copied", "filled", "instead", "is_undivided", "least", "most", "raised", "safe", "usual",
]  # fmt: skip

np: Any = numpy

_TINY = 2.2250738585072014e-308
"""By how much a quotient may be less than its denominator's reciprocal before it is masked."""


def copied(marks: Any) -> Any:
    return linked(marks.copy(), marks)


def instead(values: Any, marks: Any, number: Any) -> Any:
    """A number in place of what is masked, of the kind that the elements are."""
    return np.where(marks, np.full_like(values, number), values)


def safe(values: Any, marks: Any) -> Any:
    """Ones in place of what is masked, so that no slope there is infinite or NaN."""
    return instead(values, marks, 1)


def filled(values: Any, marks: Any, number: Any) -> Any:
    return linked(instead(values, marks, number), values)


def usual(values: Any) -> Any:
    """NumPy's number to fill elements of a dtype."""
    if values.dtype == np.bool_:
        return True
    return 999999 if values.dtype == np.int64 else 1e20


def most(values: Any) -> Any:
    if values.dtype == np.bool_:
        return True
    return 9223372036854775807 if values.dtype == np.int64 else np.inf


def least(values: Any) -> Any:
    if values.dtype == np.bool_:
        return False
    return -9223372036854775807 - 1 if values.dtype == np.int64 else -np.inf


def is_undivided(a: Any, b: Any) -> Any:
    """Where a quotient is masked."""
    return np.abs(a) * _TINY >= np.abs(b)


def raised(a: Any, b: Any, marks: Any) -> Any:
    return safe(a, marks) ** safe(b, marks)
