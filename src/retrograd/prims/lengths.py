"""The extents of a primitive's result, in terms of its operands.

A `ShapeRule` is a fact of a primitive: symbolic, so that whoever reads it (the analysis of equal
extents, the builder of reverse code, the checks that the frontend makes) finds lengths in its own
table and emits nothing. The rules here serve whole families.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast

from retrograd.ir.terms import Atom, Lit, Params, Var
from retrograd.records import quickly_made

__all__ = [
    "Along", "Common", "Length", "Lengths", "ShapeRule", "broadcast", "from_operands", "like",
    "region", "scalar", "unknown",
]  # fmt: skip


@quickly_made
@dataclass(frozen=True, slots=True)
class Along:
    """The extent of an operand along an axis."""

    operand: int
    axis: int


@quickly_made
@dataclass(frozen=True, slots=True)
class Common:
    """The extent that all of these are stretched to."""

    lengths: tuple[Length, ...]


Length = Along | Common | Var | Lit | int
"""A variable or a literal is an i64 operand whose value is the extent."""

Lengths = tuple[Length, ...]

ShapeRule = Callable[[tuple[Atom, ...], Params], Lengths | None]
"""(args, params) -> the extents of the only result, () for a scalar; None: they are not known.

A primitive without results, or with several, has no such extents.
"""


def scalar(args: tuple[Atom, ...], params: Params) -> Lengths | None:
    """The result is a scalar."""
    return ()


def unknown(args: tuple[Atom, ...], params: Params) -> Lengths | None:
    """Nothing can be said; or there is not exactly one result."""
    return None


def like(operand: int) -> ShapeRule:
    """The result has the shape of an operand."""
    return lambda args, params: _all_along(operand, args[operand].type.rank)


@cache
def _all_along(operand: int, rank: int) -> Lengths:
    return tuple(Along(operand, axis) for axis in range(rank))


def from_operands(first: int) -> ShapeRule:
    """The operands from `first` on are the extents."""
    return lambda args, params: args[first:]


def broadcast(args: tuple[Atom, ...], params: Params) -> Lengths | None:
    """What NumPy's broadcasting of all operands gives."""
    return _broadcast(tuple([a.type.rank for a in args]))


@cache
def _broadcast(ranks: tuple[int, ...]) -> Lengths:
    found: list[Length] = []
    for back in range(max(ranks, default=0), 0, -1):
        along = [Along(k, rank - back) for k, rank in enumerate(ranks) if rank >= back]
        found.append(along[0] if len(along) == 1 else Common(tuple(along)))
    return tuple(found)


def region(first: int) -> Callable[[tuple[Atom, ...], Params], Lengths]:
    """A slice of operand 0; `spec` says of which kind its operands from `first` on are."""

    def rule(args: tuple[Atom, ...], params: Params) -> Lengths:
        found: list[Length] = []
        axis, operand = 0, first
        for letter in cast(Sequence[str], dict(params)["spec"]):
            if letter == "n":
                found.append(1)
                continue
            if letter == "a":
                found.append(Along(0, axis))
            elif letter == "s":
                found.append(args[operand + 1])
            operand += {"i": 1, "s": 3}.get(letter, 0)
            axis += 1
        return tuple(found)

    return rule
