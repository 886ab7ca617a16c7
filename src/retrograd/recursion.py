"""How deep Python may recurse: programs are nested deeper than people write calls."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["as_deep_as"]


@contextmanager
def as_deep_as(limit: int) -> Generator[None]:
    """Lets Python recurse that deep; its own frames cost no native stack."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, limit))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
