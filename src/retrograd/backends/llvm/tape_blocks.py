"""Where the residuals of an innermost loop are on the tape."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TapeBlock"]


@dataclass(slots=True)
class TapeBlock:
    """The residuals of one innermost loop, as structure of arrays: element k of slot s is at
    base + 8 * (s * trips + k)."""

    base: str
    trips: str
    index: str
    next_slot: int = 0
