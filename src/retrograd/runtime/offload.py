"""Arrays of the tape on disk: a thread writes them, and reads them ahead of the reverse sweep.

The tape is a stack, so what comes back next is known. The files are stacks, too: an array is
written above those that are below it on the tape. An array stays in memory until it is written;
`_WRITTEN_BEHIND` arrays at most are on their way, since the run waits for the oldest of them when
it offers one more. So what is in memory at a time does not depend on how fast the disk is.

In the reverse sweep, up to `_READ_AHEAD` arrays below the one that is needed are read meanwhile.
They are still in the file: where the sweep records more before it needs them, and reads others
ahead of that, they leave memory again.

Files are in a folder `retrograd-PID-...`, as snapshots are (`disk`).
"""

from __future__ import annotations

import ctypes
import errno
import os
import tempfile
import warnings
import weakref
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any

from retrograd.errors import CompilerBug, UserError
from retrograd.runtime.disk import removed

__all__ = ["CALLS", "SMALLEST", "Offload", "call_offset"]

SMALLEST = 1 << 16
"""Bytes below which an array stays in memory."""

CALLS = MappingProxyType({"put": 3, "written": 0, "wanted": 1, "take": 1})
"""What native code calls, with the number of arguments."""

_WRITTEN_BEHIND, _READ_AHEAD = 2, 2
_FAILED = -1
_MOST_AT_ONCE = 1 << 30


def call_offset(name: str) -> int:
    """Byte offset of a word of the table: the address of a function; `size`, the bytes of the array
    that a function has answered; `smallest`, those from which on an array is offered."""
    return 8 * (*CALLS, "size", "smallest").index(name)


class _Place(Enum):
    """Where an array is."""

    MEMORY = "it stays there"
    WRITTEN = "in memory, and being written"
    DISK = "on the disk only"
    READ = "in memory and on the disk, or being read"


@dataclass(slots=True, eq=False)
class _Entry:
    """An array on the tape: its number in the stack, the address of its word, its bytes, and where
    it is."""

    number: int
    slot: int
    size: int
    file: _File
    offset: int
    place: _Place = _Place.MEMORY
    job: Future[None] | None = None

    def elements(self) -> memoryview:
        """Its bytes in memory."""
        address = ctypes.c_uint64.from_address(self.slot).value
        return memoryview((ctypes.c_char * self.size).from_address(address)).cast("B")

    def settle(self) -> None:
        """Waits until nobody reads or writes its memory, whatever comes of that."""
        if self.job is not None and not self.job.cancel():
            self.job.exception()


@dataclass(slots=True, eq=False, weakref_slot=True)
class _File:
    """A file of arrays in a folder of the user's, of which `end` bytes are in use."""

    folder: str
    end: int = 0
    number: int | None = None
    close: weakref.finalize[[str, int], _File] | None = None

    def open(self) -> int:
        """Its descriptor. OSError where it cannot be made."""
        if self.number is None:
            place = tempfile.mkdtemp(prefix=f"retrograd-{os.getpid()}-", dir=self.folder)
            self.close = weakref.finalize(self, removed, place, os.getpid())
            self.number = os.open(Path(place, "tape"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self.number

    def remove(self) -> None:
        """Closes and removes it."""
        number, self.number = self.number, None
        if number is not None:
            os.close(number)
        if self.close is not None:
            self.close()


def _write(file: int, data: memoryview, offset: int) -> None:
    """Writes all of it. OSError where there is no room."""
    while data:
        done = os.pwrite(file, data[:_MOST_AT_ONCE], offset)
        data, offset = data[done:], offset + done


def _read(file: int, data: memoryview, offset: int) -> None:
    """Fills it. OSError where the file has less."""
    while data:
        done = os.preadv(file, [data[:_MOST_AT_ONCE]], offset)
        if not done:
            raise OSError(errno.EIO, "the file is shorter than it was")
        data, offset = data[done:], offset + done


@dataclass(slots=True)
class _Stopped:
    """Keeps what is raised in a block for when native code has ended: through that, nothing comes.

    A signal may have been answered in the block, by whatever the user has installed.
    """

    error: BaseException | None = None

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:  # fmt: skip
        self.error = self.error or error
        return True


@dataclass(slots=True, eq=False)
class Offload:
    """The arrays of one run that are moved out of memory.

    `bytes` counts what has left memory, `entries` is the stack of what has been offered. `behind`
    are those on their way to the disk, `ahead` those that have come back before they were needed,
    `asked` is the one for which there is to be room. `full` is why nothing more is written.
    """

    folders: Sequence[str]
    bytes: int = 0
    full: OSError | RuntimeError | None = None
    stopped: _Stopped = field(default_factory=_Stopped)
    entries: list[_Entry] = field(default_factory=list[_Entry])
    behind: deque[_Entry] = field(default_factory=deque["_Entry"])
    ahead: list[_Entry] = field(default_factory=list[_Entry])
    asked: _Entry | None = None
    files: list[_File] = field(init=False)
    table: ctypes.Array[ctypes.c_uint64] = field(init=False)
    thread: ThreadPoolExecutor | None = None
    _callbacks: list[Any] = field(default_factory=list[Any])

    def __post_init__(self) -> None:
        """UserError where a folder cannot be written to."""
        for folder in self.folders:
            if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
                why = os.strerror(errno.EACCES if os.path.isdir(folder) else errno.ENOENT)
                raise UserError(
                    "RG4007", f"the folder {folder!r} to offload to cannot be used: {why}",
                    way_out="name a folder that exists and can be written; JAX's kinds of memory "
                    'are "device", "pinned_host" and "unpinned_host"',
                )  # fmt: skip
        self.files = [_File(folder) for folder in self.folders]
        self.table = (ctypes.c_uint64 * (len(CALLS) + 2))()
        self.table[len(CALLS) + 1] = SMALLEST
        functions = (self.put, self.written, self.wanted, self.take)
        for k, (count, function) in enumerate(zip(CALLS.values(), functions, strict=True)):
            kind = ctypes.CFUNCTYPE(ctypes.c_int64, *(ctypes.c_int64,) * count)
            callback = kind(function)
            self._callbacks.append(callback)
            self.table[k] = ctypes.cast(callback, ctypes.c_void_p).value or 0

    @property
    def address(self) -> int:
        """Of the table that native code looks into."""
        return ctypes.addressof(self.table)

    # What native code calls. The result is -1 where the run is to end.

    def put(self, slot: int, size: int, folder: int) -> int:
        """An array was put on the tape: it is to be written."""
        with self.stopped:
            file = self.files[folder]
            entry = _Entry(len(self.entries), slot, size, file, file.end)
            self.entries.append(entry)
            file.end += size
            if self.full is None:
                self._start(entry)
            return 0
        return _FAILED

    def written(self) -> int:
        """The word of an array that is on the disk, and need not be in memory; 0 if none is."""
        with self.stopped:
            if len(self.ahead) > _READ_AHEAD:
                last = min(self.ahead, key=lambda entry: entry.number)
                self.ahead.remove(last)
                last.settle()
                return self._left(last)
            while len(self.behind) > _WRITTEN_BEHIND:
                entry = self.behind.popleft()
                if self._wrote(entry):
                    self.bytes += entry.size
                    return self._left(entry)
            return 0
        return _FAILED

    def wanted(self, slot: int) -> int:
        """The word of an array to make room for, since it is read next; 0 if none is."""
        with self.stopped:
            if self.asked is not None:
                self._fetch(self.asked)
                self.asked = None
            first = max(0, len(self.entries) - 1 - _READ_AHEAD)
            for entry in reversed(self.entries[first:]):
                if entry.place is _Place.DISK:
                    self.asked = entry
                    return self._answered(entry)
            return 0
        return _FAILED

    def take(self, slot: int) -> int:
        """The last array that was offered is needed: it is in memory then."""
        with self.stopped:
            self.asked = None  # there was no room for it
            entry = self.entries.pop()
            if entry.slot != slot or entry.place is _Place.DISK:
                raise CompilerBug("arrays come off the tape in another order than they went on it")
            if entry.place is _Place.READ:
                self.ahead.remove(entry)
                self._arrived(entry)
            elif entry.place is _Place.WRITTEN:
                self.behind.remove(entry)
                entry.settle()
            entry.file.end = entry.offset
            return 0
        return _FAILED

    def _start(self, entry: _Entry) -> None:
        """Begins to write an array, if that is possible."""
        try:
            file = entry.file.open()
            if self.thread is None:
                self.thread = ThreadPoolExecutor(1, "retrograd-offload")
            entry.job = self.thread.submit(_write, file, entry.elements(), entry.offset)
        except (OSError, RuntimeError) as error:  # no room, or no more threads
            self.full = error
            return
        entry.place = _Place.WRITTEN
        self.behind.append(entry)

    def _wrote(self, entry: _Entry) -> bool:
        """Waits for the writing of an array; where there is no room for it, it stays in memory."""
        assert entry.job is not None
        try:
            entry.job.result()
        except OSError as error:
            self.full = self.full or error
            entry.place, entry.job = _Place.MEMORY, None
            return False
        return True

    def _fetch(self, entry: _Entry) -> None:
        """Begins to read an array, for which there is room now."""
        assert self.thread is not None
        file = entry.file.open()
        entry.job = self.thread.submit(_read, file, entry.elements(), entry.offset)
        entry.place = _Place.READ
        self.ahead.append(entry)

    def _arrived(self, entry: _Entry) -> None:
        """Waits for the reading of an array. UserError where the file is damaged."""
        assert entry.job is not None
        try:
            entry.job.result()
        except OSError as error:
            raise UserError(
                "RG4007", f"what was offloaded to {entry.file.folder!r} cannot be read: {error}",
                way_out="leave the files of a run alone until it has ended; start it again",
            ) from error  # fmt: skip

    def _left(self, entry: _Entry) -> int:
        entry.place, entry.job = _Place.DISK, None
        return self._answered(entry)

    def _answered(self, entry: _Entry) -> int:
        self.table[len(CALLS)] = entry.size
        return entry.slot

    # The end of the run.

    def close(self) -> None:
        """Waits until nobody reads or writes memory of the run, and removes the files."""
        closed = False
        while not closed:
            with self.stopped:
                if self.thread is not None:
                    self.thread.shutdown(wait=True, cancel_futures=True)
                closed = True
        for file in self.files:
            file.remove()

    def warn(self) -> None:
        """Says, once in a run, that the disk was full."""
        if self.full is not None:
            warnings.warn(
                f"arrays of the tape that were to be offloaded stay in memory: {self.full}",
                RuntimeWarning, stacklevel=2,
            )  # fmt: skip
