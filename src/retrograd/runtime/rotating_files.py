"""A file that is written again and again, and is whole at any time: two generations and a lock.

A new generation is written beside the current one and brought to the disk; then the current one
gets the older one's name as well, and the new one takes its own. Whoever is killed at any time
leaves at least one good file, under the name that the user has given.
"""

from __future__ import annotations

import fcntl
import gc
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BufferedReader, FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from numpy.typing import NDArray

from retrograd.errors import UserError
from retrograd.runtime.files import Foreign, irregular, write_file

__all__ = ["Generations", "foreign", "unusable"]

T = TypeVar("T")


class Generations:
    """The files of one run, which nobody else has meanwhile (a context manager).

    Entering raises UserError where the place cannot be written, or is in use.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path).absolute()
        self.older = self._beside(".1")
        self._new = self._beside(".new")
        self._lock = self._beside(".lock")
        self._held: FileIO | None = None  # and so given back when it is forgotten, too
        self._current = True  # is good, or not there

    def _beside(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)

    def __enter__(self) -> Generations:
        for path in (self.path, self.older, self._new, self._lock):
            if (what := irregular(path)) is not None:
                raise unusable(path, f"it is {what}")
        try:
            while self._held is None:
                self._held = self._locked_at_last()
            self._held.truncate(0)
            self._held.write(f"{os.getpid()}\n".encode())
        except BlockingIOError as error:
            raise UserError(
                "RG4006", f"{self.path} is in use by another call, of this process or another one",
                way_out="wait for it, or give another path",
            ) from error  # fmt: skip
        except OSError as error:
            self._release()
            raise unusable(self.path, error.strerror or str(error)) from error
        return self

    def _locked_at_last(self) -> FileIO | None:
        """As `_locked`. A call that Ctrl-C has ended may be there until it is collected."""
        try:
            return self._locked()
        except BlockingIOError:
            gc.collect()
            return self._locked()

    def _locked(self) -> FileIO | None:
        """The lock's file, held by this call; None where it was removed meanwhile."""
        file = FileIO(self._lock, "a", opener=lambda path, flags: os.open(path, flags, 0o600))
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), os.stat(self._lock)):
                    return file
        except OSError:
            file.close()
            raise
        file.close()
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._release()

    def _release(self) -> None:
        if self._held is None:
            return
        with suppress(OSError):
            self._lock.unlink()
        self._held.close()
        self._held = None

    def write(self, magic: bytes, header: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> None:
        """A new generation. OSError where it cannot be written; then the others are still there."""
        try:
            with open(self._new, "wb") as file:
                write_file(file, magic, header, arrays)
                file.flush()
                os.fsync(file.fileno())
            if self._current:
                with suppress(FileNotFoundError):
                    self._keep()
            os.replace(self._new, self.path)
            self._current = True
            self._sync()
        finally:
            self._new.unlink(missing_ok=True)

    def _keep(self) -> None:
        """The current generation is the older one, too."""
        self.older.unlink(missing_ok=True)
        try:
            os.link(self.path, self.older)
        except FileNotFoundError:
            raise
        except OSError:  # a file system without links: for a moment there is only the older one
            os.replace(self.path, self.older)

    def _sync(self) -> None:
        """Has the names of the files on the disk, too."""
        folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def read(self, parse: Callable[[Path, BufferedReader], T]) -> tuple[T | None, list[Path]]:
        """What `parse` makes of the newest good generation, None where there has been none; and
        newer ones, which are damaged.

        ValueError, KeyError and TypeError of `parse` say that a file is damaged. UserError where
        it is something else, where none is good, or where `parse` says so.
        """
        damaged: list[Path] = []
        for path in (self.path, self.older):
            try:
                with open(path, "rb") as file:
                    return parse(path, file), damaged
            except FileNotFoundError:
                continue
            except UserError:
                raise
            except Foreign as error:
                raise foreign(path) from error
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
                self._current = self._current and path != self.path
                damaged.append(path)
            except OSError as error:
                raise unusable(path, error.strerror or str(error)) from error
        if damaged:
            raise _other(self.path, "is damaged, and there is no good file before it")
        return None, damaged

    def remove(self) -> None:
        """Nothing is to be continued any more."""
        for path in (self._new, self.older, self.path):
            path.unlink(missing_ok=True)


def foreign(path: Path) -> UserError:
    """The error of a file that is something else."""
    return _other(path, "is no file of a derivative that can be continued")


def _other(path: Path, what: str) -> UserError:
    return UserError(
        "RG4006", f"{path} {what}",
        way_out="give another path, or delete the file to begin from the start",
    )  # fmt: skip


def unusable(path: Path, why: str) -> UserError:
    """The error of a place that cannot be written."""
    return UserError(
        "RG4007", f"{path} cannot be used for a derivative that can be continued: {why}",
        way_out="give the path of a file in a folder that can be written",
    )  # fmt: skip
