"""Masked arrays of NumPy's that come from outside of a program, and that go there."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy

from retrograd.frontend.identity.masked_arrays import CHANGED, MaskedArray

__all__ = ["in_numpy", "is_masked", "parts_of", "why_masked_is_not"]

np: Any = numpy


def is_masked(value: object) -> bool:
    """Whether it is a masked array of NumPy's."""
    ma: Any = sys.modules.get("numpy.ma")
    return ma is not None and isinstance(value, ma.MaskedArray)


def why_masked_is_not(value: Any) -> str | None:
    """What a masked array is that is not accepted; None where it is."""
    if value.ndim == 0:
        return "a masked array without axes"
    if value.hardmask:
        return "an array with a hard mask"
    accepted = value.dtype.kind in "ib" or value.dtype == np.float64
    return None if accepted else f"a masked array of {value.dtype.name}"


def parts_of(value: Any) -> tuple[Any, ...]:
    """The fields of what stands for a masked array: its elements and its mask are NumPy's own."""
    bare = value.mask is np.ma.nomask
    marks = np.ma.getmaskarray(value)
    own = value._fill_value
    fill = None if own is None else own.item()
    return np.asarray(value.data), np.asarray(marks), bare, False, fill


def in_numpy(cls: type[Any], items: Sequence[Any]) -> Any:
    """The masked array of NumPy's of the fields of one; None of another class, and where they are
    not there, as in gradients."""
    if cls is not MaskedArray or any(item is None for item in items[:2]):
        return None
    values, marks, bare, _, fill = items
    if fill is None or fill is CHANGED:
        return np.ma.array(values, mask=np.ma.nomask if bare else marks)
    return np.ma.array(values, mask=np.ma.nomask if bare else marks, fill_value=fill)
