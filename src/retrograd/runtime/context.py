"""A run's context: error report, allocator state, tape memory, and exact byte counts.

A context belongs to one running call (or to one pullback, whose residuals it holds). Contexts are pooled
per compiled function so that free lists and tape pages stay warm; the pool is the caller's.
"""

from __future__ import annotations

import ctypes
import mmap
import os

from retrograd.runtime.layout import CONTEXT_WORDS, EXTERNALS, FIELDS, field_offset

__all__ = ["Context", "available_bytes"]

_TAPE_RESERVE = 1 << 40
_NORESERVE = 0x4000


def available_bytes() -> int:
    """Bytes of memory that the machine can still hand out, free pages and caches."""
    with open("/proc/meminfo", encoding="ascii") as table:
        for line in table:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


class Context:
    """The words that native code reads and writes, and the tape's address range.

    The tape is one reservation of address space; pages become real when they are first written.
    """

    __slots__ = ("_tape", "_view", "_words", "address", "tape_address")

    def __init__(self) -> None:
        self._words = (ctypes.c_uint64 * CONTEXT_WORDS)()
        self.address = ctypes.addressof(self._words)
        self._tape: mmap.mmap | None = None
        self._view: ctypes.Array[ctypes.c_char] | None = None
        self.tape_address = 0

    def get(self, field: str) -> int:
        """One word of the context."""
        return self._words[field_offset(field) // 8]

    def set(self, field: str, value: int) -> None:
        self._words[field_offset(field) // 8] = value

    def prepare(self, limit: int, stack_limit: int = 0) -> None:
        """Ready for a call that may hold `limit` bytes in arrays and tape."""
        words = self._words
        words[0] = 0
        words[FIELDS.index("limit")] = limit
        words[FIELDS.index("peak")] = words[FIELDS.index("live")]
        words[FIELDS.index("externals")] = 0
        words[FIELDS.index("stack_limit")] = stack_limit

    def add_external(self, address: int) -> None:
        """A buffer of the caller that native code may write but must not free."""
        count = self.get("externals")
        if count < EXTERNALS:
            self._words[len(FIELDS) + count] = address
            self.set("externals", count + 1)

    def open_tape(self, limit: int) -> None:
        """An empty tape that may grow to `limit` bytes."""
        if self._tape is None:
            size = min(_TAPE_RESERVE, max(1 << 30, 2 * limit))
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE
            self._tape = mmap.mmap(-1, size, flags=flags)
            self._tape.madvise(mmap.MADV_HUGEPAGE)
            self._view = (ctypes.c_char * size).from_buffer(self._tape)
            self.tape_address = ctypes.addressof(self._view)
        self.set("tape_base", self.tape_address)
        self.set("tape_top", self.tape_address)
        self.set("tape_peak", 0)
        self.set("tape_limit", self.tape_address + min(limit, len(self._tape)))

    @property
    def tape_bytes(self) -> int:
        """Bytes on the tape now."""
        return self.get("tape_top") - self.get("tape_base")

    def trim_tape(self, keep: int) -> None:
        """Gives the pages above the first `keep` bytes back to the system."""
        if self._tape is not None and keep < len(self._tape):
            page = mmap.PAGESIZE
            start = (keep + page - 1) // page * page
            self._tape.madvise(mmap.MADV_DONTNEED, start, len(self._tape) - start)
