"""Arrays of the tape on disk: a thread writes them, and reads them ahead of the reverse sweep.

The tape is a stack, so what comes back next is known. The files are stacks, too: an array is
written above those that are below it on the tape. An array stays in memory until it is written;
`_WRITTEN_BEHIND` arrays at most are on their way, since the run waits for the oldest of them when
it offers one more. So what is in memory at a time does not depend on how fast the disk is.

In the reverse sweep, up to `_READ_AHEAD` arrays below the one that is needed are read meanwhile.
They are still in the file: where the sweep records more before it needs them, and reads others
ahead of that, they leave memory again.

Native code asks, and waits for an answer, by two pipes. Another thread than the one that runs it
answers: Python answers signals in the main thread, wherever a function of Python's begins, and an
exception that a user's handler raises there could not go through native code.

Files are in a folder `retrograd-PID-...`, as snapshots are (`disk`).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import struct
import tempfile
import warnings
import weakref
from _thread import LockType, allocate_lock, start_new_thread
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from io import FileIO

from retrograd.errors import OF_PROGRAMS, CompilerBug, RetrogradError, UserError
from retrograd.runtime.disk import removed

__all__ = ["ANSWER", "QUESTION", "SMALLEST", "Offload", "Question", "offload_offset"]

SMALLEST = 1 << 16
"""Bytes below which an array stays in memory."""

_WRITTEN_BEHIND, _READ_AHEAD = 2, 2
_FAILED = -1
_MOST_AT_ONCE = 1 << 30
_WORDS = ("questions", "answers", "smallest")

QUESTION, ANSWER = struct.Struct("=4q"), struct.Struct("=2q")
"""What is asked: a `Question`, the address of an array's word on the tape, its bytes and one number
more. The answer is the address of a word, 0 for none, -1 where the run is to end; and bytes."""


class Question(IntEnum):
    """What native code asks.

    `PUT`: an array is on the tape now, for the folder of that number. It goes on with `WRITTEN`
    until it has freed all that need not be in memory, which are the answers. `TAKE`: an array is
    needed, the last that was put. The answers are those that there has to be room for; the number
    is 0 where there was none for the last of them. At the end it is in memory.
    """

    PUT = 0
    WRITTEN = 1
    TAKE = 2


def offload_offset(word: str) -> int:
    """Byte offset in the table that native code has: descriptors of pipes, and `smallest`, the
    bytes from which on an array is put."""
    return 8 * _WORDS.index(word)


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
    place: str = ""
    opened: FileIO | None = None
    at_exit: weakref.finalize[[str, int], _File] | None = None

    def open(self) -> int:
        """Its descriptor. OSError where it cannot be made."""
        if self.opened is None:
            self.place = tempfile.mkdtemp(prefix=f"retrograd-{os.getpid()}-", dir=self.folder)
            self.at_exit = weakref.finalize(self, removed, self.place, os.getpid())
            self.opened = FileIO(self.path, "w+")
        return self.opened.fileno()

    @property
    def path(self) -> str:
        """Where it is."""
        return os.path.join(self.place, "tape")

    def remove(self) -> None:
        """Closes and removes it, if it is there."""
        if self.opened is not None:
            self.opened.close()
        if self.place:  # `shutil.rmtree` may close another's file after an exception of a signal
            with contextlib.suppress(OSError):
                os.unlink(self.path)
            with contextlib.suppress(OSError):
                os.rmdir(self.place)
        if self.at_exit is not None:
            self.at_exit.detach()


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


def _checked(folder: str) -> _File:
    """UserError where a folder cannot be written to."""
    there = os.path.isdir(folder)
    if not there or not os.access(folder, os.W_OK | os.X_OK):
        why = os.strerror(errno.EACCES if there else errno.ENOENT)
        raise UserError(
            "RG4007", f"the folder {folder!r} to offload to cannot be used: {why}",
            way_out="name a folder that exists and can be written; JAX's kinds of memory are "
            '"device", "pinned_host" and "unpinned_host"',
        )  # fmt: skip
    return _File(folder)


@dataclass(slots=True, eq=False)
class Offload:
    """The arrays of one run that are moved out of memory.

    `bytes` counts what has left memory, `entries` is the stack of what has been put. `behind` are
    those on their way to the disk, `ahead` those that have come back before they were needed,
    `asked` is the one for which there is to be room. `full` is why nothing more is written, `error`
    what has ended the run. `number` is that of the thread that answers, if that has `begun`;
    `serving` is locked till its end.
    """

    folders: Sequence[str]
    bytes: int = 0
    full: OSError | RuntimeError | None = None
    error: Exception | None = None
    entries: list[_Entry] = field(default_factory=list[_Entry])
    behind: deque[_Entry] = field(default_factory=deque["_Entry"])
    ahead: list[_Entry] = field(default_factory=list[_Entry])
    asked: _Entry | None = None
    files: list[_File] = field(init=False)
    table: ctypes.Array[ctypes.c_uint64] = field(init=False)
    pipes: tuple[FileIO, ...] = field(init=False)
    begun: bool = False
    number: int | None = None
    serving: LockType = field(default_factory=allocate_lock)
    worker: ThreadPoolExecutor | None = None

    def __post_init__(self) -> None:
        """UserError where a folder cannot be written to."""
        self.files = list(map(_checked, self.folders))
        ends = (*os.pipe(), *os.pipe())
        self.pipes = tuple(FileIO(end, mode) for end, mode in zip(ends, "rwrw", strict=True))
        self.table = (ctypes.c_uint64 * len(_WORDS))(ends[1], ends[2], SMALLEST)

        self.serving.acquire()

    def start(self) -> int:
        """The address of the table that native code looks into; 0 where there can be no thread."""
        self.begun = True
        try:  # `threading.Thread` is in disorder after an exception of a signal's handler
            self.number = start_new_thread(self._serve, ())
        except RuntimeError as error:
            self.full, self.begun = error, False
            return 0
        return ctypes.addressof(self.table)

    # What is done for native code, in a thread of its own.

    def _serve(self) -> None:
        """Answers until nobody can ask any more. Native code fails where nobody answers."""
        asked, _, _, answers = self.pipes
        try:
            while question := asked.read(QUESTION.size):
                answers.write(ANSWER.pack(*self._answer(*QUESTION.unpack(question))))
        finally:
            asked.close()
            answers.close()
            self.serving.release()

    def _answer(self, question: int, slot: int, size: int, number: int) -> tuple[int, int]:
        try:
            match Question(question):
                case Question.PUT:
                    found = self.put(slot, size, self.files[number])
                case Question.WRITTEN:
                    found = self.written()
                case Question.TAKE:
                    found = self.take(slot, number != 0)
        except (RetrogradError, *OF_PROGRAMS) as error:
            self.error = error
            return _FAILED, 0
        return (0, 0) if found is None else (found.slot, found.size)

    def put(self, slot: int, size: int, file: _File) -> _Entry | None:
        """An array was put on the tape: it is to be written. Gives what `written` does."""
        entry = _Entry(len(self.entries), slot, size, file, file.end)
        self.entries.append(entry)
        file.end += size
        if self.full is None:
            self._start(entry)
        return self.written()

    def written(self) -> _Entry | None:
        """An array that is on the disk, and need not be in memory."""
        if len(self.ahead) > _READ_AHEAD:
            last = min(self.ahead, key=lambda entry: entry.number)
            self.ahead.remove(last)
            last.settle()
            return _left(last)
        while len(self.behind) > _WRITTEN_BEHIND:
            entry = self.behind.popleft()
            if self._wrote(entry):
                self.bytes += entry.size
                return _left(entry)
        return None

    def take(self, slot: int, room: bool) -> _Entry | None:
        """An array that is to be read next, if there is room; None when the last one is there."""
        asked, self.asked = self.asked, None
        if asked is not None and room:
            self._fetch(asked)
        if asked is None or room:
            first = max(0, len(self.entries) - 1 - _READ_AHEAD)
            for entry in reversed(self.entries[first:]):
                if entry.place is _Place.DISK:
                    self.asked = entry
                    return entry
        entry = self.entries.pop()
        if entry.slot != slot or entry.place is _Place.DISK:
            raise CompilerBug("arrays come off the tape in another order than they went on it")
        if entry.place is _Place.READ:
            self.ahead.remove(entry)
            _arrived(entry)
        elif entry.place is _Place.WRITTEN:
            self.behind.remove(entry)
            entry.settle()
        entry.file.end = entry.offset
        return None

    def _start(self, entry: _Entry) -> None:
        """Begins to write an array, if that is possible."""
        try:
            file = entry.file.open()
            if self.worker is None:
                self.worker = ThreadPoolExecutor(1, "retrograd-offload")
            entry.job = self.worker.submit(_write, file, entry.elements(), entry.offset)
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
        assert self.worker is not None
        file = entry.file.open()
        entry.job = self.worker.submit(_read, file, entry.elements(), entry.offset)
        entry.place = _Place.READ
        self.ahead.append(entry)

    # The end of the run.

    def close(self) -> None:
        """Waits until nobody reads or writes memory of the run, and removes the files.

        Where that is interrupted, a second call does what is left.
        """
        asked, questions, answers, given = self.pipes
        questions.close()
        if not self.begun:  # else it is for the thread to close these
            asked.close()
            given.close()
        if self.number is not None:
            with self.serving:
                pass
        if self.worker is not None:
            self.worker.shutdown(wait=True, cancel_futures=True)
        answers.close()
        for file in self.files:
            file.remove()

    def warn(self) -> None:
        """Says, once in a run, that the disk was full."""
        if self.full is not None:
            warnings.warn(
                f"arrays of the tape that were to be offloaded stay in memory: {self.full}",
                RuntimeWarning, stacklevel=2,
            )  # fmt: skip


def _left(entry: _Entry) -> _Entry:
    """Notes that an array is on the disk only."""
    entry.place, entry.job = _Place.DISK, None
    return entry


def _arrived(entry: _Entry) -> None:
    """Waits for the reading of an array. UserError where the file is damaged."""
    assert entry.job is not None
    try:
        entry.job.result()
    except OSError as error:
        raise UserError(
            "RG4007", f"what was offloaded to {entry.file.folder!r} cannot be read: {error}",
            way_out="leave the files of a run alone until it has ended; start it again",
        ) from error  # fmt: skip
