"""Elementary functions as LLVM IR: our own code, the same bits in vectors and scalars."""

from __future__ import annotations

from retrograd.backends.llvm.math.emission import (
    MathText,
    emit,
    emit_apart,
    emit_parts,
    math_functions,
)

__all__ = ["MathText", "emit", "emit_apart", "emit_parts", "math_functions"]
