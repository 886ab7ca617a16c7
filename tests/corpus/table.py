"""The table of functions, and the half of it that nobody looks at.

A line is `module:function arguments`; the packages with their versions stand above their lines.
What is found wrong in the open half may be mended one by one. Of the other half only the count is
looked at, so that it says what functions are like that nobody has seen.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.corpus.arguments import Call, read

__all__ = ["Entry", "entries"]

_TABLE = Path(__file__).with_name("functions.txt")
_SEED = 40


@dataclass(frozen=True, slots=True)
class Entry:
    """A function, the arguments as text, and the half it is in: "open" or "held out"."""

    distribution: str
    release: str
    module: str
    name: str
    text: str
    half: str

    @property
    def label(self) -> str:
        """Its name, with that of the module."""
        return f"{self.module}:{self.name}"

    def call(self) -> Call:
        """The arguments."""
        args, kwargs = read(self.text)
        return tuple(args), kwargs

    def installed(self) -> bool:
        """Whether the package is there, in that version."""
        try:
            return version(self.distribution) == self.release
        except PackageNotFoundError:
            return False


def _lines() -> Iterator[tuple[str, str, str]]:
    distribution = release = ""
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            distribution, _, release = line.strip("[]").partition("==")
        elif line:
            yield distribution, release, line


def entries() -> tuple[Entry, ...]:
    """All functions, in the order of the table."""
    lines = list(_lines())
    order = list(range(len(lines)))
    random.Random(_SEED).shuffle(order)
    half = {k: "open" if place % 2 == 0 else "held out" for place, k in enumerate(order)}
    found: list[Entry] = []
    for k, (distribution, release, line) in enumerate(lines):
        label, _, text = line.partition(" ")
        module, _, name = label.partition(":")
        found.append(Entry(distribution, release, module, name, text, half[k]))
    return tuple(found)
