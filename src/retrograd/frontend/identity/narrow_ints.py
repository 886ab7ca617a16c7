"""Arrays of ints of 8, 16 and 32 bits: ints of 64 that wrap around where NumPy's do, as programs.

They have no derivatives, so only their values have to be NumPy's: each operation is done on 64 bits
and takes the last bits of the result.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy

from retrograd.frontend.identity import narrow_kernels as kernels
from retrograd.frontend.identity.array_records import ArrayRecord
from retrograd.frontend.identity.masked_outside import is_masked
from retrograd.frontend.identity.refusing import refuse_if

__all__ = ["MODULE", "NARROW", "NarrowArray", "in_numpy", "is_narrow", "narrow_kind", "parts_of"]

MODULE = __name__
NARROW: tuple[type[Any], ...] = (
    numpy.int8, numpy.int16, numpy.int32, numpy.uint8, numpy.uint16, numpy.uint32,
)  # fmt: skip
np: Any = numpy
op: Any = operator

_GIVEN = (
    "an array of less than 64 bits from outside is changed",
    "change a copy, x = x.copy(), or give x.astype(np.int64)",
)
_PRODUCT = "a product of matrices of ints of less than 64 bits"


def narrow_kind(dtype: object) -> type[Any] | None:
    """The class of NumPy's numbers that a dtype, its class or its name means, if it is one of
    `NARROW`."""
    own = isinstance(dtype, type) and issubclass(dtype, numpy.generic)
    if not own and not isinstance(dtype, str | numpy.dtype):
        return None
    try:
        name = numpy.dtype(cast("Any", dtype)).name
    except TypeError:
        return None
    return next((kind for kind in NARROW if kind.__name__ == name), None)


def is_narrow(value: object) -> bool:
    """Whether it is an array of NumPy's of such ints."""
    if not isinstance(value, numpy.ndarray):
        return False
    array: Any = cast("Any", value)
    return narrow_kind(array.dtype) is not None and not is_masked(array)


@dataclass(frozen=True, eq=False)
class NarrowArray(ArrayRecord):
    """Ints of fewer than 64 bits.

    Attributes:
        values: the same ints, of 64 bits.
        kind: their class in NumPy, such as `np.int32`.
        given: whether it is from outside: then `values` is a copy, and nobody may change it.
    """

    values: Any
    kind: Any
    given: Any

    @property
    def dtype(self) -> Any:
        return np.result_type(self.kind)

    def _as(self, values: Any) -> Any:
        """Some of the elements, or all in other places."""
        return type(self)(values, self.kind, self.given)

    def __getitem__(self, place: Any) -> Any:
        found = self.values[place]
        return kernels.number(found, self.kind) if np.ndim(found) == 0 else self._as(found)

    def __setitem__(self, place: Any, value: Any) -> Any:
        refuse_if(self.given, *_GIVEN)
        self.values[place] = kernels.put(value, self.kind)

    def copy(self) -> Any:
        return type(self)(self.values.copy(), self.kind, False)

    def astype(self, dtype: Any) -> Any:
        return self.values.astype(dtype)

    def fill(self, value: Any) -> Any:
        self[...] = value

    def reshape(self, *shape: Any) -> Any:
        return self._as(self.values.reshape(*shape))

    def ravel(self) -> Any:
        return self._as(self.values.ravel())

    def flatten(self) -> Any:
        return type(self)(self.values.flatten(), self.kind, False)

    def squeeze(self) -> Any:
        return self._as(self.values.squeeze())

    def transpose(self, *axes: Any) -> Any:
        return self._as(self.values.transpose(*axes))

    def repeat(self, repeats: Any, axis: Any = None) -> Any:
        return kernels.made(np.repeat(self.values, repeats, axis), self.kind)

    def take(self, indices: Any, axis: Any = None) -> Any:
        return kernels.made(np.take(self.values, indices, axis), self.kind)

    def round(self, decimals: Any = 0) -> Any:
        return kernels.made(np.round(self.values, decimals), self.kind)

    def tolist(self) -> Any:
        return self.values.tolist()

    def item(self, *place: Any) -> Any:
        return self.values.item(*place)

    def nonzero(self) -> Any:
        return self.values.nonzero()

    def sum(self, axis: Any = None, keepdims: Any = False) -> Any:
        return np.sum(self, axis=axis, keepdims=keepdims)

    def prod(self, axis: Any = None, keepdims: Any = False) -> Any:
        return np.prod(self, axis=axis, keepdims=keepdims)

    def cumsum(self, axis: Any = None) -> Any:
        return np.cumsum(self, axis=axis)

    def mean(self, axis: Any = None, keepdims: Any = False) -> Any:
        return np.mean(self.values, axis=axis, keepdims=keepdims)

    def std(self, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
        return np.std(self.values, axis=axis, ddof=ddof, keepdims=keepdims)

    def var(self, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
        return np.var(self.values, axis=axis, ddof=ddof, keepdims=keepdims)

    def any(self, axis: Any = None, keepdims: Any = False) -> Any:
        return np.any(self.values, axis=axis, keepdims=keepdims)

    def all(self, axis: Any = None, keepdims: Any = False) -> Any:
        return np.all(self.values, axis=axis, keepdims=keepdims)

    def min(self, axis: Any = None, keepdims: Any = False) -> Any:
        return kernels.made(np.min(self.values, axis=axis, keepdims=keepdims), self.kind)

    def max(self, axis: Any = None, keepdims: Any = False) -> Any:
        return kernels.made(np.max(self.values, axis=axis, keepdims=keepdims), self.kind)

    def argmin(self, axis: Any = None) -> Any:
        return np.argmin(self.values, axis)

    def argmax(self, axis: Any = None) -> Any:
        return np.argmax(self.values, axis)

    def argsort(self, axis: Any = -1) -> Any:
        return np.argsort(self.values, axis)

    def clip(self, min: Any = None, max: Any = None) -> Any:
        kind = kernels.common(self, min if max is None else max)
        return kernels.made(np.clip(self.values, min, max), kind)

    def _two(self, apply: Any, first: Any, second: Any) -> Any:
        return kernels.applied(apply, first, second)

    def _compared(self, apply: Any, other: Any) -> Any:
        return apply(self.values, kernels.raw(other))

    def __floordiv__(self, other: Any) -> Any:
        return self._two(op.floordiv, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._two(op.floordiv, other, self)

    def __mod__(self, other: Any) -> Any:
        return self._two(op.mod, self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._two(op.mod, other, self)

    def __pow__(self, other: Any) -> Any:
        return self._two(op.pow, self, other)

    def __rpow__(self, other: Any) -> Any:
        return self._two(op.pow, other, self)

    def __and__(self, other: Any) -> Any:
        return self._two(op.and_, self, other)

    def __rand__(self, other: Any) -> Any:
        return self._two(op.and_, other, self)

    def __or__(self, other: Any) -> Any:
        return self._two(op.or_, self, other)

    def __ror__(self, other: Any) -> Any:
        return self._two(op.or_, other, self)

    def __xor__(self, other: Any) -> Any:
        return self._two(op.xor, self, other)

    def __rxor__(self, other: Any) -> Any:
        return self._two(op.xor, other, self)

    def __truediv__(self, other: Any) -> Any:
        return self.values / kernels.raw(other)

    def __rtruediv__(self, other: Any) -> Any:
        return kernels.raw(other) / self.values

    def __matmul__(self, other: Any) -> Any:
        return kernels.product(self, other, _PRODUCT)

    def __rmatmul__(self, other: Any) -> Any:
        return kernels.product(other, self, _PRODUCT)

    def _in_place(self, apply: Any, other: Any) -> Any:
        refuse_if(self.given, *_GIVEN)
        self.values[...] = kernels.kept(apply(self, other), self.kind)
        return self

    def __iadd__(self, other: Any) -> Any:
        return self._in_place(op.add, other)

    def __isub__(self, other: Any) -> Any:
        return self._in_place(op.sub, other)

    def __imul__(self, other: Any) -> Any:
        return self._in_place(op.mul, other)

    def __ifloordiv__(self, other: Any) -> Any:
        return self._in_place(op.floordiv, other)

    def __imod__(self, other: Any) -> Any:
        return self._in_place(op.mod, other)

    def __iand__(self, other: Any) -> Any:
        return self._in_place(op.and_, other)

    def __ior__(self, other: Any) -> Any:
        return self._in_place(op.or_, other)

    def __ixor__(self, other: Any) -> Any:
        return self._in_place(op.xor, other)

    def __itruediv__(self, other: Any) -> Any:
        raise TypeError("Cannot cast ufunc 'divide' output to the dtype of an array of ints")

    def __neg__(self) -> Any:
        return kernels.made(-self.values, self.kind)

    def __pos__(self) -> Any:
        return self.copy()

    def __abs__(self) -> Any:
        return kernels.made(np.abs(self.values), self.kind)

    def __invert__(self) -> Any:
        return kernels.made(np.invert(self.values), self.kind)

    def __eq__(self, other: Any) -> Any:
        return self._compared(op.eq, other)

    def __ne__(self, other: Any) -> Any:
        return self._compared(op.ne, other)


def parts_of(value: Any) -> tuple[Any, ...]:
    """The fields of what stands for such an array of NumPy's."""
    return value.astype(np.int64), narrow_kind(value.dtype), True


def in_numpy(cls: type[Any], items: Sequence[Any]) -> Any:
    """The array of NumPy's of the fields of one; None of another class."""
    if cls is not NarrowArray:
        return None
    values, kind, _ = items
    return values.astype(kind)
