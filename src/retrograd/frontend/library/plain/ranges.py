"""Questions that are asked of ranges."""

from __future__ import annotations

from typing import Any

__all__ = ["contains"]


def contains(value: Any, start: Any, stop: Any, step: Any) -> Any:
    """Whether a number is in `range(start, stop, step)`."""
    above = start <= value < stop if step > 0 else stop < value <= start
    return above and (value - start) % step == 0
