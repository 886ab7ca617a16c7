"""Masked arrays (`np.ma`): elements and which of them are left out, with methods as programs.

What NumPy keeps under a mask is the program's to read only where no arithmetic has been there: what
is calculated under one is nothing here, so that it has no slope either (`hidden`). A number that is
masked is `np.ma.masked` in NumPy, which is no number: the program is refused when it gets there.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy

from retrograd.frontend.identity import masked_kernels as kernels
from retrograd.frontend.identity.array_records import ArrayRecord
from retrograd.frontend.identity.refusing import refuse, refuse_if

__all__ = [
    "CHANGED", "MODULE", "MaskedArray", "filling", "is_bare", "is_hidden", "is_of_numpy", "made",
    "marked", "raw",
]  # fmt: skip

MODULE = __name__
np: Any = numpy
op: Any = operator

_NUMBER = (
    "a number that is masked, which is np.ma.masked in NumPy",
    "ask before: m.mask[i], or m.count() == 0",
)
_UNDER = (
    "what a calculation leaves under a mask",
    "m.filled(value) and m.compressed() do not ask for it; take .data of what it was made of",
)
_NO_MASK = (
    "the mask of an array in which nothing is masked, which is np.ma.nomask in NumPy",
    "ask np.ma.getmaskarray(m), or make it with mask=False: np.ma.array(x, mask=False)",
)
_DIVIDED = (
    "a masked array that is divided by zero in place, which masks the element",
    "write m = m / x",
)
CHANGED = "changed"
_FILLING = (
    "the number that fills a masked array whose dtype is another one than before",
    "say it: m.filled(1e20)",
)
_FIRST_MASK = (
    "an element is masked of an array that has no mask yet",
    "make it with mask=False: np.ma.array(x, mask=False)",
)


@dataclass(frozen=True, eq=False)
class MaskedArray(ArrayRecord):
    """Elements, where they are masked, and how.

    Attributes:
        values: the elements.
        marks: bools of their shape, true where an element is masked.
        bare: whether NumPy has no mask (`np.ma.nomask`); then nothing is masked.
        hidden: whether elements under the mask are not NumPy's.
        fill: the number that `filled` takes, None for the usual one of the dtype. `CHANGED`: it was
            that of another dtype, or of this one, depending on whether it had been asked before.
    """

    values: Any
    marks: Any
    bare: Any
    hidden: Any
    fill: Any

    @property
    def mask(self) -> Any:
        refuse_if(self.bare, *_NO_MASK)
        return kernels.copied(self.marks)

    @property
    def data(self) -> Any:
        refuse_if(self.hidden and np.any(self.marks), *_UNDER)
        return self.values

    @property
    def fill_value(self) -> Any:
        if self.fill is CHANGED:
            return refuse(*_FILLING)
        return kernels.usual(self.values) if self.fill is None else self.fill

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    def _new(self, values: Any, marks: Any, bare: Any, hidden: Any = True) -> Any:
        """Another one that is filled as this is."""
        changed = self.fill is None and values.dtype != self.values.dtype
        return type(self)(values, marks, bare, hidden, CHANGED if changed else self.fill)

    def _as(self, values: Any, marks: Any) -> Any:
        return type(self)(values, marks, self.bare, self.hidden, self.fill)

    def __getitem__(self, place: Any) -> Any:
        at: Any = place.data if isinstance(place, MaskedArray) else place
        found, marks = self.values[at], self.marks[at]
        if np.ndim(found) == 0:
            refuse_if(marks, *_NUMBER)
            return found
        return self._as(found, marks)

    def __setitem__(self, place: Any, value: Any) -> Any:
        at: Any = place.data if isinstance(place, MaskedArray) else place
        if value is np.ma.masked:
            refuse_if(self.bare, *_FIRST_MASK)
            self.marks[at] = True
        elif isinstance(value, MaskedArray):
            refuse_if(self.bare and np.any(value.marks), *_FIRST_MASK)
            refuse_if(value.hidden and np.any(value.marks), *_UNDER)
            self.values[at] = value.values
            self.marks[at] = value.marks
        else:
            self.values[at] = value
            self.marks[at] = False

    def copy(self) -> Any:
        return self._as(self.values.copy(), self.marks.copy())

    def astype(self, dtype: Any) -> Any:
        return self._by(kernels.safe(self.values, self.marks).astype(dtype))

    def reshape(self, *shape: Any) -> Any:
        return self._as(self.values.reshape(*shape), self.marks.reshape(*shape))

    def ravel(self) -> Any:
        return self._as(self.values.ravel(), self.marks.ravel())

    def flatten(self) -> Any:
        return self._as(self.values.flatten(), self.marks.flatten())

    def squeeze(self) -> Any:
        return self._as(self.values.squeeze(), self.marks.squeeze())

    def transpose(self, *axes: Any) -> Any:
        return self._as(self.values.transpose(*axes), self.marks.transpose(*axes))

    def filled(self, fill_value: Any = None) -> Any:
        return kernels.filled(self.values, self.marks, self._filling(fill_value))

    def _filling(self, fill_value: Any) -> Any:
        """The number in place of what is masked, of the kind that the elements are."""
        number: Any = self.fill_value if fill_value is None else fill_value
        if self.values.dtype == np.bool_:
            return number != 0
        if self.values.dtype == np.int64:
            if number != number:
                raise TypeError("Cannot convert fill_value nan to dtype int64")
            return int(number)
        return number * 1.0

    def compressed(self) -> Any:
        return self.values.ravel()[np.logical_not(self.marks.ravel())]

    def count(self, axis: Any = None, keepdims: Any = False) -> Any:
        return np.sum(np.logical_not(self.marks), axis=axis, keepdims=keepdims)

    def _number(self, found: Any, gone: Any) -> Any:
        """A number, which is there unless everything is masked."""
        refuse_if(gone, *_NUMBER)
        return found

    def _reduced(self, found: Any, axis: Any, keepdims: Any) -> Any:
        """A reduction, masked where everything was."""
        every = np.all(self.marks, axis=axis, keepdims=keepdims)
        gone = every & np.logical_not(self.bare)
        if np.ndim(found) == 0:
            return self._number(found, gone)
        return self._new(found, gone, self.bare)

    def sum(self, axis: Any = None, keepdims: Any = False) -> Any:
        held = kernels.instead(self.values, self.marks, 0)
        return self._reduced(np.sum(held, axis=axis, keepdims=keepdims), axis, keepdims)

    def prod(self, axis: Any = None, keepdims: Any = False) -> Any:
        held = kernels.instead(self.values, self.marks, 1)
        return self._reduced(np.prod(held, axis=axis, keepdims=keepdims), axis, keepdims)

    def any(self, axis: Any = None, keepdims: Any = False) -> Any:
        held = (self.values != 0) & np.logical_not(self.marks)
        return self._reduced(np.any(held, axis=axis, keepdims=keepdims), axis, keepdims)

    def all(self, axis: Any = None, keepdims: Any = False) -> Any:
        held = (self.values != 0) | self.marks
        return self._reduced(np.all(held, axis=axis, keepdims=keepdims), axis, keepdims)

    def min(self, axis: Any = None, fill_value: Any = None, keepdims: Any = False) -> Any:
        held = kernels.instead(self.values, self.marks, kernels.most(self.values))
        return self._reduced(np.min(held, axis=axis, keepdims=keepdims), axis, keepdims)

    def max(self, axis: Any = None, fill_value: Any = None, keepdims: Any = False) -> Any:
        held = kernels.instead(self.values, self.marks, kernels.least(self.values))
        return self._reduced(np.max(held, axis=axis, keepdims=keepdims), axis, keepdims)

    def ptp(self, axis: Any = None) -> Any:
        return self.max(axis) - self.min(axis)

    def argmin(self, axis: Any = None) -> Any:
        return np.argmin(kernels.instead(self.values, self.marks, kernels.most(self.values)), axis)

    def argmax(self, axis: Any = None) -> Any:
        return np.argmax(kernels.instead(self.values, self.marks, kernels.least(self.values)), axis)

    def mean(self, axis: Any = None, keepdims: Any = False) -> Any:
        total = np.sum(kernels.instead(self.values, self.marks, 0), axis=axis, keepdims=keepdims)
        count = self.count(axis, keepdims)
        found = total / np.maximum(count, np.logical_not(self.bare))
        return self._reduced(found, axis, keepdims)

    def var(self, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
        held = kernels.instead(self.values, self.marks, 0)
        mean = np.sum(held, axis=axis, keepdims=True) / np.maximum(self.count(axis, True), 1)
        off = kernels.instead(self.values * 1.0 - mean, self.marks, 0)
        squares = np.sum(off * off, axis=axis, keepdims=keepdims)
        count = self.count(axis, keepdims) - ddof
        gone = (count <= 0) & np.logical_not(self.bare)
        found = squares / np.where(gone, 1, np.maximum(count, 0))
        if np.ndim(found) == 0:
            return self._number(found, gone)
        return self._new(found, gone, np.logical_not(np.any(gone)))

    def std(self, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
        return np.sqrt(self.var(axis, ddof, keepdims))

    def anom(self, axis: Any = None) -> Any:
        return self - self.mean(axis, True)

    def cumsum(self, axis: Any = None) -> Any:
        found = np.cumsum(kernels.instead(self.values, self.marks, 0), axis=axis)
        marks = self.marks.ravel() if axis is None else self.marks.copy()
        return self._new(found, marks, self.bare)

    def round(self, decimals: Any = 0) -> Any:
        return self._by(np.round(kernels.safe(self.values, self.marks), decimals))

    def clip(self, min: Any = None, max: Any = None) -> Any:
        return self._by(np.clip(kernels.safe(self.values, self.marks), min, max))

    def _by(self, values: Any) -> Any:
        return self._new(values, self.marks.copy(), self.bare)

    def _first(self, first: Any) -> Any:
        """The one of two that says by what the result is filled."""
        return first if isinstance(first, MaskedArray) else self

    def _two(self, apply: Any, first: Any, second: Any) -> Any:
        """A function of two, of which this is one."""
        marks = marked(first) | marked(second)
        a, b = kernels.safe(raw(first), marks), kernels.safe(raw(second), marks)
        bare = is_bare(first) and is_bare(second)
        return self._first(first)._new(apply(a, b), marks, bare)

    def _where_defined(self, apply: Any, first: Any, second: Any) -> Any:
        """A quotient or remainder, masked where there is none."""
        marks = marked(first) | marked(second)
        a, b = kernels.safe(raw(first), marks), kernels.safe(raw(second), marks)
        marks = marks | kernels.is_undivided(a, b)
        marks = marks | np.logical_not(np.isfinite(apply(a, kernels.safe(b, marks))))
        found = apply(kernels.safe(a, marks), kernels.safe(b, marks))
        return self._first(first)._new(found, marks, False)

    def _power(self, first: Any, second: Any) -> Any:
        marks = marked(first) | marked(second)
        a, b = raw(first), raw(second)
        found = kernels.raised(a, b, marks)
        beyond = np.logical_not(np.isfinite(found))
        bare = is_bare(first) and is_bare(second) and not np.any(beyond)
        marks = marks | beyond
        found = kernels.raised(a, b, marks)
        return self._first(first)._new(found, marks, bare)

    def _compared(self, apply: Any, other: Any) -> Any:
        marks = self.marks | marked(other)
        found = apply(self.values, raw(other))
        hidden = self.hidden or is_hidden(other)
        return type(self)(found, marks, np.logical_not(np.any(marks)), hidden, self._asked())

    def _asked(self) -> Any:
        """By what bools are filled."""
        return None if self.fill is None or self.fill is CHANGED else self.fill != 0

    def _alike(self, apply: Any, other: Any) -> Any:
        """Of what is masked it is compared whether it is."""
        its = marked(other)
        marks = self.marks | its
        masked = apply(self.marks, its)
        found = np.where(marks, masked, apply(self.values, raw(other)))
        return type(self)(found, marks, np.logical_not(np.any(marks)), False, self._asked())

    def _both(self, apply: Any, other: Any) -> Any:
        """A function of bools or bits, which `np.bitwise_and` and its like are."""
        marks = self.marks | marked(other)
        found = apply(self.values, raw(other))
        hidden = self.hidden or is_hidden(other)
        return self._new(found, marks, np.logical_not(np.any(marks)), hidden)

    def __truediv__(self, other: Any) -> Any:
        return self._where_defined(op.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._where_defined(op.truediv, other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self._where_defined(op.floordiv, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._where_defined(op.floordiv, other, self)

    def __pow__(self, other: Any) -> Any:
        return self._power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return self._power(other, self)

    def __matmul__(self, other: Any) -> Any:
        return refuse("a product of matrices that are masked", "use m.filled(0.0) @ x")

    def __rmatmul__(self, other: Any) -> Any:
        return refuse("a product of matrices that are masked", "use x @ m.filled(0.0)")

    def _in_place(self, apply: Any, other: Any, nothing: Any) -> Any:
        """The elements themselves change, where they are not masked before or by the other."""
        its = marked(other)
        refuse_if(self.bare and np.any(its), *_FIRST_MASK)
        marks = np.broadcast_to(self.marks | its, self.shape)
        its = kernels.instead(np.broadcast_to(raw(other), self.shape), marks, nothing)
        found = apply(self.values, its)
        if found.dtype != self.values.dtype:
            raise TypeError("Cannot cast the result to the dtype of the masked array")
        self.values[...] = np.where(marks, self.values, found)
        self.marks[...] = marks
        return self

    def __iadd__(self, other: Any) -> Any:
        return self._in_place(op.add, other, 0)

    def __isub__(self, other: Any) -> Any:
        return self._in_place(op.sub, other, 0)

    def __imul__(self, other: Any) -> Any:
        return self._in_place(op.mul, other, 1)

    def __itruediv__(self, other: Any) -> Any:
        marks = self.marks | marked(other)
        a, b = kernels.safe(self.values, marks), kernels.safe(raw(other), marks)
        refuse_if(np.any(kernels.is_undivided(a, b)), *_DIVIDED)
        return self._in_place(op.truediv, other, 1)

    def __ipow__(self, other: Any) -> Any:
        return refuse("a masked array that is raised to a power in place", "write m = m ** x")

    def __neg__(self) -> Any:
        return self._masked(-kernels.safe(self.values, self.marks))

    def __abs__(self) -> Any:
        return self._masked(np.abs(kernels.safe(self.values, self.marks)))

    def _masked(self, values: Any) -> Any:
        """Of a ufunc, which gives a mask."""
        return self._new(values, self.marks.copy(), False)

    def __invert__(self) -> Any:
        return self._new(np.invert(self.values), self.marks.copy(), False, self.hidden)

    def __eq__(self, other: Any) -> Any:
        return self._alike(op.eq, other)

    def __ne__(self, other: Any) -> Any:
        return self._alike(op.ne, other)

    def __and__(self, other: Any) -> Any:
        return self._both(op.and_, other)

    def __rand__(self, other: Any) -> Any:
        return self._both(op.and_, other)

    def __or__(self, other: Any) -> Any:
        return self._both(op.or_, other)

    def __ror__(self, other: Any) -> Any:
        return self._both(op.or_, other)


def made(values: Any, marks: Any, bare: Any, fill: Any = None, hidden: Any = False) -> Any:
    """One of elements as they are."""
    return MaskedArray(values, marks, bare, hidden, fill)


def raw(x: Any) -> Any:
    """The elements of what may be masked."""
    return x.values if isinstance(x, MaskedArray) else np.asarray(x)


def marked(x: Any) -> Any:
    """Where what may be masked is."""
    return x.marks if isinstance(x, MaskedArray) else np.zeros(np.shape(x), dtype=bool)


def is_bare(x: Any) -> Any:
    """Whether it has no mask in NumPy."""
    return x.bare if isinstance(x, MaskedArray) else True


def is_hidden(x: Any) -> Any:
    """Whether what is under its mask is not NumPy's."""
    return x.hidden if isinstance(x, MaskedArray) else False


def filling(x: Any, otherwise: Any) -> Any:
    """The number that it is filled with, or that of the other."""
    return x.fill if isinstance(x, MaskedArray) else otherwise


def is_of_numpy(cls: type[Any], kind: type) -> bool:
    """Whether objects of one of these classes are those of a class of NumPy's."""
    return cls is MaskedArray and issubclass(np.ma.MaskedArray, kind)
