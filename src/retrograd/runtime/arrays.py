"""Where NumPy keeps the elements of an array: every array of every call is asked for it.

`array.ctypes.data` makes two objects and a pointer for that. An array begins with the header of all
Python objects and then the address; that layout is part of NumPy's binary interface.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

__all__ = ["address_of", "apart", "bytes_at", "fresh"]

Address = Callable[[NDArray[Any]], int]

_WORD = struct.Struct("@P").unpack_from
_HEADER = object.__basicsize__
_EVERYTHING = (ctypes.c_char * sys.maxsize).from_address(0)
"""All memory as one buffer."""
_OF_THEIR_OWN = 1 << 20
"""Bytes from which on `fresh` gives pages of their own."""
_FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_POPULATE", 0)


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


def fresh(size: int) -> NDArray[np.uint8]:
    """So many bytes to be written.

    Large ones are pages of their own, which the system has back when nobody refers to them. In the
    heap of the C library they would stay in holes between other blocks, and the process would have
    more memory than it uses.
    """
    if size < _OF_THEIR_OWN:
        return np.empty(size, np.uint8)
    try:
        return np.frombuffer(mmap.mmap(-1, size, flags=_FLAGS), np.uint8)
    except OSError as error:
        raise MemoryError(f"there is no room for {size} bytes") from error
