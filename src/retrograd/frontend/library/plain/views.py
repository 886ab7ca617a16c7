"""Functions that give views: a write to one of the two arrays is one to both."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import along, as_tuple, counted_from_zero, is_sequence
from retrograd.frontend.library.plain.told import linked

__all__ = [
    "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "dsplit", "expand_dims", "flip",
    "fliplr", "flipud", "hsplit", "in_equal_parts", "in_parts", "itemsize_of", "moveaxis",
    "namespace_of", "nbytes_of", "rot90", "sliding_window_view", "split", "squeeze", "swapaxes",
    "unstack", "vsplit",
]  # fmt: skip

np: Any = numpy


def expand_dims(a: Any, axis: Any) -> Any:
    a = np.asarray(a)
    new = as_tuple(axis)
    rank = a.ndim + len(new)
    places = tuple([counted_from_zero(place, rank) for place in new])
    if a.ndim == 0:
        return np.full((1,) * rank, a)
    return a[tuple([None if k in places else slice(None) for k in range(rank)])]


def squeeze(a: Any, axis: Any) -> Any:
    a = np.asarray(a)
    gone = as_tuple(axis)
    places = tuple([counted_from_zero(place, a.ndim) for place in gone])
    for place in places:
        if a.shape[place] != 1:
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return a[tuple([0 if k in places else slice(None) for k in range(a.ndim)])]


def flip(m: Any, axis: Any = None) -> Any:
    m = np.asarray(m)
    given = as_tuple(axis)
    places = tuple([None if k is None else counted_from_zero(k, m.ndim) for k in given])
    if m.ndim == 0:
        return m
    whole, back = slice(None), slice(None, None, -1)
    return m[tuple([back if axis is None or k in places else whole for k in range(m.ndim)])]


def flipud(m: Any) -> Any:
    m = np.asarray(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1]


def fliplr(m: Any) -> Any:
    m = np.asarray(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    a = np.asarray(a)
    starts = tuple([counted_from_zero(k, a.ndim) for k in as_tuple(source)])
    ends = tuple([counted_from_zero(k, a.ndim) for k in as_tuple(destination)])
    if len(starts) != len(ends):
        raise ValueError("`source` and `destination` have different numbers of axes")
    rest = tuple([k for k in range(a.ndim) if k not in starts])
    free = tuple([k for k in range(a.ndim) if k not in ends])
    if len(rest) != len(free) or len(rest) + len(starts) != a.ndim:
        raise ValueError("an axis is there twice")
    pairs = sorted(zip((*ends, *free), (*starts, *rest), strict=True))
    return np.transpose(a, tuple([start for _, start in pairs]))


def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    a = np.asarray(a)
    one, two = counted_from_zero(axis1, a.ndim), counted_from_zero(axis2, a.ndim)
    order = tuple([two if k == one else one if k == two else k for k in range(a.ndim)])
    return np.transpose(a, order)


def sliding_window_view(x: Any, window_shape: Any, axis: Any = None) -> Any:
    x = np.asarray(x)
    shape = as_tuple(window_shape)
    if axis is None:
        places = tuple([k for k in range(x.ndim)])
    else:
        places = tuple([counted_from_zero(k, x.ndim) for k in as_tuple(axis)])
    if len(shape) != len(places):
        raise ValueError("Must provide matching length window_shape and axis")
    found = x
    for width, place in zip(shape, places, strict=True):
        if width < 0:
            raise ValueError("`window_shape` cannot contain negative values")
        count = found.shape[place] - width + 1
        if count < 1:
            raise ValueError("window shape cannot be larger than input array shape")
        at = np.arange(count)[:, None] + np.arange(width)[None, :]
        found = np.moveaxis(found[along(place, at)], place + 1, -1)
    return linked(found, x)


def rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    m = np.asarray(m)
    if k % 4 == 0:
        return m[:]
    if k % 4 == 2:
        return flip(flip(m, axes[0]), axes[1])
    if k % 4 == 1:
        return swapaxes(flip(m, axes[1]), axes[0], axes[1])
    return flip(swapaxes(m, axes[0], axes[1]), axes[1])


def _at_least_1(a: Any) -> Any:
    a = np.asarray(a)
    return np.full((1,), a) if a.ndim == 0 else a


def _at_least_2(a: Any) -> Any:
    a = np.asarray(a)
    if a.ndim == 0:
        return np.full((1, 1), a)
    return a[None, :] if a.ndim == 1 else a


def _at_least_3(a: Any) -> Any:
    a = _at_least_2(a) if np.ndim(a) == 0 else np.asarray(a)
    if a.ndim == 1:
        return a[None, :, None]
    return a[:, :, None] if a.ndim == 2 else a


def atleast_1d(*arys: Any) -> Any:
    return _at_least_1(arys[0]) if len(arys) == 1 else tuple([_at_least_1(a) for a in arys])


def atleast_2d(*arys: Any) -> Any:
    return _at_least_2(arys[0]) if len(arys) == 1 else tuple([_at_least_2(a) for a in arys])


def atleast_3d(*arys: Any) -> Any:
    return _at_least_3(arys[0]) if len(arys) == 1 else tuple([_at_least_3(a) for a in arys])


def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    ary = np.asarray(ary)
    place = counted_from_zero(axis, ary.ndim)
    n = ary.shape[place]
    if is_sequence(indices_or_sections) or np.ndim(indices_or_sections) > 0:
        middle = tuple(indices_or_sections)
        ends, starts = (*middle, n), (0, *middle)
    else:
        parts = indices_or_sections
        if parts <= 0:
            raise ValueError("number sections must be larger than 0.")
        size, longer = n // parts, n % parts
        starts = tuple([k * size + min(k, longer) for k in range(parts)])
        ends = tuple([(k + 1) * size + min(k + 1, longer) for k in range(parts)])
    pairs = zip(starts, ends, strict=True)
    return [ary[along(place, slice(first, last))] for first, last in pairs]


def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    ary = np.asarray(ary)
    place = counted_from_zero(axis, ary.ndim)
    known = is_sequence(indices_or_sections) or np.ndim(indices_or_sections) > 0
    if not known and ary.shape[place] % indices_or_sections != 0:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, place)


def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    ary = np.asarray(ary)
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    ary = np.asarray(ary)
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    ary = np.asarray(ary)
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def unstack(x: Any, axis: Any = 0) -> Any:
    x = np.asarray(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(moveaxis(x, axis, 0))


def namespace_of(*, api_version: Any = None) -> Any:
    if api_version is not None and not isinstance(api_version, str):
        raise ValueError("Only None and strings are allowed as the Array API version")
    return np


def itemsize_of(x: Any) -> Any:
    return x.dtype.itemsize


def nbytes_of(x: Any) -> Any:
    return x.size * x.dtype.itemsize


def in_equal_parts(ary: Any, parts: Any, axis: Any) -> Any:
    """Parts whose number is known at run time only."""
    ary = np.asarray(ary)
    place = counted_from_zero(axis, ary.ndim)
    if ary.shape[place] % parts != 0:
        raise ValueError("array split does not result in an equal division")
    if parts < 0:
        raise ValueError("number sections must be larger than 0.")
    size = ary.shape[place] // parts
    return [ary[along(place, slice(k * size, (k + 1) * size))] for k in range(parts)]


def in_parts(ary: Any, parts: Any, axis: Any) -> Any:
    if parts <= 0:
        raise ValueError("number sections must be larger than 0.")
    ary = np.asarray(ary)
    place = counted_from_zero(axis, ary.ndim)
    size, longer = ary.shape[place] // parts, ary.shape[place] % parts
    return [
        ary[along(place, slice(k * size + min(k, longer), (k + 1) * size + min(k + 1, longer)))]
        for k in range(parts)
    ]
