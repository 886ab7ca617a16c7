"""Object code on disk, so that a second process does not compile.

A file is found by the hash of the LLVM text, which holds everything of the program, and of what the
code depends on besides: versions of retrograd and LLVM, CPU name and features. The folder belongs
to the user alone (mode 0700, owner checked); files are written to a temporary name first and carry
a checksum. When the folder cannot be used, compilation just happens.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from retrograd.backends.llvm.jit import host_features, object_code

__all__ = ["cache_folder", "load_or_compile"]

_VERSION = "1"
_SIZE_CAP = 512 * 2**20


def cache_folder() -> Path | None:
    """The folder of the cache, made if need be; None where there is no safe one."""
    base = os.environ.get("RETROGRAD_CACHE") or os.environ.get("XDG_CACHE_HOME")
    try:
        folder = (Path(base) if base else Path.home() / ".cache") / "retrograd"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = folder.stat()
    except (OSError, RuntimeError):  # RuntimeError: nobody's home
        return None
    private = stat.S_IMODE(info.st_mode) & 0o077 == 0
    return folder if info.st_uid == os.getuid() and private else None


def load_or_compile(text: str, level: int = 3) -> bytes:
    """The object code of a module."""
    key = hashlib.sha256(
        "\0".join((_VERSION, host_features(), str(level), text)).encode()
    ).hexdigest()
    folder = cache_folder()
    path = None if folder is None else folder / f"{key}.o"
    if path is not None and (found := _read(path)) is not None:
        return found
    code = object_code(text, level)
    if folder is not None and path is not None:
        _write(folder, path, code)
    return code


def _read(path: Path) -> bytes | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, code = data[:32], data[32:]
    return code if hashlib.sha256(code).digest() == digest else None


def _write(folder: Path, path: Path, code: bytes) -> None:
    try:
        handle, name = tempfile.mkstemp(dir=folder)
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
        os.replace(name, path)
        _shrink(folder)
    except OSError:
        Path(name).unlink(missing_ok=True)


def _shrink(folder: Path) -> None:
    """Removes the files that were used longest ago while the folder is above its cap."""
    files = [(p.stat(), p) for p in folder.glob("*.o")]
    total = sum(info.st_size for info, _ in files)
    for info, path in sorted(files, key=lambda pair: pair[0].st_atime):
        if total <= _SIZE_CAP:
            return
        path.unlink(missing_ok=True)
        total -= info.st_size
