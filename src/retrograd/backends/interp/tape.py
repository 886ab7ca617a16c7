"""The tape of the reference evaluator: a stack of pushed tuples, and of blocks of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from retrograd.errors import CompilerBug

__all__ = ["Tape"]

Frame = tuple[Any, ...]


@dataclass(slots=True)
class Tape:
    """What `push` leaves and `pop` takes, in stack order.

    A loop that is marked `block` leaves one entry: a tape per iteration, found by the loop index.
    """

    entries: list[Frame | dict[int, Tape]] = field(
        default_factory=list["tuple[Any, ...] | dict[int, Tape]"]
    )

    def push(self, values: Frame) -> None:
        """Puts one tuple on top."""
        self.entries.append(values)

    def pop(self, count: int) -> Frame:
        """Takes the top tuple, which has `count` values."""
        top = self.take()
        if isinstance(top, dict) or len(top) != count:
            raise CompilerBug(f"pop of {count} values finds another kind of entry on the tape")
        return top

    def push_block(self, block: dict[int, Tape]) -> None:
        """Puts what the iterations of a loop pushed on top, as one entry."""
        self.entries.append(block)

    def pop_block(self) -> dict[int, Tape]:
        """Takes the entry of a whole loop."""
        top = self.take()
        if not isinstance(top, dict):
            raise CompilerBug("a block loop finds a single entry on the tape")
        return top

    def take(self) -> Frame | dict[int, Tape]:
        """Takes the top entry, whatever it is."""
        if not self.entries:
            raise CompilerBug("pop from an empty tape")
        return self.entries.pop()

    def copy(self) -> Tape:
        """A tape of its own with the same entries."""
        return Tape([
            {k: tape.copy() for k, tape in entry.items()} if isinstance(entry, dict) else entry
            for entry in self.entries
        ])  # fmt: skip
