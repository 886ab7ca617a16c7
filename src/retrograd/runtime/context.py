"""A run's context: error report, allocator state, tape memory, and exact byte counts.

A context belongs to one running call (or to one pullback, whose residuals it holds). Contexts are
pooled per compiled function so that free lists and tape pages stay warm; the pool is the caller's.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import struct
import threading
import time
import weakref
from collections.abc import Callable

from retrograd.runtime.layout import CONTEXT_WORDS, PARKED, PLACES, RESET, field_offset
from retrograd.runtime.library import library_table
from retrograd.runtime.signals import signal_table

__all__ = ["KEPT", "MEMORY", "Context", "Kept", "Memory", "available_bytes", "stack_floor", "warm"]

_TAPE_RESERVE = 1 << 40
_NORESERVE = 0x4000
_KEEP_TAPE = 1 << 28
_KEEP_LARGE = 1 << 27
"""Bytes of tape, and in large free blocks, that every context keeps for the next call."""
_SHARE = 8
"""One part in so many of the machine's memory is what contexts may keep in larger blocks."""
_HUGE = 1 << 26
"""A limit from which on the tape has huge pages, each of which takes 2 MB for its first byte."""
_GIVEN = 1 << 16
"""Tape is given back in multiples of this, if it is not the whole."""
_EXTERNALS = 8
_RESET = struct.Struct(f"<{RESET}Q")
_PEAK, _TAPE_PEAK, _LIVE = PLACES["peak"], PLACES["tape_peak"], PLACES["live"]
_FRAMES, _LAST_FRAME, _BUDGET = PLACES["frames"], PLACES["last_frame"], PLACES["budget"]
_LARGE = PLACES["large_bytes"]
_TOP, _BASE, _ARRAYS = PLACES["tape_top"], PLACES["tape_base"], PLACES["tape_arrays"]


def _trimming() -> Callable[[int], int]:
    """`malloc_trim` where the C library has it."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except AttributeError:
        return lambda pad: 0
    trim.argtypes, trim.restype = (ctypes.c_size_t,), ctypes.c_int
    return trim


_TRIM = _trimming()


class Memory:
    """Bytes that the machine can still hand out, asked for at most every tenth of a second."""

    __slots__ = ("_bytes", "_until")

    def __init__(self) -> None:
        self._bytes = 0
        self._until = 0.0

    def available(self) -> int:
        """Free pages and caches, in bytes."""
        now = time.monotonic()
        if now > self._until:
            self._bytes = available_bytes()
            self._until = now + 0.1
        return self._bytes


def available_bytes() -> int:
    """Bytes of memory that the machine can hand out now, free pages and caches."""
    with open("/proc/meminfo", encoding="ascii") as table:
        for line in table:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


MEMORY = Memory()
"""What all runs ask for what they may have at most."""


class Kept:
    """Bytes in large free blocks that contexts keep between calls, where that is much.

    The system clears the pages of every block that it hands out, which takes longer than many
    gradients whose results are as large. All contexts of the process together keep at most a share
    of the machine's memory. No lock: threads that come at once are out by one call's blocks, and a
    forked process goes on with its own.
    """

    __slots__ = ("_of", "most")

    def __init__(self, most: int) -> None:
        self._of: weakref.WeakKeyDictionary[Context, int] = weakref.WeakKeyDictionary()
        self.most = most

    def may_keep(self, context: Context, size: int) -> bool:
        """Whether a context may keep so many bytes; it is assumed to do as it is told."""
        others = sum(self._of.copy().values()) - self._of.get(context, 0)
        fits = others + size <= self.most
        self._of[context] = size if fits else 0
        return fits


KEPT = Kept(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // _SHARE)
"""What all contexts of the process ask."""


class Context:
    """The words that native code reads and writes, and the tape's address range.

    The tape is one reservation of address space; pages become real when they are first written.
    `words` are for those to whom `get` and `set` take too long (`PLACES` says which is which).
    `crowded`: there are many free blocks among those that others look through.
    """

    __slots__ = (
        "__weakref__",
        "_externals",
        "_tape",
        "_tape_size",
        "_view",
        "address",
        "crowded",
        "floor",
        "lent",
        "limit",
        "offloaded",
        "tape_address",
        "words",
    )

    def __init__(self) -> None:
        self.words = (ctypes.c_uint64 * CONTEXT_WORDS)()
        self.address = ctypes.addressof(self.words)
        self._externals = (ctypes.c_uint64 * _EXTERNALS)()
        self.set("external_table", ctypes.addressof(self._externals))
        self.set("blas", library_table())
        self.set("signals", signal_table())
        # Memory that native code holds is not Python's; at the end of the process nobody minds.
        weakref.finalize(self, _release, self.words).atexit = False
        self.crowded = False
        self.limit = self.floor = -1  # of memory and of the stack, as they are in the words
        self.lent = 0  # the most that there was with what was lent to inner derivatives
        self.offloaded = 0  # bytes that the last run has moved to the disk
        self._tape: mmap.mmap | None = None
        self._view: ctypes.Array[ctypes.c_char] | None = None
        self.tape_address = 0
        self._tape_size = 0

    def get(self, field: str) -> int:
        """One word of the context."""
        return self.words[PLACES[field]]

    def peaks(self) -> tuple[int, int]:
        """Most bytes in arrays and on the tape during the last call, and on the tape alone."""
        return max(self.words[_PEAK], self.lent), self.words[_TAPE_PEAK]

    def measures(self) -> tuple[int, int, int, int]:
        """Bytes on the tape, those in arrays and frames beside it, and the most of all since this
        was last asked (where sweeps share the context), without and with inner derivatives."""
        words = self.words
        used, arrays, live = words[_TOP] - words[_BASE], words[_ARRAYS], words[_LIVE]
        peak, lent = words[_PEAK], self.lent
        words[_PEAK] = live + used
        self.lent = 0
        return used + arrays, live - arrays, peak, max(peak, lent)

    def set(self, field: str, value: int) -> None:
        self.words[PLACES[field]] = value

    def prepare(self, limit: int, stack_limit: int = 0, tape: bool = False) -> None:
        """Ready for a call that may hold `limit` bytes in arrays, and as many on an empty tape."""
        if tape and self._tape is None:
            self._reserve_tape(limit >= _HUGE)
        self.lent = self.offloaded = 0
        self.limit, self.floor = limit, stack_limit
        base = self.tape_address
        end = base + min(limit, self._tape_size)
        _RESET.pack_into(self.words, 0, 0, limit, 0, stack_limit, 0, base, base, end, 0, 0)

    def begin(self, budget: int) -> None:
        """No frames, and a budget for the first leg of an interruptible run."""
        words = self.words
        words[_FRAMES] = 0
        words[_LAST_FRAME] = self.address + 8 * _FRAMES
        words[_BUDGET] = budget

    def add_external(self, address: int) -> None:
        """A buffer of the caller that native code may write but must not free."""
        count = self.get("externals")
        if count == len(self._externals):
            larger = (ctypes.c_uint64 * (2 * count))(*self._externals)
            self._externals = larger
            self.set("external_table", ctypes.addressof(larger))
        self._externals[count] = address
        self.set("externals", count + 1)

    def _reserve_tape(self, huge: bool) -> None:
        size = min(_TAPE_RESERVE, 2 * os.sysconf("SC_PHYS_PAGES") * mmap.PAGESIZE)
        self._tape, size = _reserved(size)
        if huge:
            with contextlib.suppress(OSError):  # a kernel may be without huge pages
                self._tape.madvise(mmap.MADV_HUGEPAGE)
        self._view = (ctypes.c_char * size).from_buffer(self._tape)
        self._tape_size = size
        self.tape_address = ctypes.addressof(self._view)
        self.set("tape_end", self.tape_address + size)

    def shorten(self) -> None:
        """Gives pages that the tape has had, and has not now, back to the system: those of its own,
        and those of its arrays, which lie in the heap of the C library."""
        words = self.words
        used, most = words[_TOP] - words[_BASE], words[_TAPE_PEAK]
        words[_TAPE_PEAK] = used
        first = -(-used // _GIVEN) * _GIVEN
        if self._tape is not None and most > first:
            self._tape.madvise(mmap.MADV_DONTNEED, first, most - first)
        _TRIM(0)

    @property
    def tape_bytes(self) -> int:
        """Bytes on the tape now."""
        return self.get("tape_top") - self.get("tape_base")

    def cool(self, trim: Callable[[int], None] | None) -> None:
        """After a call, gives back to the system what the next one had better ask for again: pages
        of a long tape, and large free blocks, which are there for `trim`."""
        large = self.words[_LARGE]
        if trim is not None and large > _KEEP_LARGE and not KEPT.may_keep(self, large):
            trim(self.address)
        if self.words[_TAPE_PEAK] > _KEEP_TAPE and self._tape is not None:
            self._tape.madvise(mmap.MADV_DONTNEED, _KEEP_TAPE, len(self._tape) - _KEEP_TAPE)


def warm(pool: list[Context]) -> Context:
    """A context out of a pool, a new one where it is empty. Threads never get the same."""
    try:
        return pool.pop()
    except IndexError:
        return Context()


def _reserved(size: int) -> tuple[mmap.mmap, int]:
    """Address space of at most `size` bytes: less where the process may not have as much."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE
    while True:
        try:
            return mmap.mmap(-1, size, flags=flags), size
        except OSError as error:
            if size <= mmap.PAGESIZE:
                raise MemoryError("no address space for the tape") from error
            size //= 2


_Words = ctypes.Array[ctypes.c_uint64]


def _release(words: _Words) -> None:
    """Frees what a context still holds: arrays that nobody took, and what is in its free lists."""
    free = ctypes.CDLL(None).free
    free.argtypes, free.restype = (ctypes.c_void_p,), None
    block = words[field_offset("blocks") // 8]
    while block:
        following = ctypes.c_uint64.from_address(block + 8).value
        free(block)
        block = following
    for block in (words[PLACES["large"]], *words[PARKED : PARKED + 129]):
        while block:
            following = ctypes.c_uint64.from_address(block + 24).value
            free(block)
            block = following
    ctypes.memset(words, 0, ctypes.sizeof(words))


class _Attributes(ctypes.Structure):
    """Room for a `pthread_attr_t`."""

    _fields_ = (("words", ctypes.c_uint64 * 16),)


_THREADS = threading.local()


def stack_floor() -> int:
    """The lowest address that native code may use of this thread's stack."""
    found: int | None = getattr(_THREADS, "floor", None)
    if found is None:  # the system goes through all its mappings to answer that
        found = _THREADS.floor = _found_floor()
    return found


def _found_floor(margin: int = 256 * 1024) -> int:
    libc = ctypes.CDLL(None)
    libc.pthread_self.restype = ctypes.c_void_p
    attributes, low, size = _Attributes(), ctypes.c_void_p(), ctypes.c_size_t()
    itself = ctypes.c_void_p(libc.pthread_self())
    if libc.pthread_getattr_np(itself, ctypes.byref(attributes)) != 0:
        return 0
    libc.pthread_attr_getstack(ctypes.byref(attributes), ctypes.byref(low), ctypes.byref(size))
    libc.pthread_attr_destroy(ctypes.byref(attributes))
    return (low.value or 0) + margin
