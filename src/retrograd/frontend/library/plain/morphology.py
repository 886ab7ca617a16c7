"""Connected parts of images, what grows and shrinks, and places of extremes: `scipy.ndimage`."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_morphology
from retrograd.frontend.library.plain import windows
from retrograd.frontend.library.plain.told import refuse, refuse_if

__all__ = [
    "binary_closing", "binary_dilation", "binary_erosion", "binary_fill_holes", "binary_opening",
    "binary_propagation", "distance_transform_edt", "extrema", "generate_binary_structure",
    "grey_closing", "grey_dilation", "grey_erosion", "grey_opening", "label", "maximum_position",
    "minimum_position",
]  # fmt: skip

np: Any = numpy


def generate_binary_structure(rank: Any, connectivity: Any) -> Any:
    if rank < 1 or rank > 3:
        refuse("a structure of this rank", "write it as an array of bools")
    away: Any = 0
    steps = np.abs(np.arange(3) - 1)
    for k in range(rank):
        away = away + steps[(slice(None),) + (None,) * (rank - k - 1)]
    return away <= max(connectivity, 1)


def _planes(x: Any) -> Any:
    if x.ndim < 1 or x.ndim > 3:
        refuse("an image of more than three axes or none", "write a loop over the first axis")
    return np.reshape(x, (1,) * (3 - x.ndim) + tuple(x.shape))


def _structure(structure: Any, rank: Any, odd: Any) -> Any:
    if structure is None:
        return _planes(generate_binary_structure(rank, 1))
    given = np.asarray(structure).astype(bool)
    if given.ndim != rank:
        raise RuntimeError("structure and input must have equal rank")
    planes = _planes(given)
    for k in range(3):
        even = planes.shape[k] % 2 == 0
        refuse_if(even, "a structure with an even extent", "give it a row of False more")
        if odd and planes.shape[k] > 3:
            raise ValueError("structure dimensions must be equal to 3")
    return planes


def label(input: Any, structure: Any = None) -> Any:
    x = np.asarray(input)
    planes = _planes(x != 0)
    parts, count = written_morphology.labelled(planes, _structure(structure, x.ndim, True))
    return np.reshape(parts, x.shape).astype(np.int32), count


def _grown(
    input: Any, structure: Any, iterations: Any, mask: Any, border: Any, shrinks: Any
) -> Any:
    x = np.asarray(input) != 0
    planes, shape = _planes(x), _structure(structure, x.ndim, False)
    allowed = np.ones(planes.shape, dtype=bool)
    if mask is not None:
        allowed = _planes(np.asarray(mask) != 0)
    found = written_morphology.repeated(planes, shape, iterations, allowed, border != 0, shrinks)
    return np.reshape(found, x.shape)


def binary_erosion(
    input: Any, structure: Any = None, iterations: Any = 1, mask: Any = None, border_value: Any = 0
) -> Any:
    return _grown(input, structure, iterations, mask, border_value, True)


def binary_dilation(
    input: Any, structure: Any = None, iterations: Any = 1, mask: Any = None, border_value: Any = 0
) -> Any:
    return _grown(input, structure, iterations, mask, border_value, False)


def binary_opening(
    input: Any, structure: Any = None, iterations: Any = 1, mask: Any = None, border_value: Any = 0
) -> Any:
    small = _grown(input, structure, iterations, mask, border_value, True)
    return _grown(small, structure, iterations, mask, border_value, False)


def binary_closing(
    input: Any, structure: Any = None, iterations: Any = 1, mask: Any = None, border_value: Any = 0
) -> Any:
    large = _grown(input, structure, iterations, mask, border_value, False)
    return _grown(large, structure, iterations, mask, border_value, True)


def binary_propagation(
    input: Any, structure: Any = None, mask: Any = None, border_value: Any = 0
) -> Any:
    return _grown(input, structure, -1, mask, border_value, False)


def binary_fill_holes(input: Any, structure: Any = None) -> Any:
    outside = np.logical_not(np.asarray(input) != 0)
    none = np.zeros(outside.shape, dtype=bool)
    return np.logical_not(_grown(none, structure, -1, outside, 1, False))


def distance_transform_edt(input: Any, sampling: Any = None) -> Any:
    x = np.asarray(input) != 0
    planes = _planes(x)
    refuse_if(np.all(x), "distances from nothing: no element is zero", "set an element to zero")
    by = np.ones(3)
    if sampling is not None:
        by[3 - x.ndim :] = sampling
    return np.reshape(written_morphology.distances(planes, by), x.shape)


def grey_dilation(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None,
    mode: Any = "reflect", cval: Any = 0.0,
) -> Any:  # fmt: skip
    if structure is not None:
        refuse("grey_dilation with a structure", "give it a size or a footprint")
    return windows.maximum_filter(input, size, footprint, mode=mode, cval=cval)


def grey_erosion(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None,
    mode: Any = "reflect", cval: Any = 0.0,
) -> Any:  # fmt: skip
    if structure is not None:
        refuse("grey_erosion with a structure", "give it a size or a footprint")
    return windows.minimum_filter(input, size, footprint, mode=mode, cval=cval)


def grey_opening(
    input: Any, size: Any = None, footprint: Any = None, mode: Any = "reflect", cval: Any = 0.0
) -> Any:
    small = grey_erosion(input, size, footprint, None, mode, cval)
    return grey_dilation(small, size, footprint, None, mode, cval)


def grey_closing(
    input: Any, size: Any = None, footprint: Any = None, mode: Any = "reflect", cval: Any = 0.0
) -> Any:
    large = grey_dilation(input, size, footprint, None, mode, cval)
    return grey_erosion(large, size, footprint, None, mode, cval)


def _everything(labels: Any, index: Any) -> None:
    if labels is not None or index is not None:
        refuse("places of extremes in labelled parts", "set what is outside of the part apart")


def maximum_position(input: Any, labels: Any = None, index: Any = None) -> Any:
    _everything(labels, index)
    x = np.asarray(input)
    return np.unravel_index(np.argmax(x), x.shape)


def minimum_position(input: Any, labels: Any = None, index: Any = None) -> Any:
    _everything(labels, index)
    x = np.asarray(input)
    return np.unravel_index(np.argmin(x), x.shape)


def extrema(input: Any, labels: Any = None, index: Any = None) -> Any:
    _everything(labels, index)
    x = np.asarray(input)
    return np.min(x), np.max(x), minimum_position(x), maximum_position(x)
