"""Calling native code with NumPy values: words in, words out, errors as exceptions."""

from __future__ import annotations

import builtins
import ctypes
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from retrograd.backends.llvm.sites import ErrorSite
from retrograd.errors import CompilerBug
from retrograd.ir.types import DType, Type
from retrograd.runtime.context import Context

if TYPE_CHECKING:
    from retrograd.backends.llvm.jit import Native

__all__ = ["Executable", "NUMPY_DTYPES", "Result"]

NUMPY_DTYPES: dict[DType, type[np.generic]] = {
    DType.F64: np.float64,
    DType.I64: np.int64,
    DType.BOOL: np.bool_,
}

Result = float | int | bool | NDArray[np.generic]


def _format(types: Sequence[Type]) -> str:
    """The words of values of these types, for `struct`: an array is its address and extents."""
    parts = [
        ("d" if t.dtype is DType.F64 else "q") if t.is_scalar else "Q" + "q" * t.rank for t in types
    ]
    return "<" + "".join(parts)


@dataclass(frozen=True, slots=True)
class Executable:
    """Native code with the types of its entry: what a run needs besides a context.

    Arrays among the arguments must be row-major, of the exact dtype, and writable where they are in
    `consumed` (native code updates those in place). `packer` and `reader` lay out the words of
    arguments and results; `scalars_in` and `plain_out` say that those need no further work.
    """

    native: Native
    params: tuple[Type, ...]
    results: tuple[Type, ...]
    errors: tuple[ErrorSite, ...]
    consumed: frozenset[int]
    packer: struct.Struct
    reader: struct.Struct
    buffer: type[ctypes.Array[ctypes.c_char]]
    scalars_in: bool
    plain_out: bool

    @staticmethod
    def of(
        native: Native, params: tuple[Type, ...], results: tuple[Type, ...],
        errors: tuple[ErrorSite, ...], consumed: frozenset[int],
    ) -> Executable:  # fmt: skip
        """With the layouts made ready."""
        reader = struct.Struct(_format(results))
        plain = all(t.is_scalar and t.dtype is not DType.BOOL for t in results)
        return Executable(
            native, params, results, errors, consumed, struct.Struct(_format(params)),
            reader, ctypes.c_char * max(1, reader.size), all(t.is_scalar for t in params), plain,
        )  # fmt: skip

    def run(
        self, context: Context, args: Sequence[Result], release: bool = False
    ) -> Sequence[Result]:
        """Runs the entry in a prepared context; raises what the program raises."""
        given = args if self.scalars_in else self._words(context, args)
        out = self.buffer()
        entry = self.native.entry_released if release else self.native.entry
        if entry(context.address, self.packer.pack(*given), out) != 0:
            raise self.failure(context)
        words = self.reader.unpack_from(out)
        return words if self.plain_out else self._unpack(context, words, args)

    def values(
        self, context: Context, out: ctypes.Array[ctypes.c_char], args: Sequence[Result]
    ) -> Sequence[Result]:
        """The results of a run that has ended, from their words."""
        return self._unpack(context, self.reader.unpack_from(out), args)

    def failure(self, context: Context) -> Exception:
        """What a run has failed with; everything that it held is freed."""
        error = self._error(context)
        self.native.release_all(context.address)
        return error

    def _words(self, context: Context, args: Sequence[Result]) -> list[Result]:
        parts: list[Result] = []
        for k, value in enumerate(args):
            if isinstance(value, np.ndarray):
                address = value.ctypes.data
                parts.append(address)
                parts += value.shape
                if k in self.consumed:
                    context.add_external(address)
            else:
                parts.append(value)
        return parts

    def _unpack(
        self, context: Context, words: tuple[Any, ...], args: Sequence[Result]
    ) -> list[Result]:
        mine = {a.ctypes.data: a for a in args if isinstance(a, np.ndarray) and a.size}
        values: list[Result] = []
        position = 0
        for type_ in self.results:
            value = words[position]
            position += 1
            if not type_.is_scalar:
                shape = words[position : position + type_.rank]
                position += type_.rank
                values.append(self._array(context, value, shape, type_, mine))
            else:
                values.append(bool(value) if type_.dtype is DType.BOOL else value)
        return values

    def _array(
        self, context: Context, address: int, shape: tuple[int, ...], type_: Type,
        mine: dict[int, NDArray[np.generic]],
    ) -> NDArray[np.generic]:  # fmt: skip
        """A result array: the caller's own buffer where it was updated in place, else a copy."""
        if address in mine and mine[address].shape == shape:
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
