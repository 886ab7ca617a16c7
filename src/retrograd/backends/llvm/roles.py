"""What interruptible code is for, and what a function of it keeps account of."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

__all__ = ["Interrupts", "Role"]


class Role(Enum):
    """What interruptible code is for.

    `AHEAD` is a forward sweep that records nothing, with the frames of the one that does
    (`FORWARD`, which a primal program is too). `REVERSE` code waits where it would take something
    off an empty tape; its budget counts how often it has looked.
    """

    FORWARD = ""
    AHEAD = ".ahead"
    REVERSE = ".reverse"


Saved = tuple[tuple[str, str], ...]
"""Slots and LLVM types of the homes that a frame holds."""


@dataclass(slots=True)
class Interrupts:
    """What an interruptible function needs: its budget, the homes in use, and the points so far.

    `homes` are (slot, LLVM type) pairs in order of creation; a frame holds them as 8-byte words.
    `points` are (number, label to resume at, the homes that are saved). Chunks of innermost loops
    have a multiple of `grain` iterations. `steady`: homes stay in memory: they are so many
    that it takes LLVM long to make values of them, which may come from any point.
    """

    budget: str
    grain: int
    role: Role
    steady: bool = False
    homes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    points: list[tuple[int, str, Saved]] = field(default_factory=list["tuple[int, str, Saved]"])
