"""Programs in shards, of which the first ones are not slow."""

from __future__ import annotations

from typing import Any

import pytest

__all__ = ["shards"]


def shards(count: int, fast: int) -> list[Any]:
    """The numbers of so many shards; all but the `fast` first ones are slow."""
    slow = (pytest.param(k, marks=pytest.mark.slow) for k in range(fast, count))
    return [*range(fast), *slow]
