"""What iterators have read of a program's arrays and variables before their items are used."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import GeneratorType

from retrograd.frontend.values.kinds import Value
from retrograd.ir.terms import Atom

__all__ = ["ITERATORS", "NOTHING_SEEN", "Seen"]

ITERATORS: tuple[type, ...] = (zip, enumerate, reversed, GeneratorType, type(iter(())))
"""The classes of iterators."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Arrays by location, variables and attributes by cell, with what they held.

    `roots` are values from which they are reached: as long as an iterator has them they are there.
    """

    arrays: dict[int, Atom] = field(default_factory=dict[int, Atom])
    cells: dict[int, Value] = field(default_factory=dict[int, Value])
    roots: tuple[Value, ...] = ()


NOTHING_SEEN = Seen()
"""Of iterators that read each item where it is used."""
