"""Types of the typed language: a dtype and a rank.

Specialisation is on dtype and rank, never on extents: sizes are run-time values.
Rank 0 is a scalar, held in a register; ranks 1 to 3 are row-major arrays.

A *bundle* is an element that holds `WIDTH` floats, one for each of as many directions that are
carried along together (`retrograd.transforms.batch`). Bundles come in after all derivatives have
been taken, so they have none themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from retrograd.records import quickly_made

__all__ = ["BOOL", "F64", "I64", "MAX_RANK", "WIDTH", "DType", "Type"]

MAX_RANK = 8
"""Axes of an array at most. Machine code has an extent and a stride for each of them."""

WIDTH = 16
"""Floats in a bundle: two registers of the widest vector units."""


class DType(Enum):
    """Element types."""

    F64 = "f64"
    I64 = "i64"
    BOOL = "bool"
    BUNDLE = f"f64x{WIDTH}"

    __hash__ = object.__hash__  # an `Enum` would hash its name, in Python

    @property
    def size(self) -> int:
        """Bytes of one element in memory (a bool takes one byte)."""
        match self:
            case DType.BOOL:
                return 1
            case DType.BUNDLE:
                return 8 * WIDTH
            case _:
                return 8


@quickly_made
@dataclass(frozen=True, slots=True)
class Type:
    """An element type and a rank, written `f64`, `f64[1]`, `i64[2]`."""

    dtype: DType
    rank: int = 0

    @property
    def is_float(self) -> bool:
        """Whether values of this type have tangents and cotangents."""
        return self.dtype is DType.F64

    @property
    def is_scalar(self) -> bool:
        return self.rank == 0

    @property
    def is_bundle(self) -> bool:
        """Whether elements hold one float for each direction of a bundle."""
        return self.dtype is DType.BUNDLE

    @property
    def bundled(self) -> Type:
        """A float type with bundles as elements; other types as they are."""
        return Type(DType.BUNDLE, self.rank) if self.is_float else self

    @property
    def single(self) -> Type:
        """The type of one lane of a bundle; other types as they are."""
        return Type(DType.F64, self.rank) if self.is_bundle else self

    @property
    def element(self) -> Type:
        return Type(self.dtype)

    def with_rank(self, rank: int) -> Type:
        return Type(self.dtype, rank)

    def __str__(self) -> str:
        return self.dtype.value if self.rank == 0 else f"{self.dtype.value}[{self.rank}]"


F64 = Type(DType.F64)
I64 = Type(DType.I64)
BOOL = Type(DType.BOOL)
