"""Snapshots on disk: the second tier, for what is needed last.

A run has a folder of its own, `retrograd-PID-...`, in the folder that the user names. It is removed
when the run ends, however it does, and when the interpreter exits; that of a process that was
killed stays, and its number says whose it was.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from numpy.typing import NDArray

from retrograd.errors import UserError
from retrograd.runtime.files import Reader, read_file, size_of, write_file

__all__ = ["Codec", "Disk", "OnDisk", "removed"]

_MAGIC = b"RGSNAP1\n"


S = TypeVar("S")


class Codec(Protocol[S]):
    """Takes snapshots apart and puts them together."""

    def packed(self, kept: S) -> tuple[dict[str, Any], list[NDArray[Any]]]: ...
    def unpacked(self, header: dict[str, Any], reader: Reader) -> S: ...


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A snapshot that is in a file.

    `nbytes` is what it takes in memory, `size` on the disk; `header` is that of its file, of which
    the last `payload` bytes are arrays.
    """

    path: Path
    nbytes: int
    size: int
    header: dict[str, Any]
    payload: int


class Disk(Generic[S]):
    """The files of one run. `limit` is the most bytes that they may have at a time."""

    def __init__(self, folder: str, limit: int, codec: Codec[S]) -> None:
        """UserError where nothing can be written there."""
        self.limit, self.codec = limit, codec
        try:
            place = tempfile.mkdtemp(prefix=f"retrograd-{os.getpid()}-", dir=folder)
        except OSError as error:
            raise UserError(
                "RG4007", f"disk={folder!r} cannot be used: {error.strerror or error}",
                way_out="name a folder that exists and can be written",
            ) from error  # fmt: skip
        self.folder = Path(place)
        self._clean = weakref.finalize(self, removed, place, os.getpid())

    def close(self) -> None:
        """Removes all files."""
        self._clean()

    def put(self, number: int, kept: S, nbytes: int, taken: int) -> OnDisk:
        """Writes a snapshot beside others that have `taken` so many bytes.

        Raises:
            OSError: there is no room; then nothing is left of it.
        """
        header, arrays = self.codec.packed(kept)
        size, path = size_of(_MAGIC, header, arrays), self.folder / f"{number}.snapshot"
        if taken + size > self.limit:
            raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), str(path))
        try:
            with open(path, "wb") as file:
                write_file(file, _MAGIC, header, arrays)
        except OSError:
            path.unlink(missing_ok=True)
            raise
        return OnDisk(path, nbytes, size, header, sum(a.nbytes for a in arrays))

    def get(self, kept: OnDisk) -> S:
        """What was written. UserError where the file is gone or damaged."""
        try:
            with open(kept.path, "rb") as file:
                return self.codec.unpacked(*read_file(kept.path, file, _MAGIC))
        except (OSError, ValueError) as error:
            raise UserError(
                "RG4007", f"the snapshot {kept.path} is gone or damaged: {error}",
                way_out="leave the files of a run alone until it has ended; start it again",
            ) from error  # fmt: skip


def removed(place: str, process: int) -> None:
    """Removes a folder, unless this is a child of the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(place, ignore_errors=True)
