"""Questions that are asked of ranges."""

from __future__ import annotations

from typing import Any

__all__ = ["contains", "item"]


def contains(value: Any, start: Any, stop: Any, step: Any) -> Any:
    """Whether a number is in `range(start, stop, step)`."""
    above = start <= value < stop if step > 0 else stop < value <= start
    return above and (value - start) % step == 0


def item(index: Any, start: Any, stop: Any, step: Any) -> Any:
    """An item of `range(start, stop, step)`."""
    count = max(0, (stop - start + step - (1 if step > 0 else -1)) // step)
    if index < -count or index >= count:
        raise IndexError("range object index out of range")
    return start + (index if index >= 0 else index + count) * step
