"""Views of arrays: which part of its base each axis of a view is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from retrograd.ir.terms import Atom

__all__ = ["At", "Axis", "New", "Part", "View", "Whole", "holes", "with_holes"]


@dataclass(frozen=True, slots=True)
class Whole:
    """An axis of the base, untouched."""


@dataclass(frozen=True, slots=True)
class At:
    """An axis of the base, fixed at an index within bounds."""

    index: Atom


@dataclass(frozen=True, slots=True)
class Part:
    """An axis of the base of which element k of the view is at start + k*step."""

    start: Atom
    size: Atom
    step: Atom


@dataclass(frozen=True, slots=True)
class New:
    """An axis of extent 1 that the base does not have."""


Axis = Whole | At | Part | New
View: TypeAlias = tuple[Axis, ...]


def holes(view: View | None) -> tuple[Atom, ...]:
    """The atoms of a view, in order."""
    found: list[Atom] = []
    for axis in view or ():
        match axis:
            case At():
                found.append(axis.index)
            case Part():
                found += [axis.start, axis.size, axis.step]
            case _:
                pass
    return tuple(found)


def with_holes(view: View | None, atoms: list[Atom]) -> View | None:
    """`view` with its atoms taken from the front of `atoms`, which are removed."""
    if view is None:
        return None
    axes: list[Axis] = []
    for axis in view:
        match axis:
            case At():
                axes.append(At(atoms.pop(0)))
            case Part():
                start, size, step = atoms.pop(0), atoms.pop(0), atoms.pop(0)
                axes.append(Part(start, size, step))
            case _:
                axes.append(axis)
    return tuple(axes)
