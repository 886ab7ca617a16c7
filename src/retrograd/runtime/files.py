"""Files of plain data: versioned and checksummed, with nothing in them to execute.

A file is a magic word, the SHA-256 of the rest, the length of a JSON header, the header, and the
arrays that it lists, one after the other, little-endian. The checksum finds damage; it is no
signature: a file that somebody made up with care is as trustworthy as they are.
"""

from __future__ import annotations

import hashlib
import json
import math
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from retrograd.runtime.state import State

__all__ = [
    "Damaged", "Foreign", "Reader", "Value", "described", "irregular", "payload", "read_file",
    "size_of", "write_file",
]  # fmt: skip

_SUM = 32
_CHUNK = 1 << 20
_DTYPES = ("<f8", "<i8", "|b1")

Value = float | int | bool | NDArray[np.generic]


def irregular(path: Path) -> str | None:
    """What stands under a path, where it is no file; None for a file and for nothing.

    Opening a pipe would wait for somebody to write to it.
    """
    try:
        mode = path.stat().st_mode
    except OSError:  # nothing, or what cannot be looked at: opening it says why
        return None
    if stat.S_ISREG(mode):
        return None
    kinds = {
        stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
    }  # fmt: skip
    return kinds.get(stat.S_IFMT(mode), "no file")


class Foreign(ValueError):
    """A file that does not begin with the magic word: it is something else altogether."""


class Damaged(ValueError):
    """A file whose checksum is wrong."""


def size_of(magic: bytes, header: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> int:
    """The bytes that a file will have."""
    return len(magic) + _SUM + 8 + len(json.dumps(header)) + sum(a.nbytes for a in arrays)


def payload(path: Path, size: int) -> NDArray[np.uint8]:
    """The last so many bytes of a file, seen where they lie."""
    if not size:
        return np.zeros(0, np.uint8)
    return np.memmap(path, np.uint8, "r", path.stat().st_size - size, (size,))


def write_file(
    file: BinaryIO, magic: bytes, header: dict[str, Any], arrays: Sequence[NDArray[Any]]
) -> None:
    """Writes a whole file."""
    text = json.dumps(header).encode()
    parts: list[Any] = [len(text).to_bytes(8, "little"), text]
    parts += [np.ascontiguousarray(a).reshape(-1).view(np.uint8) for a in arrays]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    file.write(magic + digest.digest())
    for part in parts:
        file.write(part)


@dataclass(slots=True)
class Reader:
    """Takes arrays off an open file of which so many bytes are `left`."""

    file: BufferedReader
    left: int

    def take(self, dtype: str, shape: Sequence[int]) -> NDArray[Any]:
        """The next array. ValueError where the file has no such one."""
        count = math.prod(shape)
        if min(shape, default=0) < 0:
            raise ValueError("a negative extent")
        size = count * np.dtype(dtype).itemsize
        if size > self.left:
            raise ValueError("fewer bytes than the header says")
        self.left -= size
        found = np.empty(count, dtype)
        if self.file.readinto(found.view(np.uint8).data) != size:
            raise ValueError("fewer bytes than there were")
        return found.reshape(shape)

    def state(self, lengths: Sequence[int]) -> State:
        """The next three arrays, of those lengths, as the state of a run."""
        words, blocks, size = lengths
        return State(
            self.take("<u8", [words]), self.take("<u8", [blocks]), self.take("|u1", [size])
        )

    def value(self, entry: dict[str, Any]) -> Value:
        """The next value, as `described`."""
        if entry["dtype"] not in _DTYPES:
            raise ValueError(f"a value of the unknown type {entry['dtype']!r}")
        array = self.take(entry["dtype"], entry["shape"])
        return array[()].item() if entry["scalar"] else array

    def end(self) -> None:
        """ValueError where there is more."""
        if self.left:
            raise ValueError("bytes behind the last array")


def described(values: Sequence[Value]) -> tuple[list[dict[str, Any]], list[NDArray[Any]]]:
    """What a header says of values, and the arrays to be written."""
    arrays = [np.ascontiguousarray(value) for value in values]
    entries = [
        {"dtype": a.dtype.str, "shape": list(np.shape(v)), "scalar": not isinstance(v, np.ndarray)}
        for v, a in zip(values, arrays, strict=True)
    ]
    return entries, arrays


def read_file(path: Path, file: BufferedReader, magic: bytes) -> tuple[dict[str, Any], Reader]:
    """The header of a file, and what takes its arrays off.

    Raises:
        Foreign: it does not begin with the magic word.
        Damaged: the checksum is wrong.
        ValueError: there is no header.
    """
    if file.read(len(magic)) != magic:
        raise Foreign(f"{path} does not begin as it should")
    want, digest = file.read(_SUM), hashlib.sha256()
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    if digest.digest() != want:
        raise Damaged(f"{path} has another checksum")
    end = file.tell()
    file.seek(len(magic) + _SUM)
    header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    if not isinstance(header, dict):
        raise ValueError(f"{path} has no header")
    return cast("dict[str, Any]", header), Reader(file, end - file.tell())
