"""A forward and a reverse sweep that take turns in one context.

The forward sweep is a run in legs, which records (`record`) or only goes ahead (`advance`); its
captured states do not depend on which. `back` takes off the tape what is there and waits for more.
Whoever runs owns what is made, so the forward run can be captured, put back and dropped while the
reverse sweep waits.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrograd.backends.llvm.execute import Executable, Result
from retrograd.backends.llvm.jit import Turns
from retrograd.backends.llvm.legs import Legs
from retrograd.backends.llvm.runtime_text import LIVE, TAPED
from retrograd.errors import CompilerBug
from retrograd.runtime.arrays import address_of

__all__ = ["TurnTaking"]

_FORWARD, _REVERSE = LIVE, 2
_FAILED, _WAITING = 1, 2
_ENDLESS = 1 << 62


@dataclass(slots=True)
class TurnTaking(Legs):
    """Legs of a forward sweep (`start`, `resume`, `capture`, `restore`), and the reverse sweep.

    `reverse` is called with the arguments and the forward results. `gradients` are its results.
    """

    reverse: Executable | None = None
    gradients: Sequence[Result] | None = None
    _mirror: int = 0
    _given: Sequence[Result] | None = None

    def __post_init__(self) -> None:
        assert self.reverse is not None
        # The driver writes as many words as the longer results have.
        size = max(self.executable.reader.size, self.reverse.reader.size, 1)
        self._out = (ctypes.c_char * size)()

    @property
    def turns(self) -> Turns:
        turns = self.executable.native.turns
        if turns is None:
            raise CompilerBug("code of one sweep takes turns")
        return turns

    def recording(self, flag: bool) -> None:
        """Whether the forward sweep records from here on."""
        self.context.set("ahead", 0 if flag else 1)
        self.context.set("owner", _FORWARD)

    def forget(self) -> None:
        """Drops the forward run and what it has recorded; the reverse sweep still waits."""
        address = self.context.address
        self.driver.drop_frames(address)
        for owner in (_FORWARD, TAPED):
            self.turns.drop_blocks(address, owner)
        self.context.set("tape_top", self.context.get("tape_base"))
        self.context.set("tape_arrays", 0)

    def back(self, args: Sequence[Result] = ()) -> bool:
        """Goes back as far as the tape goes; whether that is to the beginning.

        `args` are the forward results, needed the first time.
        """
        assert self.reverse is not None
        address, context, out = self.context.address, self.context, self._out
        context.set("owner", _REVERSE)
        context.begin(_ENDLESS)
        if self._given is not None:
            context.set("frames", self._mirror)
            status = self.driver.resume(address, out)
        else:
            self._given = (*self.args, *args)
            words: list[float | int] = []
            for k, value in enumerate(self._given):
                if isinstance(value, np.ndarray):
                    taken = k in self.reverse.consumed
                    words.append(self._own(value) if taken else address_of(value))
                    words += value.shape
                else:
                    words.append(value)
            status = self.turns.reverse(address, self.reverse.packer.pack(*words), out)
        while status == _WAITING and context.get("budget") > 0:  # the native stack was used up
            status = self.driver.resume(address, out)
        self._mirror = context.get("frames")
        context.begin(0)
        if status == _FAILED:
            raise self.failed()
        if status == _WAITING:
            return False
        self.gradients = self.reverse.values(context, out)
        return True

    def failed(self) -> Exception:
        """What a sweep has failed with; nothing of either is left."""
        self._drop_frames()
        return self.executable.failure(self.context)

    def drop(self) -> None:
        """Forgets both sweeps and all that they hold."""
        self._drop_frames()
        self.forget()
        self.executable.native.release_all(self.context.address)

    def _drop_frames(self) -> None:
        self.driver.drop_frames(self.context.address)
        if self._mirror:
            self.context.set("frames", self._mirror)
            self.driver.drop_frames(self.context.address)
            self._mirror = 0
