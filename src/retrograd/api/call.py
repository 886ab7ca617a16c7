"""Calling compiled code with the user's values: layouts, copies, contexts, results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrograd.api.compile import Built
from retrograd.backends.llvm.execute import NUMPY_DTYPES
from retrograd.runtime.context import Context, available_bytes

__all__ = ["Runner", "Stats"]

_KEEP_TAPE = 256 * 2**20


@dataclass(frozen=True, slots=True)
class Stats:
    """What the last call took: bytes at the peak (arrays and tape), and on the tape alone."""

    peak_bytes: int
    tape_bytes: int
    compile_seconds: float


@dataclass(slots=True)
class Runner:
    """One compiled specialisation with its warm contexts.

    A context is taken from the pool for the time of a call, so threads never share one. `writes` are the
    positions of array arguments that the call may write to (it works on a copy unless `through`).
    """

    built: Built
    through: bool
    pool: list[Context] = field(default_factory=list[Context])
    stats: Stats | None = None

    def __call__(self, flat: Sequence[Any]) -> list[Any]:
        """The entry's results for flat arguments."""
        executable = self.built.executable
        args: list[Any] = []
        for k, (value, type_) in enumerate(zip(flat, executable.params, strict=True)):
            if type_.is_scalar:
                args.append(value if not isinstance(value, np.ndarray) else value[()])
            else:
                args.append(self._array(value, NUMPY_DTYPES[type_.dtype], k))
        context = self.pool.pop() if self.pool else Context()
        limit = available_bytes() if not self.pool else available_bytes()
        context.prepare(limit)
        context.open_tape(limit)
        try:
            results = executable.run(context, args)
            self.stats = Stats(context.get("peak"), context.get("tape_peak"), self.built.seconds)
        finally:
            context.trim_tape(_KEEP_TAPE)
            self.pool.append(context)
        return results

    def _array(self, value: NDArray[np.generic], dtype: type[np.generic], k: int) -> NDArray[np.generic]:
        taken = k in self.built.executable.consumed
        plain = value.flags.c_contiguous and value.dtype == dtype and value.dtype.isnative and value.flags.aligned
        if not plain:
            return np.array(value, dtype=dtype, order="C")
        if taken and not (self.through and value.flags.writeable):
            return value.copy()
        return value
