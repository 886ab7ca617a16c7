"""What has been compiled for a function, kept for its next call."""

from __future__ import annotations

import os
import threading
from typing import TypeVar

__all__ = ["COMPILING", "remember"]

COMPILING = threading.RLock()
"""Held while something is compiled: threads that need the same wait for it, and CPython's parser
(3.11) is not made for two at a time."""

# A child that is forked meanwhile must not wait for a thread that it does not have.
os.register_at_fork(
    before=COMPILING.acquire, after_in_parent=COMPILING.release, after_in_child=COMPILING.release
)

K = TypeVar("K")
V = TypeVar("V")

_MOST = 256


def remember(made: dict[K, V], key: K, value: V) -> None:
    """Keeps a limited number: a function that is made anew for each call would fill the memory."""
    while len(made) >= _MOST:
        made.pop(next(iter(made)), None)
    made[key] = value
