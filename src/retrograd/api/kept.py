"""What has been compiled for a function, kept for its next call."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["remember"]

K = TypeVar("K")
V = TypeVar("V")

_MOST = 256


def remember(made: dict[K, V], key: K, value: V) -> None:
    """Keeps a limited number: a function that is made anew for each call would fill the memory."""
    while len(made) >= _MOST:
        made.pop(next(iter(made)), None)
    made[key] = value
