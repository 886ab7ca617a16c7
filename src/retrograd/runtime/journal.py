"""Answers that a run has been given since its file was last written, on disk.

A run that is continued asks for them again. They are found by what was asked: the derivative's
number and its arguments. So it does not matter whether it goes another way than before.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from retrograd.runtime.files import Value, described, read_file, write_file

__all__ = ["KEY", "Journal"]

KEY = 32
"""Bytes of a key: those of a SHA-256."""

_MAGIC = b"RGANSW1\n"
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
        """Looks for what there is. OSError where it cannot be read."""
        if not self.path.exists():
            return
        size = self.path.stat().st_size
        with open(self.path, "rb") as file:
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
        with open(self.path, "rb") as file:
            file.seek(place[0])
            content = file.read(place[1])
        try:
            header, reader = read_file(self.path, cast("BufferedReader", BytesIO(content)), _MAGIC)
            return [reader.value(entry) for entry in header["values"]]
        except (ValueError, KeyError, TypeError):
            return None

    def keep(self, key: bytes, values: Sequence[Value]) -> None:
        """Writes one more answer. OSError where that is not possible."""
        if self._file is None:
            self._file = open(self.path, "r+b" if self._there else "wb")  # noqa: SIM115
            self._file.seek(self._end)
            self._file.truncate()
        entries, arrays = described(values)
        content = BytesIO()
        write_file(content, _MAGIC, {"values": entries}, arrays)
        data = content.getbuffer()
        self._file.write(key + len(data).to_bytes(_LENGTH, "little"))
        self._file.write(data)
        self._file.flush()

    def clear(self) -> None:
        """Forgets all answers: nobody will ask for them again."""
        self.close()
        self._there.clear()
        self._end = 0
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """What is written stays."""
        if self._file is not None:
            self._file.close()
            self._file = None
