"""A run of interruptible code, in legs: each goes on until its budget is used up.

Between two legs the run is a chain of frames in its context, with the arrays that they refer to;
`capture` copies it, and a copy can be gone on with any number of times.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from retrograd.backends.llvm.execute import Executable, Result
from retrograd.backends.llvm.jit import Driver
from retrograd.backends.llvm.nested_gradients import Answers
from retrograd.backends.llvm.runtime_text import LIVE
from retrograd.errors import CompilerBug
from retrograd.runtime.arrays import address_of, bytes_at
from retrograd.runtime.context import Context
from retrograd.runtime.layout import ENOUGH, PLACES
from retrograd.runtime.state import FrameShapes, State, Words, placed, plain

__all__ = ["Legs", "taken"]

_FAILED, _INTERRUPTED = 1, 2
_BUDGET, _ASKED = PLACES["budget"], PLACES["asked"]
_LATE, _CLEAN_END = PLACES["late"], PLACES["clean_end"]


def taken(
    driver: Driver, context: Context, owner: int, given: Sequence[Result], shapes: FrameShapes
) -> tuple[Words, Words, int]:
    """The chain of frames in a context with pointers as numbers; address and size of each block of
    an owner, and the bytes of all. `given` are the arguments that frames point into."""
    address, counts = context.address, np.zeros(3, np.uint64)
    driver.save(address, owner, 0, 0, 0, address_of(counts))
    words, count, size = map(int, counts)
    frames, table = np.zeros(words, np.uint64), np.zeros((count, 2), np.uint64)
    places = address_of(frames), address_of(table)
    driver.save(address, owner, *places, 0, address_of(counts))
    inputs = {
        k: (address_of(a), a.nbytes)
        for k, a in enumerate(given)
        if isinstance(a, np.ndarray) and a.nbytes
    }
    plain(frames, table[:, 0], table[:, 1], inputs, shapes)
    return frames, table, size


@dataclass(slots=True)
class Legs:
    """One run: `start` or `restore`, then `resume` until one of them says that it has ended.

    The run never writes to `args`: what it takes over is copied into its own memory. `steps` counts
    what has been charged so far: calls and iterations, weighted by their statements. `enough`: the
    last leg ended since as much was recorded as should be. `answers` has the inner derivatives that
    the code may ask for.
    """

    executable: Executable
    shapes: FrameShapes
    context: Context
    args: Sequence[Result]
    steps: int = 0
    results: Sequence[Result] | None = None
    enough: bool = False
    answers: Answers | None = None
    _out: ctypes.Array[ctypes.c_char] = field(init=False)
    _resume: Callable[[int, object], int] = field(init=False)

    def __post_init__(self) -> None:
        self._out, self._resume = self.executable.buffer(), self.driver.resume

    def use(self, out: ctypes.Array[ctypes.c_char]) -> None:
        """A larger buffer for the words of results."""
        self._out = out

    @property
    def driver(self) -> Driver:
        driver = self.executable.native.driver
        if driver is None:
            raise CompilerBug("code that cannot be interrupted runs in legs")
        return driver

    def start(self, budget: int) -> bool:
        """Begins with a prepared context; whether the run has ended. Raises what it raises."""
        executable, context = self.executable, self.context
        context.begin(budget)
        context.words[_CLEAN_END] = self.steps + budget
        words: list[float | int] = []
        for k, value in enumerate(self.args):
            if isinstance(value, np.ndarray):
                words.append(self.own(value) if k in executable.consumed else address_of(value))
                words += value.shape
            else:
                words.append(value)
        packed = executable.packer.pack(*words)
        return self._after(
            executable.native.entry_released(context.address, packed, self._out), budget
        )

    def resume(self, budget: int) -> bool:
        """Goes on from where the last leg was interrupted; whether the run has ended."""
        words = self.context.words
        words[_BUDGET], words[_CLEAN_END] = budget, self.steps + budget
        return self._after(self._resume(self.context.address, self._out), budget)

    def capture(self) -> State:
        """A copy of the interrupted run, which has nothing on the tape."""
        if self.context.tape_bytes:
            raise CompilerBug("a run is captured inside of a derivative")
        frames, table, size = taken(self.driver, self.context, LIVE, self.args, self.shapes)
        data = np.zeros(size, np.uint8)
        place = 0
        for start, size in table.tolist():
            data[place : place + size] = bytes_at(start, size)
            place += size
        return State(frames, table[:, 1].copy(), data)

    def restore(self, state: State) -> None:
        """Puts a captured run of the same program and inputs into a prepared context."""
        self.context.begin(0)
        self.put(state, self.args)

    def put(self, state: State, given: Sequence[Result]) -> None:
        """Blocks and frames of a state, for whoever owns what is made now."""
        addresses = self._blocks(state.sizes, state.data)
        inputs = np.array(
            [address_of(a) if isinstance(a, np.ndarray) else 0 for a in given], np.uint64
        )
        frames = placed(state.frames, addresses, inputs, self.shapes)
        if self.driver.load_frames(self.context.address, address_of(frames), len(frames)):
            self.drop()
            raise MemoryError("the frames of a capsule do not fit in memory")

    def failed(self) -> BaseException:
        """What the run has failed with; nothing of it is left."""
        self.driver.drop_frames(self.context.address)
        return self.executable.failure(self.context)

    def drop(self) -> None:
        """Forgets an interrupted run and all that it holds."""
        self.driver.drop_frames(self.context.address)
        self.executable.native.release_all(self.context.address)

    def own(self, array: NDArray[np.generic]) -> int:
        """The address of a copy in the run's own memory."""
        sizes = np.array([array.nbytes], np.uint64)
        return int(self._blocks(sizes, array)[0])

    def _blocks(self, sizes: NDArray[np.uint64], data: NDArray[np.generic]) -> NDArray[np.uint64]:
        """Addresses of new blocks of those sizes, filled with data."""
        addresses = np.zeros(len(sizes), np.uint64)
        failed = self.driver.load_blocks(
            self.context.address, address_of(sizes), len(sizes), address_of(data),
            address_of(addresses),
        )  # fmt: skip
        if failed:
            self.drop()
            raise MemoryError("the arrays of a run do not fit in memory")
        return addresses

    def _after(self, status: int, budget: int) -> bool:
        words = self.context.words
        while status == _INTERRUPTED and words[_ASKED] and self.answers is not None:
            self.answers.answer()
            status = self._resume(self.context.address, self._out)
        if status == _FAILED:
            raise self.failed()
        left = words[_BUDGET]
        left -= left >> 63 << 64  # it is a signed word
        self.enough = left < -(ENOUGH >> 1)
        left += ENOUGH if self.enough else 0
        self.steps += budget - left
        if status == _INTERRUPTED:  # the native stack was used up where there is a budget
            return left > words[_LATE] and not self.enough and self.resume(left)
        self.results = self.executable.values(self.context, self._out)
        return True
