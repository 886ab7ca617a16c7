"""A run's context: error report, allocator state, tape memory, and exact byte counts.

A context belongs to one running call (or to one pullback, whose residuals it holds). Contexts are
pooled per compiled function so that free lists and tape pages stay warm; the pool is the caller's.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import time

from retrograd.runtime.layout import CONTEXT_WORDS, EXTERNALS, FIELDS, RESET, field_offset

__all__ = ["Context", "Memory", "available_bytes", "stack_floor"]

_TAPE_RESERVE = 1 << 40
_NORESERVE = 0x4000
_RESET = struct.Struct(f"<{RESET}Q")


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


class Context:
    """The words that native code reads and writes, and the tape's address range.

    The tape is one reservation of address space; pages become real when they are first written.
    """

    __slots__ = ("_tape", "_tape_size", "_view", "_words", "address", "tape_address")

    def __init__(self) -> None:
        self._words = (ctypes.c_uint64 * CONTEXT_WORDS)()
        self.address = ctypes.addressof(self._words)
        self._tape: mmap.mmap | None = None
        self._view: ctypes.Array[ctypes.c_char] | None = None
        self.tape_address = 0
        self._tape_size = 0

    def get(self, field: str) -> int:
        """One word of the context."""
        return self._words[field_offset(field) // 8]

    def set(self, field: str, value: int) -> None:
        self._words[field_offset(field) // 8] = value

    def prepare(self, limit: int, stack_limit: int = 0, tape: bool = False) -> None:
        """Ready for a call that may hold `limit` bytes in arrays, and as many on an empty tape."""
        if tape and self._tape is None:
            self._reserve_tape()
        base = self.tape_address
        end = base + min(limit, self._tape_size)
        _RESET.pack_into(self._words, 0, 0, limit, 0, stack_limit, 0, base, base, end, 0, 0)

    def add_external(self, address: int) -> None:
        """A buffer of the caller that native code may write but must not free."""
        count = self.get("externals")
        if count < EXTERNALS:
            self._words[len(FIELDS) + count] = address
            self.set("externals", count + 1)

    def _reserve_tape(self) -> None:
        size = min(_TAPE_RESERVE, 2 * os.sysconf("SC_PHYS_PAGES") * mmap.PAGESIZE)
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE
        self._tape = mmap.mmap(-1, size, flags=flags)
        self._tape.madvise(mmap.MADV_HUGEPAGE)
        self._view = (ctypes.c_char * size).from_buffer(self._tape)
        self._tape_size = size
        self.tape_address = ctypes.addressof(self._view)

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


class _Attributes(ctypes.Structure):
    """Room for a `pthread_attr_t`."""

    _fields_ = (("words", ctypes.c_uint64 * 16),)


def stack_floor(margin: int = 256 * 1024) -> int:
    """The lowest address that native code may use of this thread's stack."""
    libc = ctypes.CDLL(None)
    libc.pthread_self.restype = ctypes.c_void_p
    attributes, low, size = _Attributes(), ctypes.c_void_p(), ctypes.c_size_t()
    itself = ctypes.c_void_p(libc.pthread_self())
    if libc.pthread_getattr_np(itself, ctypes.byref(attributes)) != 0:
        return 0
    libc.pthread_attr_getstack(ctypes.byref(attributes), ctypes.byref(low), ctypes.byref(size))
    libc.pthread_attr_destroy(ctypes.byref(attributes))
    return (low.value or 0) + margin
