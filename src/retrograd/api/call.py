"""Calling compiled code with the user's values: layouts, copies, contexts, results."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrograd.api.ready import Built
from retrograd.backends.llvm.execute import NUMPY_DTYPES
from retrograd.errors import UserError
from retrograd.runtime.context import Context, Memory, stack_floor

__all__ = ["Runner", "Stats"]

_KEEP_TAPE = 256 * 2**20
_SHORT_CALL = 2e-5
"""Seconds up to which giving up the interpreter lock costs more than it gives."""


_THREADS = threading.local()


def _stack_floor() -> int:
    """The end of this thread's stack, asked for once per thread."""
    found: int | None = getattr(_THREADS, "floor", None)
    if found is None:
        found = _THREADS.floor = stack_floor()
    return found


@dataclass(frozen=True, slots=True)
class Stats:
    """What the last call took: bytes at the peak (arrays and tape), and on the tape alone."""

    peak_bytes: int
    tape_bytes: int
    compile_seconds: float


_MEMORY = Memory()


@dataclass(slots=True)
class Runner:
    """One compiled specialisation with its warm contexts.

    A context is taken from the pool for the time of a call, so threads never share one. Where the
    program writes to an array argument it works on a copy, unless `through`. After a call that was
    not short, the next one gives up the interpreter lock meanwhile.
    """

    built: Built
    through: bool
    pool: list[Context] = field(default_factory=list[Context])
    stats: Stats | None = None
    slow: bool = False

    def __call__(self, flat: Sequence[Any]) -> Sequence[Any]:
        """The entry's results for flat arguments."""
        executable = self.built.executable
        args = flat if executable.scalars_in else self._arguments(flat)
        try:
            context = self.pool.pop()
        except IndexError:
            context = Context()
        context.prepare(_MEMORY.available(), _stack_floor(), self.built.taped)
        try:
            start = time.perf_counter()
            results = executable.run(context, args, self.slow)
            self.slow = time.perf_counter() - start > _SHORT_CALL
            return results
        except struct.error as error:
            raise UserError(
                "RG0103", "an argument is an int of more than 64 bits", way_out="pass a float"
            ) from error
        finally:
            if self.built.taped:
                peak, tape = context.get("peak"), context.get("tape_peak")
                self.stats = Stats(peak, tape, self.built.seconds)
                if tape > _KEEP_TAPE:
                    context.trim_tape(_KEEP_TAPE)
            self.pool.append(context)

    def _arguments(self, flat: Sequence[Any]) -> list[Any]:
        executable = self.built.executable
        args: list[Any] = []
        for k, (value, type_) in enumerate(zip(flat, executable.params, strict=True)):
            if not type_.is_scalar:
                args.append(self._array(value, NUMPY_DTYPES[type_.dtype], k))
            elif isinstance(value, np.generic | np.ndarray):
                args.append(value.item())
            else:
                args.append(value)
        return args

    def _array(
        self, value: NDArray[np.generic], dtype: type[np.generic], k: int
    ) -> NDArray[np.generic]:
        taken = k in self.built.executable.consumed
        plain = (
            value.flags.c_contiguous
            and value.dtype == dtype
            and value.dtype.isnative
            and value.flags.aligned
        )
        if not plain:
            return np.array(value, dtype=dtype, order="C")
        if taken and not (self.through and value.flags.writeable):
            return value.copy()
        return value
