"""A run of interruptible code, in legs: each goes on until its budget is used up.

Between two legs the run is a chain of frames in its context, with the arrays and the tape that they
refer to. Every leg may use the same thread's native stack or another's.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field

from retrograd.backends.llvm.execute import Executable, Result
from retrograd.errors import CompilerBug
from retrograd.runtime.context import Context

__all__ = ["Legs"]

_ENDED, _FAILED, _INTERRUPTED = 0, 1, 2


@dataclass(slots=True)
class Legs:
    """One run: `start`, then `resume` until one of them says that the run has ended.

    `steps` counts what has been charged so far: iterations and calls, weighted by their statements.
    """

    executable: Executable
    context: Context
    args: Sequence[Result]
    steps: int = 0
    results: Sequence[Result] | None = None
    _out: ctypes.Array[ctypes.c_char] = field(init=False)

    def __post_init__(self) -> None:
        self._out = self.executable.buffer()

    def start(self, budget: int) -> bool:
        """Begins with a prepared context; whether the run has ended. Raises what it raises."""
        executable, context = self.executable, self.context
        packed = executable.packed(context, self.args)
        context.begin(budget)
        return self._after(
            executable.native.entry_released(context.address, packed, self._out), budget
        )

    def resume(self, budget: int) -> bool:
        """Goes on from where the last leg was interrupted; whether the run has ended."""
        native, context = self.executable.native, self.context
        if native.resume is None:
            raise CompilerBug("code that cannot be interrupted is resumed")
        context.set("budget", budget)
        return self._after(native.resume(context.address, self._out), budget)

    def drop(self) -> None:
        """Forgets an interrupted run and all that it holds."""
        self._drop_frames()
        self.executable.native.release_all(self.context.address)

    def _drop_frames(self) -> None:
        drop = self.executable.native.drop_frames
        if drop is not None:
            drop(self.context.address)

    def _after(self, status: int, budget: int) -> bool:
        if status == _FAILED:
            self._drop_frames()
            raise self.executable.failure(self.context)
        left = ctypes.c_int64(self.context.get("budget")).value
        self.steps += budget - left
        if status == _INTERRUPTED:
            return left > 0 and self.resume(left)  # the native stack was used up, not the budget
        assert status == _ENDED
        self.results = self.executable.values(self.context, self._out, self.args)
        return True
