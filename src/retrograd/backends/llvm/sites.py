"""The ways in which a compiled program can fail, by number: what native code reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from retrograd.errors import Span
from retrograd.records import quickly_made

__all__ = ["SHOWN_WORDS", "ErrorSite"]

SHOWN_WORDS = tuple(f"aux{k}" for k in range(8))
"""The words of the context that have the numbers of a message."""


@quickly_made
@dataclass(frozen=True, slots=True)
class ErrorSite:
    """One way in which the program can fail: what to raise, and at which line of the user's.

    In a message that is a text `{0}` and `{1}` are two numbers, `{index}` is the first one where
    that is an index of an axis with as many elements as the second one says. A message that is a
    tuple has the arguments of the exception (`retrograd.messages`), which may show numbers of these
    `types`. A site without a kind is no failure: something is shown, (how, pieces) of the message.
    """

    kind: str
    message: str | tuple[Any, ...]
    span: Span | None
    types: tuple[str, ...] = ()
