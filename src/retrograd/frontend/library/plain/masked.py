"""Functions of `np.ma`, and those of NumPy's that masked arrays have as methods."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.identity import masked_kernels as kernels
from retrograd.frontend.identity.masked_arrays import (
    MaskedArray,
    filling,
    is_bare,
    is_hidden,
    made,
    marked,
    raw,
)
from retrograd.frontend.identity.refusing import refuse
from retrograd.frontend.library.plain.axes import size_of

np: Any = numpy


def array(
    data: Any, dtype: Any = None, copy: Any = False, mask: Any = None, fill_value: Any = None,
    keep_mask: Any = True,
) -> Any:  # fmt: skip
    """`np.ma.array` and `np.ma.masked_array`."""
    bared = mask is not None and not keep_mask
    values: Any = getdata(data) if bared else raw(data)
    values = np.asarray(values, dtype=dtype)
    if copy:
        values = values.copy()
    if np.ndim(values) == 0:
        refuse("a masked array without axes", "use a number, or an array of one element")
    before, bare, hidden = marked(data), is_bare(data), is_hidden(data)
    fill: Any = filling(data, None) if fill_value is None else fill_value
    if mask is None:
        return made(values, before.copy(), bare, fill, hidden)
    marks = _mask_of(mask, values.shape)
    if isinstance(data, MaskedArray) and keep_mask:
        return made(values, marks | before, False, fill, hidden)
    return made(values, marks, False, fill)


def _mask_of(mask: Any, shape: Any) -> Any:
    """Bools of a shape, of one of them or as many as there are elements."""
    marks = np.asarray(mask)
    if marks.ndim == 0:
        return np.full(shape, marks != 0)
    marks = marks if marks.dtype == np.bool_ else marks != 0
    if marks.size == 1:
        return np.full(shape, marks.ravel()[0])
    if marks.size != size_of(shape):
        raise np.ma.MaskError("Mask and data not compatible")
    return np.reshape(marks, shape)


def asarray(a: Any, dtype: Any = None) -> Any:
    return array(a, dtype)


def masked_where(condition: Any, a: Any, copy: Any = True) -> Any:
    own: Any = raw(a)
    marks: Any = raw(condition) != 0
    if isinstance(condition, MaskedArray):
        marks = condition.filled(True)
    if np.ndim(marks) > 0 and np.ndim(marks) != np.ndim(own):
        raise IndexError("Inconsistent shape between the condition and the input")
    for one, other in zip(np.shape(marks), own.shape):  # noqa: B905 - of one truth value none
        if one != other:
            raise IndexError("Inconsistent shape between the condition and the input")
    marks = np.broadcast_to(marks, own.shape) | marked(a)
    values: Any = own.copy() if copy else own
    bare = np.logical_not(np.any(marks)) & is_bare(a)
    return made(values, marks, bare, filling(a, None), is_hidden(a))


def masked_invalid(a: Any, copy: Any = True) -> Any:
    own: Any = raw(a)
    marks = np.logical_not(np.isfinite(own)) | marked(a)
    return made(own.copy() if copy else own, marks, False, filling(a, None), is_hidden(a))


def masked_greater(x: Any, value: Any, copy: Any = True) -> Any:
    return masked_where(raw(x) > value, x, copy)


def masked_greater_equal(x: Any, value: Any, copy: Any = True) -> Any:
    return masked_where(raw(x) >= value, x, copy)


def masked_less(x: Any, value: Any, copy: Any = True) -> Any:
    return masked_where(raw(x) < value, x, copy)


def masked_less_equal(x: Any, value: Any, copy: Any = True) -> Any:
    return masked_where(raw(x) <= value, x, copy)


def masked_not_equal(x: Any, value: Any, copy: Any = True) -> Any:
    return masked_where(raw(x) != value, x, copy)


def _filled_with(found: Any, value: Any) -> Any:
    return made(found.values, found.marks, found.bare, value, found.hidden)


def masked_equal(x: Any, value: Any, copy: Any = True) -> Any:
    return _filled_with(masked_where(raw(x) == value, x, copy), value)


def masked_values(x: Any, value: Any, rtol: Any = 1e-5, atol: Any = 1e-8, copy: Any = True) -> Any:
    if isinstance(x, MaskedArray):
        refuse("np.ma.masked_values of an array that is masked", "use np.ma.masked_where")
    own = np.asarray(x)
    near: Any = own == value
    if own.dtype == np.float64:
        near = np.isclose(own, value, rtol=rtol, atol=atol)
    return _filled_with(masked_where(near, own, copy), value)


def _ordered(v1: Any, v2: Any) -> Any:
    return np.minimum(v1, v2), np.maximum(v1, v2)


def masked_inside(x: Any, v1: Any, v2: Any, copy: Any = True) -> Any:
    low, high = _ordered(v1, v2)
    return masked_where((raw(x) >= low) & (raw(x) <= high), x, copy)


def masked_outside(x: Any, v1: Any, v2: Any, copy: Any = True) -> Any:
    low, high = _ordered(v1, v2)
    return masked_where((raw(x) < low) | (raw(x) > high), x, copy)


def zeros(shape: Any, dtype: Any = float) -> Any:
    values = np.zeros(shape, dtype)
    return made(values, np.zeros(values.shape, dtype=bool), True)


def ones(shape: Any, dtype: Any = float) -> Any:
    values = np.ones(shape, dtype)
    return made(values, np.zeros(values.shape, dtype=bool), True)


def masked_all(shape: Any, dtype: Any = float) -> Any:
    values = np.zeros(shape, dtype)
    return MaskedArray(values, np.ones(values.shape, dtype=bool), False, True, None)


def getdata(a: Any) -> Any:
    return a.data if isinstance(a, MaskedArray) else np.asarray(a)


def getmask(a: Any) -> Any:
    if isinstance(a, MaskedArray):
        return a.mask
    return refuse("the mask of an array that is not masked, which is np.ma.nomask in NumPy",
                  "use np.ma.getmaskarray(x)")  # fmt: skip


def getmaskarray(arr: Any) -> Any:
    return kernels.copied(arr.marks) if isinstance(arr, MaskedArray) else marked(arr)


def is_masked(x: Any) -> Any:
    return np.any(x.marks) if isinstance(x, MaskedArray) else False


def isMaskedArray(x: Any) -> Any:
    return isinstance(x, MaskedArray)


def _masked(a: Any) -> Any:
    return a if isinstance(a, MaskedArray) else array(a)


def filled(a: Any, fill_value: Any = None) -> Any:
    return a.filled(fill_value) if isinstance(a, MaskedArray) else np.asarray(a)


def compressed(x: Any) -> Any:
    return _masked(x).compressed()


def count(obj: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return _masked(obj).count(axis, keepdims)


def sum(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return _masked(a).sum(axis, keepdims)


def prod(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return _masked(a).prod(axis, keepdims)


def mean(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return _masked(a).mean(axis, keepdims)


def var(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    return _masked(a).var(axis, ddof, keepdims)


def std(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    return _masked(a).std(axis, ddof, keepdims)


def min(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return _masked(a).min(axis, None, keepdims)


def max(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return _masked(a).max(axis, None, keepdims)


def any(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return _masked(a).any(axis, keepdims)


def all(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return _masked(a).all(axis, keepdims)


def ptp(a: Any, axis: Any = None) -> Any:
    return _masked(a).ptp(axis)


def argmin(a: Any, axis: Any = None) -> Any:
    return _masked(a).argmin(axis)


def argmax(a: Any, axis: Any = None) -> Any:
    return _masked(a).argmax(axis)


def cumsum(a: Any, axis: Any = None) -> Any:
    return _masked(a).cumsum(axis)


def anom(a: Any, axis: Any = None) -> Any:
    return _masked(a).anom(axis)


def ravel(a: Any) -> Any:
    return _masked(a).ravel()


def reshape(a: Any, shape: Any) -> Any:
    return _masked(a).reshape(shape)


def transpose(a: Any, axes: Any = None) -> Any:
    return _masked(a).transpose() if axes is None else _masked(a).transpose(axes)


def squeeze(a: Any) -> Any:
    return _masked(a).squeeze()


def copy(a: Any) -> Any:
    return _masked(a).copy()


def around(a: Any, decimals: Any = 0) -> Any:
    return _masked(a).round(decimals)


def clip(a: Any, a_min: Any = None, a_max: Any = None) -> Any:
    return _masked(a).clip(a_min, a_max)


def shape(a: Any) -> Any:
    return raw(a).shape


def ndim(a: Any) -> Any:
    return raw(a).ndim


def size(a: Any) -> Any:
    return raw(a).size


def plain(a: Any, dtype: Any = None) -> Any:
    """`np.asarray`, which has no mask."""
    return np.asarray(a.data, dtype=dtype)


def plain_copy(object: Any, dtype: Any = None) -> Any:
    """`np.array`, which has none either."""
    return np.array(object.data, dtype=dtype)


def chosen(condition: Any, x: Any, y: Any) -> Any:
    """`np.where`, which asks no mask."""
    return np.where(getdata(condition), getdata(x), getdata(y))


def where(condition: Any, x: Any, y: Any) -> Any:
    """`np.ma.where`."""
    asked = filled(condition, False) != 0
    here, there = raw(x), raw(y)
    a, b = np.broadcast_to(marked(x), here.shape), np.broadcast_to(marked(y), there.shape)
    marks = np.where(asked, a, b) | marked(condition)
    found = np.where(asked, kernels.safe(here, a), kernels.safe(there, b))
    return MaskedArray(found, marks, np.logical_not(np.any(marks)), True, None)


def median(a: Any, axis: Any = None) -> Any:
    m = _masked(a)
    if axis is not None and m.ndim > 1:
        return _medians(m, axis)
    held = m.compressed()
    return m._number(np.median(held), len(held) == 0)


def _medians(m: Any, axis: Any) -> Any:
    """Those along an axis, masked where everything is."""
    marks = np.moveaxis(m.marks, axis, -1)
    values = np.moveaxis(m.values * 1.0, axis, -1)
    ordered = np.sort(np.where(marks, np.inf, values), axis=-1)
    count = np.sum(np.logical_not(marks), axis=-1)
    low, high = np.maximum((count - 1) // 2, 0), np.where(count > 0, count // 2, 0)
    one = np.take_along_axis(ordered, low[..., None], axis=-1)[..., 0]
    two = np.take_along_axis(ordered, high[..., None], axis=-1)[..., 0]
    found = np.where(count > 0, (one + two) * 0.5, 0.0)
    return m._new(found, count == 0, False)


def dot(a: Any, b: Any) -> Any:
    m = _masked(a)
    x, y = np.where(marked(a), 0, raw(a)), np.where(marked(b), 0, raw(b))
    found = np.dot(x, y)
    some = np.dot(1 - marked(a) * 1, 1 - marked(b) * 1) > 0
    if np.ndim(found) == 0:
        return m._number(found, np.logical_not(some))
    return m._new(found, np.logical_not(some), False)


def average(a: Any, axis: Any = None, weights: Any = None) -> Any:
    m = _masked(a)
    if weights is None:
        return m.mean(axis)
    w = _masked(weights)
    if w.ndim != m.ndim:
        refuse("np.ma.average with weights of another rank", "give them the shape of the array")
    w = MaskedArray(w.values * 1.0, w.marks | m.marks, False, True, w.fill)
    return (m * w).sum(axis) / w.sum(axis)


def concatenate(arrays: Any, axis: Any = 0) -> Any:
    values = np.concatenate([raw(a) for a in arrays], axis=axis)
    marks = np.concatenate([marked(a) for a in arrays], axis=axis)
    hidden = False
    for a in arrays:
        hidden = hidden or (isinstance(a, MaskedArray) and a.hidden)
    return MaskedArray(values, marks, np.logical_not(np.any(marks)), hidden, None)


def below_zero(x: Any) -> Any:
    return x < 0


def not_positive(x: Any) -> Any:
    return x <= 0


def beyond_one(x: Any) -> Any:
    return (x > 1) | (x < -1)


def below_one(x: Any) -> Any:
    return x < 1


def no_area(x: Any) -> Any:
    """Where `np.ma.arctanh` is masked."""
    return (x > 1 - 1e-15) | (x < -1 + 1e-15)


def no_tangent(x: Any) -> Any:
    return np.abs(np.cos(x)) < 1e-35


def by_ufunc(apply: Any, outside: Any, a: Any) -> Any:
    """A ufunc of NumPy's: masked also where it is not defined."""
    marks = a.marks.copy()
    if outside is not None:
        marks = marks | outside(kernels.safe(a.values, marks))
    return a._new(apply(kernels.safe(a.values, marks)), marks, False)


def by_function(apply: Any, outside: Any, a: Any) -> Any:
    """The function of `np.ma` of the same name: also where the result is not finite."""
    m = _masked(a)
    if outside is None:
        return m._new(apply(kernels.safe(m.values, m.marks)), m.marks.copy(), m.bare)
    marks = m.marks | outside(kernels.safe(m.values, m.marks))
    marks = marks | np.logical_not(np.isfinite(apply(kernels.safe(m.values, marks))))
    return m._new(apply(kernels.safe(m.values, marks)), marks, False)


def asked(apply: Any, a: Any) -> Any:
    """A question about each element, also of those that are masked."""
    return a._new(apply(a.values), a.marks.copy(), False, a.hidden)


def by_two(apply: Any, divides: Any, a: Any, b: Any) -> Any:
    """A ufunc of two, one of which is masked."""
    marks = marked(a) | marked(b)
    x, y = kernels.safe(raw(a), marks), kernels.safe(raw(b), marks)
    if divides:
        marks = marks | kernels.is_undivided(x, y)
    found = apply(kernels.safe(x, marks), kernels.safe(y, marks))
    own: Any = a if isinstance(a, MaskedArray) else b
    return own._new(found, marks, np.logical_not(np.any(marks)))


def operated(apply: Any, a: Any, b: Any) -> Any:
    """The function of `np.ma` for an operator."""
    return apply(_masked(a), b) if isinstance(a, MaskedArray) else apply(a, _masked(b))
