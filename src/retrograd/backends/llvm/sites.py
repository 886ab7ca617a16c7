"""The ways in which a compiled program can fail, by number: what native code reports."""

from __future__ import annotations

from dataclasses import dataclass

from retrograd.errors import Span

__all__ = ["ErrorSite"]


@dataclass(frozen=True, slots=True)
class ErrorSite:
    """One way in which the program can fail: what to raise, and at which line of the user's.

    In its message `{0}` and `{1}` are two numbers, `{index}` is the first one where that is an
    index of an axis with as many elements as the second one says.
    """

    kind: str
    message: str
    span: Span | None
