"""Compiled functions on disk, found by their source and types without importing the compiler.

The key of an entry is the hash of what a translation begins with: the function's code, the types of
the arguments, the transformations, and the versions of everything that takes part, of retrograd's
own files too. In the entry are the questions that the translation asked of its surroundings, with
their answers (`frontend.identity.lookups`); it counts only where all of them have the same answers
here. What cannot be decided in this way is not stored.

An entry is plain data, JSON and object code; there are a few for each key, since one function may
have been translated in several surroundings.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from retrograd.api.compile.entries import Entry, decoded, encoded
from retrograd.api.compile.known import are_usual
from retrograd.backends.llvm.store import cache_folder, read, write
from retrograd.frontend.identity.fingerprint import Scribe, Unwritable, layers
from retrograd.frontend.identity.lookups import begin, replay
from retrograd.frontend.identity.specs import ArgSpec

if TYPE_CHECKING:
    from retrograd.api.compile.artefact import Image, Ready
    from retrograd.frontend.trace import Traced

__all__ = ["Query", "load", "query", "save"]

_FORMAT = "4"
_VARIANTS = 8
"""Entries of one key: the same function and types in different surroundings."""


def _stamp(folder: str | None = None) -> Iterator[str]:
    """What changes when a file of retrograd's own is edited."""
    with os.scandir(folder or Path(__file__).parents[2]) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.endswith(".py"):
            info = entry.stat()
            yield f"{entry.path} {info.st_size} {info.st_mtime_ns} {info.st_ctime_ns}"
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _stamp(entry.path)


_LOADED = tuple(_stamp())
"""The files as they were before the compiler was imported."""


@lru_cache(maxsize=1)
def _files(modules: int) -> tuple[str, ...]:
    """The files as they are, looked at again when `modules` is another number of loaded modules:
    what is loaded stays as it is whatever becomes of its file."""
    return tuple(_stamp())


def _edited() -> bool:
    return _files(len(sys.modules)) != _LOADED


@cache
def _own_version() -> str:
    return hashlib.sha256("\0".join(_LOADED).encode(errors="surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Query:
    """Where entries of a function are, and how a translation of it begins."""

    key: bytes
    paths: tuple[Path, ...]
    scribe: Scribe
    args: tuple[ArgSpec, ...]
    keywords: tuple[tuple[str, ArgSpec], ...]

    def beginning(self) -> Scribe:
        """A scribe that has been asked nothing yet."""
        return Scribe(list(self.scribe.objects), dict(self.scribe.numbers))


def query(
    fun: Callable[..., Any],
    args: Sequence[ArgSpec],
    kwargs: Mapping[str, ArgSpec],
    product: str,
) -> Query | None:
    """The entries of a function for arguments of these specs; None where there can be none."""
    folder = cache_folder()
    if folder is None or not are_usual() or _edited():
        return None
    from retrograd.backends.llvm.jit import host_features

    keywords = tuple(kwargs.items())
    try:
        transformations, inner = layers(fun)
        scribe, root = begin(inner, args, keywords)
    except Unwritable:
        return None
    python = f"{sys.version} {sys.implementation.cache_tag} {sys.flags.optimize}"
    versions = (_FORMAT, python, np.__version__, host_features())
    text = json.dumps((*versions, _own_version(), product, transformations, root))
    key = hashlib.sha256(text.encode(errors="surrogatepass")).digest()
    paths = tuple(folder / f"{key.hex()}-{k}.rg" for k in range(_VARIANTS))
    return Query(key, paths, scribe, tuple(args), keywords)


def load(asked: Query) -> Entry | None:
    """The entry whose questions have the same answers here."""
    for path in asked.paths:
        content = read(path, asked.key)
        if content is None:
            continue
        size = int.from_bytes(content[:8], "little")
        scribe = asked.beginning()
        found = decoded(content[8 : 8 + size], content[8 + size :], asked, scribe)
        if found is not None:
            return found
    return None


def save(asked: Query, traced: Traced, image: Image, ready: Ready) -> None:
    """Stores a compiled function, if what its translation depended on can be asked again."""
    recorder = traced.recorder
    if recorder.obstacle is not None or not traced.sources.faithful():
        return
    if _edited() or not replay(recorder.lookups, asked.beginning()):
        return
    header = encoded(recorder, ready, image)
    if header is not None:
        content = len(header).to_bytes(8, "little") + header + b"".join(image.codes)
        write(_slot(asked.paths), asked.key, content)


def _slot(paths: Sequence[Path]) -> Path:
    """A place that is free, or else the one that was written longest ago."""
    ages: list[tuple[float, Path]] = []
    for path in paths:
        try:
            ages.append((path.stat().st_mtime, path))
        except OSError:
            return path
    return min(ages)[1]
