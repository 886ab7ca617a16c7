"""What stands for an array of NumPy's that is more than its elements, with methods as programs.

What all of them do is here; what a function of two arrays gives, and what a comparison gives, is
said by each.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy

__all__ = ["MODULE", "ArrayRecord"]

MODULE = __name__
np: Any = numpy
op: Any = operator


class ArrayRecord:
    """Elements, `values`, and what else there is to know about them.

    `_two(apply, first, second)` is a function of two, of which this is one; `_compared(apply,
    other)` a comparison.
    """

    values: Any
    transpose: Any
    _two: Any
    _compared: Any

    __array_ufunc__ = None

    @property
    def shape(self) -> Any:
        return self.values.shape

    @property
    def ndim(self) -> Any:
        return self.values.ndim

    @property
    def size(self) -> Any:
        return self.values.size

    @property
    def T(self) -> Any:
        return self.transpose()

    def __len__(self) -> Any:
        return len(self.values)

    def __iter__(self) -> Any:
        own: Any = self
        return iter([own[k] for k in range(len(self.values))])

    def __add__(self, other: Any) -> Any:
        return self._two(op.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return self._two(op.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return self._two(op.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._two(op.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return self._two(op.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._two(op.mul, other, self)

    def __lt__(self, other: Any) -> Any:
        return self._compared(op.lt, other)

    def __le__(self, other: Any) -> Any:
        return self._compared(op.le, other)

    def __gt__(self, other: Any) -> Any:
        return self._compared(op.gt, other)

    def __ge__(self, other: Any) -> Any:
        return self._compared(op.ge, other)
