"""Answers that a run has been given since its file was last written, on disk.

A run that is continued asks for them again. They are found by what was asked: the derivative's
number and its arguments. So it does not matter whether it goes another way than before.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from contextlib import suppress
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from retrograd.runtime.files import (
    Foreign,
    Value,
    described,
    irregular,
    read_file,
    size_of,
    write_file,
)

__all__ = ["KEY", "Journal"]

KEY = 32
"""Bytes of a key: those of a SHA-256."""

_MAGIC = b"RGANSW2\n"
"""Of the file, and of each answer."""
_LENGTH = 8


class Journal:
    """The answers in one file, each with its key and its length in front.

    Those that were there when it was opened can be found; those that are kept from then on are for
    other processes. What a killed process has written half is nothing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._there = dict[bytes, tuple[int, int]]()
        self._end = 0
        self._file: BinaryIO | None = None

    def open(self) -> None:
        """Looks for what there is. OSError where it cannot be read, Foreign where it is something
        else."""
        if not self.path.exists():
            return
        if (what := irregular(self.path)) is not None:
            raise OSError(errno.EINVAL, f"it is {what}")
        size = self.path.stat().st_size
        with open(self.path, "rb") as file:
            magic = file.read(len(_MAGIC))
            if not _MAGIC.startswith(magic):
                raise Foreign(f"{self.path} does not begin as it should")
            while len(head := file.read(KEY + _LENGTH)) == KEY + _LENGTH:
                start, length = file.tell(), int.from_bytes(head[KEY:], "little")
                if length > size - start:
                    break
                self._there[head[:KEY]] = start, length
                self._end = file.seek(start + length)

    def found(self, key: bytes) -> Sequence[Value] | None:
        """The answer with that key, None where there is no whole one."""
        place = self._there.get(key)
        if place is None:
            return None
        try:
            with open(self.path, "rb") as file:
                file.seek(place[0])
                content = file.read(place[1])
            header, reader = read_file(self.path, cast("BufferedReader", BytesIO(content)), _MAGIC)
            found = [reader.value(entry) for entry in header["values"]]
            reader.end()
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return None
        return found

    def keep(self, key: bytes, values: Sequence[Value]) -> None:
        """Writes one more answer. OSError where that is not possible; those before it stay."""
        entries, arrays = described(values)
        header = {"values": entries}
        length = size_of(_MAGIC, header, arrays)
        try:
            file = self._opened()
            file.write(key + length.to_bytes(_LENGTH, "little"))
            write_file(file, _MAGIC, header, arrays)
            file.flush()
            self._end = file.tell()
        except OSError:
            self.close()
            raise

    def _opened(self) -> BinaryIO:
        """The file, at the end of what is whole."""
        if self._file is None:
            self._file = open(self.path, "r+b" if self._end else "wb")  # noqa: SIM115
            self._file.seek(self._end)
            self._file.truncate()
            if not self._end:
                self._file.write(_MAGIC)
        return self._file

    def clear(self) -> None:
        """Forgets all answers: nobody will ask for them again."""
        self.close()
        self._there.clear()
        self._end = 0
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """What is written stays."""
        if self._file is not None:
            with suppress(OSError):  # of an answer that could not be written
                self._file.close()
            self._file = None
