"""Numbers, arrays and complex numbers while their program is being translated.

A scalar is an atom of the typed language. An array is a *location* of the store with an optional
view, so that Python's aliasing is exact: two names of one array share the location, and a write
through a view is an update of the location. A complex number is two of these.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrograd.frontend.values.sizes import Extents
from retrograd.frontend.values.views import At, View
from retrograd.ir.terms import Atom, Lit, Var
from retrograd.ir.types import I64, Type
from retrograd.records import quickly_made

__all__ = ["ONE_OF", "SHARED", "ArrayRef", "ComplexValue", "Scalar", "hole"]

ONE_OF, SHARED = -1, -2
"""Arrays without axes (`Scalar.array`): one of several, and one that a caller or an array has."""


def hole(type_: Type) -> Var:
    """The nameless variable that stands for an atom in an abstract value."""
    return Var("", type_)


@quickly_made
@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or truth value; `nonneg` is the proven fact that it is an int of at least zero,
    `numpy` whether it is NumPy's or Python's, where that is known.

    In NumPy it may be an array without axes, which changes in place. `array` says which one: its
    number, 0 for none, `ONE_OF` where that is not known, `SHARED` for one that others see as well.
    `small`: the class of NumPy's ints of less than 64 bits that it is one of.
    """

    atom: Atom
    nonneg: bool = False
    numpy: bool | None = None
    array: int = 0
    small: type | None = None

    @property
    def type(self) -> Type:
        return self.atom.type

    @property
    def is_nonneg(self) -> bool:
        """Whether it is an int that is known to be at least zero."""
        if self.type != I64:
            return False
        return self.nonneg or (isinstance(self.atom, Lit) and self.atom.value >= 0)

    def joined(self, other: Scalar, atom: Atom) -> Scalar:
        """What is one of two numbers, as another atom."""
        array = self.array
        if array != other.array:
            array = SHARED if SHARED in (array, other.array) else ONE_OF
        numpy = self.numpy if self.numpy is other.numpy else None
        small = self.small or other.small
        return Scalar(atom, self.is_nonneg and other.is_nonneg, numpy, array, small)


@quickly_made
@dataclass(frozen=True, slots=True)
class ArrayRef:
    """A reference to (a view of) the array at location `loc`, whose type is `base`.

    `extents` are those of the array, in abstract values of programs that are for certain extents.
    """

    loc: int
    base: Type
    view: View | None = None
    extents: Extents | None = None

    @property
    def type(self) -> Type:
        if self.view is None:
            return self.base
        return self.base.with_rank(sum(not isinstance(axis, At) for axis in self.view))


@quickly_made
@dataclass(frozen=True, slots=True)
class ComplexValue:
    """A complex number, or an array of them: two floats, or two arrays of floats of one shape.

    `mixed`: on some paths to here Python has a real number (or array), whose imaginary part is
    zero. Functions that tell the two apart do not take it.
    """

    real: Scalar | ArrayRef
    imag: Scalar | ArrayRef
    mixed: bool = False
