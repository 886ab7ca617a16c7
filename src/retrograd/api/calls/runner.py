"""Calling compiled code with the user's values: layouts, copies, contexts, results."""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from retrograd.api.calls.advice import Look, most_tried, refusal, rounded_up
from retrograd.api.compile.artefact import Built
from retrograd.errors import Span, UserError
from retrograd.options.memory import shown
from retrograd.runtime.context import MEMORY, Context, stack_floor

__all__ = ["Runner", "Stats", "scalar_input"]

_SHORT_CALL = 2e-5
"""Seconds up to which giving up the interpreter lock costs more than it gives."""


_NUMBERS = (float, int, bool)
_FIT = 0x101
"""The flags C_CONTIGUOUS and ALIGNED of NumPy's arrays."""


@dataclass(frozen=True, slots=True)
class Stats:
    """What the last call took: bytes at the peak (arrays and tape), and on the tape alone; both in
    memory. `offloaded_bytes` is what left the tape for a folder (`rg.checkpoint_policies`).

    The peak of code without a budget is that of its arrays, with those that the tape keeps, or of
    its tape, whichever is more.
    """

    peak_bytes: int
    tape_bytes: int
    compile_seconds: float
    offloaded_bytes: int = 0


def _too_long() -> UserError:
    return UserError("RG0103", "an argument is an int of more than 64 bits", way_out="pass a float")


def scalar_input(value: Any) -> float | int | bool:
    """A scalar argument as native code takes it. UserError for an int that has no 64 bits."""
    given = cast("float | int | bool | np.generic", value)
    plain = given.item() if isinstance(given, np.generic | np.ndarray) else given
    if isinstance(plain, int) and not -(2**63) <= plain < 2**63:
        raise _too_long()
    return plain


@dataclass(slots=True)
class Runner:
    """One compiled specialisation with its warm contexts.

    A context is taken from the pool for the time of a call, so threads never share one. Where the
    program writes to an array argument it works on a copy, unless `through`. It may hold `budget`
    bytes, or whatever the machine has; `span` is where that is too little. After a call that was
    not short, the next one gives up the interpreter lock meanwhile.
    """

    built: Built
    through: bool
    budget: int | None = None
    span: Span | None = None
    pool: list[Context] = field(default_factory=list[Context])
    peaks: tuple[int, int] | None = None
    offloaded: int = 0
    slow: bool = False

    @property
    def stats(self) -> Stats | None:
        """What the last call took, None before the first and where all is in registers."""
        peaks = self.peaks
        if peaks is None:
            return None
        return Stats(max(peaks), peaks[1], self.built.seconds, self.offloaded)

    def __call__(self, flat: Sequence[Any]) -> Sequence[Any]:
        """The entry's results for flat arguments."""
        executable = self.built.executable
        args = flat if executable.scalars_in else self._arguments(flat)
        try:
            context = self.pool.pop()
        except IndexError:
            context = Context()
        limit = MEMORY.available()
        if self.budget is not None:
            limit = min(limit, self.budget)
        floor, measured = stack_floor(), self.built.taped or not executable.scalars_in
        # A context that only numbers went through is as it was before the call.
        if measured or not executable.plain_out or context.limit != limit or context.floor != floor:
            context.prepare(limit, floor, self.built.taped)
        try:
            start = time.perf_counter()
            results = executable.run(context, args, self.slow)
            self.slow = time.perf_counter() - start > _SHORT_CALL
            return results
        except struct.error as error:
            raise _too_long() from error
        except MemoryError as error:
            if limit == self.budget:
                raise self._too_little(flat) from None
            if self.built.taped:
                error.add_note(
                    f'  way out: grad, value_and_grad and vjp take memory="{shown(limit // 2)}", '
                    "for which parts of the run are done again"
                )
            raise
        finally:
            if measured:
                self.peaks, self.offloaded = context.peaks(), context.offloaded
                context.cool(executable.native.trim if self.slow else None)
            self.pool.append(context)

    def _too_little(self, flat: Sequence[Any]) -> UserError:
        """What to say of the budget, after a call that had a little more memory."""
        assert self.budget is not None
        context, most = Context(), most_tried(self.budget, MEMORY.available())
        context.prepare(most, stack_floor(), self.built.taped)
        executable = self.built.executable
        args = flat if executable.scalars_in else self._arguments(flat)
        try:
            executable.run(context, args, self.slow)
        except MemoryError:
            return refusal(self.budget, Look(None, most), self.span)
        enough = rounded_up(max(context.peaks()[0], self.budget + 1))
        return refusal(self.budget, Look(enough, most), self.span)

    def _arguments(self, flat: Sequence[Any]) -> Sequence[Any]:
        """Arguments as native code takes them; those that it takes over are copied."""
        executable = self.built.executable
        args = list(flat)
        for k in executable.scalars:
            if type(args[k]) not in _NUMBERS and isinstance(args[k], np.generic | np.ndarray):
                args[k] = args[k].item()
        for k, dtype, taken in executable.arrays:
            value: NDArray[np.generic] = args[k]
            if value.dtype is not dtype or value.flags.num & _FIT != _FIT:
                args[k] = self._fitted(value, dtype, taken)
            elif taken and not (self.through and value.flags.writeable):
                args[k] = value.copy()
        return args

    def _fitted(
        self, value: NDArray[np.generic], dtype: np.dtype[np.generic], taken: bool
    ) -> NDArray[np.generic]:
        """An array as native code takes it, of one that may be laid out in another way."""
        plain = (
            value.flags.c_contiguous
            and value.dtype == dtype
            and value.dtype.isnative
            and value.flags.aligned
        )
        if not plain:
            return np.array(value, dtype=dtype, order="C")
        return value.copy() if taken and not (self.through and value.flags.writeable) else value
