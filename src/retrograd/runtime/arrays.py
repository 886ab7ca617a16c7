"""Where NumPy keeps the elements of an array: every array of every call is asked for it.

`array.ctypes.data` makes two objects and a pointer for that. An array begins with the header of all
Python objects and then the address; that layout is part of NumPy's binary interface.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import struct
import sys
import weakref
from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MOST_IN_HEAP", "Pages", "address_of", "apart", "array_in", "bytes_at", "held_at", "keep_heap"
]  # fmt: skip

Address = Callable[[NDArray[Any]], int]

_WORD = struct.Struct("@P").unpack_from
_SIZE = struct.Struct("@Q").unpack_from
_HEADER = object.__basicsize__
_BEFORE = 64
"""Bytes of a block of native code's before its elements (`backends/llvm/runtime_text.py`)."""
_EVERYTHING = (ctypes.c_char * sys.maxsize).from_address(0)
"""All memory as one buffer."""
_OF_THEIR_OWN = 1 << 20
"""Bytes from which on an array has pages of its own."""
_IDLE = 2
"""How many arrays' pages are kept."""
_IN_HUGE_PAGES = 1 << 22
"""Bytes from which on these are large: the system clears 2 MB at once then."""
MOST_IN_HEAP = (1 << 25) - (1 << 13)
"""Blocks beyond 32 MiB, with what stands before them, never are in the heap of the C library."""
_FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
_AT_ONCE = getattr(mmap, "MAP_POPULATE", 0)


def _freeing() -> Callable[[int], None]:
    free = ctypes.CDLL(None).free
    free.argtypes, free.restype = (ctypes.c_void_p,), None
    return free


_FREE = _freeing()


def _read(array: NDArray[Any]) -> int:
    return _WORD(_EVERYTHING, id(array) + _HEADER)[0]


def _asked(array: NDArray[Any]) -> int:
    return array.ctypes.data


def _fitting() -> Address:
    """The fast way where Python and NumPy lay objects out as expected, else the official one."""
    if sys.implementation.name != "cpython" or np.ndarray.__basicsize__ < _HEADER + 8:
        return _asked
    samples = [np.zeros(3), np.zeros((2, 3))[1:, ::2], np.zeros(0, bool)]
    return _read if all(_read(a) == _asked(a) for a in samples) else _asked


address_of: Address = _fitting()
"""The address of an array's first element."""


def apart(values: Iterable[Any]) -> tuple[Any, ...]:
    """The same values, in arrays that share no memory: what begins inside another one is copied.

    A pointer into inputs says which input it is, and goes on from there in a copy of it.
    """
    found = list(values)
    starts = sorted(
        (address_of(cast("NDArray[Any]", a)), k)
        for k, a in enumerate(found)
        if isinstance(a, np.ndarray)
    )
    end = 0
    for start, k in starts:
        if start < end:
            found[k] = found[k].copy()
        else:
            end = start + found[k].nbytes
    return tuple(found)


def bytes_at(address: int, size: int) -> NDArray[np.uint8]:
    """Memory as an array, as long as whoever owns it leaves it there."""
    return np.frombuffer(memoryview((ctypes.c_uint8 * size).from_address(address)), np.uint8)


def _pages(size: int) -> mmap.mmap:
    """Pages that nobody has used. OSError where there is no room."""
    if size < _IN_HUGE_PAGES:
        return mmap.mmap(-1, size, flags=_FLAGS | _AT_ONCE)
    made = mmap.mmap(-1, size, flags=_FLAGS)
    with contextlib.suppress(OSError):  # a kernel may be without huge pages
        made.madvise(mmap.MADV_HUGEPAGE)
    return made


def keep_heap(size: int = MOST_IN_HEAP) -> None:
    """Has the C library keep free blocks of up to so many bytes in its heap, and twice as many in
    all, as it does after it has had back one of the size: it gives the pages of each array back
    otherwise, and the system clears them for the next one, which takes longer than to write it."""
    if size > 0:
        np.empty(min(size, MOST_IN_HEAP), np.uint8)


class _Block(ctypes.c_char * sys.maxsize):
    """A block of native code's that is an array's now; it is freed with the last view of that."""

    __slots__ = ("block",)

    def __del__(self, free: Callable[[int], None] = _FREE) -> None:
        free(self.block)


def held_at(address: int) -> int:
    """The bytes of the block of native code's whose elements begin at an address."""
    return _SIZE(_EVERYTHING, address - _BEFORE + 16)[0]


def array_in(address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of the elements at an address, in a block that native code has given up."""
    buffer = _Block.from_address(address)
    buffer.block = address - _BEFORE
    return np.ndarray(shape, dtype, cast("Any", buffer))


class Pages:
    """Makes arrays to be written, and has the pages of large ones back when nobody refers to them.

    In the heap of the C library large ones would stay in holes between other blocks, and the
    process would have more memory than it uses. The system clears all pages that it gives, which
    takes longer than to write them; so some that are idle are kept for the next array of the size.
    """

    __slots__ = ("__weakref__", "_idle")

    def __init__(self) -> None:
        self._idle: list[mmap.mmap] = []

    @property
    def idle(self) -> int:
        """Bytes in pages that nobody uses."""
        return sum(map(len, self._idle))

    def take(self, size: int) -> NDArray[np.uint8]:
        """An array of so many bytes. MemoryError where there is no room for it."""
        if size < _OF_THEIR_OWN:
            return np.empty(size, np.uint8)
        for k, one in enumerate(self._idle):
            if len(one) == size:
                del self._idle[k]
                return self._array(one)
        self.release()
        try:
            return self._array(_pages(size))
        except OSError as error:
            raise MemoryError(f"there is no room for {size} bytes") from error

    def release(self) -> None:
        """The system has all idle pages back."""
        self._idle.clear()

    def _array(self, pages: mmap.mmap) -> NDArray[np.uint8]:
        array = np.frombuffer(pages, np.uint8)
        weakref.finalize(array, self._came_back, pages).atexit = False
        return array

    def _came_back(self, pages: mmap.mmap) -> None:
        self._idle.append(pages)
        if len(self._idle) > _IDLE:
            del self._idle[0]
