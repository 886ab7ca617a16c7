"""What native code shows while it runs: it calls back, and Python prints.

So the order against everything else that is printed is kept, and nothing is lost where the program
raises. What Python raises meanwhile (a closed pipe, a warning that is made an error) is raised when
the run has ended.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retrograd.backends.llvm.sites import SHOWN_WORDS, ErrorSite
from retrograd.errors import OF_PROGRAMS
from retrograd.messages import speak
from retrograd.runtime.layout import field_offset

__all__ = ["Speaker", "numbers_of"]

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
_STOPS = (*OF_PROGRAMS, Warning, KeyboardInterrupt)


def numbers_of(words: Sequence[int], types: Sequence[str]) -> list[float | int | bool]:
    """Numbers of these types from their words."""
    found: list[float | int | bool] = []
    for value, dtype in zip(words, types, strict=False):
        word = np.uint64(value)
        match dtype:
            case "f64":
                found.append(float(word.view(np.float64)))
            case "bool":
                found.append(bool(word))
            case _:
                found.append(int(word.view(np.int64)))
    return found


@dataclass(frozen=True, slots=True)
class Speaker:
    """Python's side of the output of a program; `stopped` is what it has raised, by context."""

    sites: tuple[ErrorSite, ...]
    stopped: dict[int, BaseException] = field(default_factory=dict[int, BaseException])
    made: list[Any] = field(default_factory=list[Any])

    @staticmethod
    def of(sites: tuple[ErrorSite, ...]) -> Speaker | None:
        """None for a program that shows nothing."""
        if all(site.kind or isinstance(site.message, str) for site in sites):
            return None
        speaker = Speaker(sites)
        speaker.made.append(_CALLBACK(speaker.show))
        return speaker

    @property
    def address(self) -> int:
        """Where native code calls."""
        return ctypes.cast(self.made[0], ctypes.c_void_p).value or 0

    def show(self, context: int, number: int) -> None:
        """Shows what a site shows, with the numbers in the words of the context."""
        if context in self.stopped:
            return
        site = self.sites[number - 1]
        places = (context + field_offset(name) for name in SHOWN_WORDS[: len(site.types)])
        words = [ctypes.c_uint64.from_address(place).value for place in places]
        kind, pieces = site.message
        try:
            speak(kind, pieces, numbers_of(words, site.types))
        except _STOPS as error:
            self.stopped[context] = error

    def failed(self, context: int) -> BaseException | None:
        """What has been raised during the run of a context, once."""
        return self.stopped.pop(context, None) if self.stopped else None
