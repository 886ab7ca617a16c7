"""What has been compiled for a function, kept for its next call."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["compiling", "remember"]


_LOCK = threading.RLock()

# A child that is forked meanwhile must not wait for a thread that it does not have.
os.register_at_fork(
    before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release
)


@contextmanager
def compiling() -> Generator[None]:
    """Around what compiles: threads that need the same wait for it, and CPython's parser (3.11) is
    not made for two at a time.

    Python's collector of cycles waits, too. The terms of a program are many, and all in use: to
    look through them again and again took a fifth of the time.
    """
    with _LOCK:
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collects:
                gc.enable()


K = TypeVar("K")
V = TypeVar("V")

_MOST = 256


def remember(made: dict[K, V], key: K, value: V) -> None:
    """Keeps a limited number: a function that is made anew for each call would fill the memory."""
    while len(made) >= _MOST:
        made.pop(next(iter(made)), None)
    made[key] = value
