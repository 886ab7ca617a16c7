"""Calling native code with NumPy values: words in, words out, errors as exceptions."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from retrograd.backends.llvm.signals import answered
from retrograd.backends.llvm.sites import SHOWN_WORDS, ErrorSite
from retrograd.backends.llvm.speaking import Speaker, numbers_of
from retrograd.errors import CompilerBug, UserError, counted, note_place
from retrograd.ir.types import DType, Type
from retrograd.messages import exception_of
from retrograd.runtime.arrays import MOST_IN_HEAP, address_of, array_in, held_at
from retrograd.runtime.context import Context

if TYPE_CHECKING:
    from retrograd.backends.llvm.jit import Native
    from retrograd.runtime.offload import Offload

__all__ = ["DTYPES", "Executable", "Result", "word_format"]

Result = float | int | bool | NDArray[np.generic]

DTYPES: dict[DType, np.dtype[np.generic]] = {
    DType.F64: np.dtype(np.float64),
    DType.I64: np.dtype(np.int64),
    DType.BOOL: np.dtype(np.bool_),
}
_BOOL = DTYPES[DType.BOOL]
_GIVEN_UP = -1
_SMALL = 2**20
"""Bytes up to which copying takes no longer than giving up the interpreter lock is worth."""
_LARGE = 2**17
"""Bytes from which on copying takes longer than to make an array of what is there."""


def word_format(types: Sequence[Type]) -> str:
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
    `scalars` are the positions of scalar arguments, `arrays` those of arrays with their dtypes and
    whether they are consumed, `shapes` the ranks and dtypes of the results. `folders` are those to
    which arrays of the tape are moved.
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
    scalars: tuple[int, ...]
    arrays: tuple[tuple[int, np.dtype[np.generic], bool], ...]
    shapes: tuple[tuple[int, np.dtype[np.generic]], ...]
    speaker: Speaker | None = None
    folders: tuple[str, ...] = ()

    @staticmethod
    def of(
        native: Native, params: tuple[Type, ...], results: tuple[Type, ...],
        errors: tuple[ErrorSite, ...], consumed: frozenset[int], folders: tuple[str, ...] = (),
    ) -> Executable:  # fmt: skip
        """With the layouts made ready, in a process that answers signals."""
        answered()
        reader = struct.Struct(word_format(results))
        plain = all(t.is_scalar and t.dtype is not DType.BOOL for t in results)
        scalars = tuple(k for k, t in enumerate(params) if t.is_scalar)
        arrays = tuple(
            (k, DTYPES[t.dtype], k in consumed) for k, t in enumerate(params) if not t.is_scalar
        )
        shapes = tuple((t.rank, DTYPES[t.dtype]) for t in results)
        return Executable(
            native, params, results, errors, consumed, struct.Struct(word_format(params)),
            reader, ctypes.c_char * max(1, reader.size), not arrays, plain, scalars, arrays, shapes,
            Speaker.of(errors), folders,
        )  # fmt: skip

    def run(self, context: Context, args: Sequence[Any], release: bool = False) -> Sequence[Result]:
        """Runs the entry in a prepared context; raises what the program raises."""
        if self.folders:
            return self._offloading(context, args)
        return self._run(context, args, release)

    def _offloading(self, context: Context, args: Sequence[Any]) -> Sequence[Result]:
        """As `run`, with arrays of the tape on the disk meanwhile. The interpreter's lock is given
        up, for the thread that answers."""
        from retrograd.runtime.offload import Offload

        offload = Offload(self.folders)
        try:
            context.set("offload", offload.start())
            results = self._run(context, args, True, offload)
        except MemoryError as error:
            raise (offload.error or error) from None
        finally:
            offload.close()
            context.set("offload", 0)
            context.offloaded = offload.bytes
        offload.warn()
        return results

    def _run(
        self, context: Context, args: Sequence[Any], release: bool, offload: Offload | None = None
    ) -> Sequence[Result]:
        given = args if self.scalars_in else self._words(context, args)
        out = self.buffer()
        entry = self.native.entry_released if release else self.native.entry
        status = _GIVEN_UP
        if self.speaker is not None:
            context.set("printer", self.speaker.address)
        try:
            status = entry(context.address, self.packer.pack(*given), out)
        finally:
            left = True
            try:  # nobody may read or write what is freed then
                if offload is not None:
                    offload.close()
                left = status == _GIVEN_UP  # a handler of signals has raised an exception
            finally:
                if left:
                    if offload is not None:  # here, too, where it was raised when it was closed
                        offload.close()
                    context.limit = -1
                    self.native.release_all(context.address)
        if self.speaker is not None and (stopped := self.speaker.failed(context.address)):
            context.limit = -1
            self.native.release_all(context.address)
            raise stopped
        if status != 0:
            context.limit = -1
            raise self.failure(context)
        words = self.reader.unpack_from(out)
        return words if self.plain_out else self._unpack(context, words, self._mine(args))

    def values(self, context: Context, out: ctypes.Array[ctypes.c_char]) -> Sequence[Result]:
        """The results of a run of its own arrays only, which has ended, from their words."""
        return self._unpack(context, self.reader.unpack_from(out), {})

    def failure(self, context: Context) -> BaseException:
        """What a run has failed with; everything that it held is freed."""
        error = self.error(context)
        self.native.release_all(context.address)
        return error

    def _words(self, context: Context, args: Sequence[Any]) -> list[Any]:
        parts: list[Any] = []
        start = 0
        for k, _, taken in self.arrays:
            parts += args[start:k]
            start = k + 1
            address = address_of(args[k])
            parts.append(address)
            parts += args[k].shape
            if taken:
                context.add_external(address)
        parts += args[start:]
        return parts

    def _mine(self, args: Sequence[Any]) -> dict[int, NDArray[np.generic]]:
        """The arrays that were given and may come back, by address: those that are taken over."""
        if not self.consumed:
            return {}
        taken = (args[k] for k, _, flag in self.arrays if flag)
        return {address_of(a): a for a in taken if a.size}

    def _unpack(
        self, context: Context, words: tuple[Any, ...], mine: dict[int, NDArray[np.generic]]
    ) -> list[Result]:
        values: list[Result] = []
        position = 0
        for rank, dtype in self.shapes:
            value = words[position]
            position += 1
            if rank:
                shape = words[position : position + rank]
                position += rank
                values.append(self._array(context, value, shape, dtype, mine))
            else:
                values.append(bool(value) if dtype is _BOOL else value)
        return values

    def _array(
        self, context: Context, address: int, shape: tuple[int, ...], dtype: np.dtype[np.generic],
        mine: dict[int, NDArray[np.generic]],
    ) -> NDArray[np.generic]:  # fmt: skip
        """A result array: the caller's own buffer where it was updated in place, a block of native
        code's where that is large, else a copy."""
        if mine and address in mine and mine[address].shape == shape:
            return mine[address]
        size = math.prod(shape) * dtype.itemsize
        if _LARGE <= size <= MOST_IN_HEAP and address not in mine and held_at(address) < 2 * size:
            self.native.give_up(context.address, address)
            return array_in(address, shape, dtype)
        result = np.empty(shape, dtype)
        if size <= _SMALL:
            self.native.hand_over(context.address, address, address_of(result), size)
        else:
            ctypes.memmove(address_of(result), address, size)
            self.native.hand_over(context.address, address, 0, 0)
        return result

    def error(self, context: Context) -> BaseException:
        """What a run has failed with."""
        number = context.get("error")
        if not 1 <= number <= len(self.errors):
            return CompilerBug(f"native code failed with the unknown error {number}")
        site = self.errors[number - 1]
        aux = [int(np.uint64(context.get(f)).astype(np.int64)) for f in ("aux0", "aux1")]
        if isinstance(site.message, str):
            text = site.message.format(*aux, index=counted(*aux))
            error = exception_of(site.kind, text)
        else:
            words = [context.get(name) for name in SHOWN_WORDS]
            error = exception_of(site.kind, site.message, numbers_of(words, site.types))
        if site.span is not None:
            called = context.get("place") if site.span.shared else 0
            by = self.errors[called - 1].span if 1 <= called <= len(self.errors) else None
            if isinstance(error, UserError):
                return error.at(by or site.span)
            note_place(error, by or site.span)
        return error
