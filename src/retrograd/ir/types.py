"""Types of the typed language: a dtype and a rank.

Specialisation is on dtype and rank, never on extents: sizes are run-time values.
Rank 0 is a scalar, held in a register; ranks 1 to 3 are row-major arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["BOOL", "F64", "I64", "MAX_RANK", "DType", "Type"]

MAX_RANK = 3


class DType(Enum):
    """Element types."""

    F64 = "f64"
    I64 = "i64"
    BOOL = "bool"

    @property
    def size(self) -> int:
        """Bytes of one element in memory (a bool takes one byte)."""
        return 1 if self is DType.BOOL else 8


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
    def element(self) -> Type:
        return Type(self.dtype)

    def with_rank(self, rank: int) -> Type:
        return Type(self.dtype, rank)

    def __str__(self) -> str:
        return self.dtype.value if self.rank == 0 else f"{self.dtype.value}[{self.rank}]"


F64 = Type(DType.F64)
I64 = Type(DType.I64)
BOOL = Type(DType.BOOL)
