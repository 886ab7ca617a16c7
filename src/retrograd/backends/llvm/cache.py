"""Object code on disk, so that a second process does not compile.

A file is found by the hash of the LLVM text, which holds everything of the program, and of what the
code depends on besides: versions of retrograd and LLVM, CPU name and features.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING

from retrograd.backends.llvm.jit import host_features, object_code
from retrograd.backends.llvm.store import cache_folder, read, write

if TYPE_CHECKING:  # a hit needs no code generator
    from retrograd.backends.llvm.module import ModuleText, SweepsText

__all__ = ["load_or_compile", "object_codes", "support_codes"]

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


def object_codes(module: ModuleText | SweepsText, level: int = 3) -> tuple[bytes, ...]:
    """The object code of a module, and of what it has to be linked with."""
    return (load_or_compile(module.text, level), *support_codes(module))


def support_codes(module: ModuleText | SweepsText) -> tuple[bytes, ...]:
    """The object code of what a module has to be linked with; a process asks for it once."""
    return tuple(map(_support, module.support))


@cache
def _support(text: str) -> bytes:
    return load_or_compile(text)
