"""The layout of a run's context in 8-byte words, shared by the native code and by Python."""

from __future__ import annotations

__all__ = ["CONTEXT_WORDS", "EXTERNALS", "FIELDS", "FREE_LISTS", "field_offset"]

FIELDS = (
    "error", "aux0", "aux1", "live", "peak", "limit", "blocks", "tape_top", "tape_base", "tape_limit",
    "tape_peak", "budget", "steps", "stack_limit", "frames", "externals", "allocations",
    "results", "last_frame",
)  # fmt: skip
"""Named words. `externals` counts the buffers of the caller, whose addresses follow the fields."""

EXTERNALS = 32
FREE_LISTS = len(FIELDS) + EXTERNALS
"""First of 129 heads of free lists, one for each size from 0 to 8,192 bytes in steps of 64."""

CONTEXT_WORDS = FREE_LISTS + 130


def field_offset(name: str) -> int:
    """Byte offset of a field of the context."""
    return 8 * FIELDS.index(name)
