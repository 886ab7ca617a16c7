"""The folder of the disk cache: private, checked, limited in size, and never in the way.

The folder belongs to the user alone (mode 0700, owner checked). Files are written to a temporary
name first and carry their key and a checksum, so that a file which has got another one's name is
not taken for it. What cannot be read or written is as if it were not there.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

__all__ = ["cache_folder", "read", "write"]

_SIZE_CAP = 512 * 2**20
_LOOK_EVERY = 64
"""The folder's size is looked at after one write in so many: with many files, a look takes long."""
_SUFFIXES = (".o", ".rg")
"""Of object code by its text, and of compiled functions by their source."""


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


def read(path: Path, key: bytes) -> bytes | None:
    """What was written under this key; None where the file is not there, damaged or another's."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, content = data[:32], data[32:]
    sound = hashlib.sha256(content).digest() == digest and content.startswith(key)
    return content[len(key) :] if sound else None


def write(path: Path, key: bytes, content: bytes) -> None:
    """Puts a file into the cache's folder, and removes others if that makes it too large.

    Keys are hashes, all of one length.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent)
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            digest = hashlib.sha256(key + content).digest()
            file.write(digest + key + content)
        os.replace(name, path)
        if digest[0] % _LOOK_EVERY == 0:
            _shrink(path.parent)
    except OSError:
        Path(name).unlink(missing_ok=True)


def _shrink(folder: Path) -> None:
    """Removes the files that were used longest ago while the folder is above its cap."""
    files = [(p.stat(), p) for p in folder.iterdir() if p.suffix in _SUFFIXES]
    total = sum(info.st_size for info, _ in files)
    for info, path in sorted(files, key=lambda pair: pair[0].st_atime):
        if total <= _SIZE_CAP:
            return
        path.unlink(missing_ok=True)
        total -= info.st_size
