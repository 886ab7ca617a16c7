"""Object code on disk, so that a second process does not compile.

A file is found by the hash of the LLVM text, which holds everything of the program, and of what the
code depends on besides: versions of retrograd and LLVM, CPU name and features.
"""

from __future__ import annotations

import hashlib

from retrograd.backends.llvm.jit import host_features, object_code
from retrograd.backends.llvm.store import cache_folder, read, write

__all__ = ["load_or_compile"]

_VERSION = "2"


def load_or_compile(text: str, level: int = 3) -> bytes:
    """The object code of a module."""
    key = hashlib.sha256("\0".join((_VERSION, host_features(), str(level), text)).encode()).digest()
    folder = cache_folder()
    path = None if folder is None else folder / f"{key.hex()}.o"
    if path is not None and (found := read(path, key)) is not None:
        return found
    code = object_code(text, level)
    if path is not None:
        write(path, key, code)
    return code
