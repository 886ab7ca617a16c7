"""Calling native code with NumPy values: argument words in, result words out, errors as exceptions."""

from __future__ import annotations

import builtins
import ctypes
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrograd.backends.llvm.gen import ErrorSite
from retrograd.backends.llvm.jit import Native
from retrograd.errors import CompilerBug
from retrograd.ir.types import DType, Type
from retrograd.runtime.context import Context

__all__ = ["Executable", "NUMPY_DTYPES", "Result"]

NUMPY_DTYPES: dict[DType, type[np.generic]] = {
    DType.F64: np.float64,
    DType.I64: np.int64,
    DType.BOOL: np.bool_,
}

Result = float | int | bool | NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Executable:
    """Native code with the types of its entry: what a run needs besides a context.

    Arrays among the arguments must be row-major, of the exact dtype, and writable where they are in
    `consumed` (native code updates those in place).
    """

    native: Native
    params: tuple[Type, ...]
    results: tuple[Type, ...]
    errors: tuple[ErrorSite, ...]
    consumed: frozenset[int]

    def run(self, context: Context, args: Sequence[Result], release: bool = False) -> list[Result]:
        """Runs the entry in a prepared context; raises what the program raises."""
        words = self._pack(context, args)
        count = sum(1 + t.rank for t in self.results)
        out = (ctypes.c_uint64 * max(1, count))()
        entry = self.native.entry_released if release else self.native.entry
        status = entry(context.address, words, out)
        if status != 0:
            error = self._error(context)
            self.native.release_all(context.address)
            raise error
        return self._unpack(context, out, args)

    def _pack(self, context: Context, args: Sequence[Result]) -> bytes:
        parts: list[bytes] = []
        for k, (value, type_) in enumerate(zip(args, self.params, strict=True)):
            if isinstance(value, np.ndarray):
                address = value.ctypes.data
                parts.append(struct.pack(f"<Q{type_.rank}q", address, *value.shape))
                if k in self.consumed:
                    context.add_external(address)
            elif type_.dtype is DType.F64:
                parts.append(struct.pack("<d", value))
            else:
                parts.append(struct.pack("<q", int(value)))
        return b"".join(parts)

    def _unpack(
        self, context: Context, out: ctypes.Array[ctypes.c_uint64], args: Sequence[Result]
    ) -> list[Result]:
        raw = bytes(out)
        mine = {a.ctypes.data: a for a in args if isinstance(a, np.ndarray) and a.size}
        values: list[Result] = []
        offset = 0
        for type_ in self.results:
            if not type_.is_scalar:
                address, *shape = struct.unpack_from(f"<Q{type_.rank}q", raw, offset)
                values.append(self._array(context, address, shape, type_, mine))
            elif type_.dtype is DType.F64:
                values.append(struct.unpack_from("<d", raw, offset)[0])
            elif type_.dtype is DType.I64:
                values.append(struct.unpack_from("<q", raw, offset)[0])
            else:
                values.append(bool(raw[offset]))
            offset += 8 * (1 + type_.rank)
        return values

    def _array(
        self, context: Context, address: int, shape: list[int], type_: Type,
        mine: dict[int, NDArray[np.generic]],
    ) -> NDArray[np.generic]:  # fmt: skip
        """A result array: the caller's own buffer where it was updated in place, else a copy."""
        if address in mine and mine[address].shape == tuple(shape):
            return mine[address]
        result = np.empty(shape, NUMPY_DTYPES[type_.dtype])
        ctypes.memmove(result.ctypes.data, address, result.nbytes)
        self.native.give_back(context.address, address)
        return result

    def _error(self, context: Context) -> Exception:
        number = context.get("error")
        if not 1 <= number <= len(self.errors):
            return CompilerBug(f"native code failed with the unknown error {number}")
        site = self.errors[number - 1]
        aux = [int(np.uint64(context.get(f)).astype(np.int64)) for f in ("aux0", "aux1")]
        kind = getattr(builtins, site.kind)
        error = kind(site.message.format(*aux))
        if site.span is not None:
            error.add_note(f"  at {site.span}\n{site.span.caret()}")
        return error
