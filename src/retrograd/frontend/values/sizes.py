"""Extents that are known when a program is translated, where it has been asked for them.

A program may be translated for arrays of certain extents, since these decide what it is: of
`a, *rest = x` they say how many numbers there are. Then the extents of all other arrays follow by
the shape rules of the primitives, and ints that are calculated of them are literals.
"""

from __future__ import annotations

from typing import TypeAlias

from retrograd.ir.terms import Atom, Lit, Param, Params, Prim, Var, ilit
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.lengths import Along, Common, Length
from retrograd.transforms.optimise.algebra import fold

__all__ = ["Extents", "Sizes"]

Extents: TypeAlias = "tuple[int | None, ...]"
"""An int for each axis, None where it is not known."""


class Sizes:
    """The known extents of arrays, by the variable that holds them.

    `any` are arrays that nobody reads, on paths that leave a variable unassigned.
    """

    __slots__ = ("any", "found")

    def __init__(self) -> None:
        self.found: dict[Atom, Extents] = {}
        self.any: set[Atom] = set()

    def of(self, array: Atom) -> Extents:
        """The extents of an array."""
        return self.found.get(array, (None,) * array.type.rank)

    def note(self, array: Atom, extents: Extents | None) -> None:
        """Remembers the extents of an array, where any of them is known."""
        if extents is not None and any(one is not None for one in extents):
            self.found[array] = extents

    def agreed(self, one: Atom, other: Atom) -> Extents:
        """What is known of an array that is one of two."""
        if one in self.any or other in self.any:
            return self.of(other if one in self.any else one)
        pairs = zip(self.of(one), self.of(other), strict=True)
        return tuple(a if a == b else None for a, b in pairs)

    def decide(
        self, prims: PrimitiveSet, op: str, args: tuple[Atom, ...], params: Params
    ) -> Atom | None:
        """The literal that an application is: an extent, or what is calculated of literal ints."""
        if op == "dim":
            known = self.of(args[0])[_as_int(dict(params)["axis"])]
            return None if known is None else ilit(known)
        if not args or any(arg.type.is_float or not isinstance(arg, Lit) for arg in args):
            return None
        found = fold(Prim(op, args, params), prims)
        return found[0] if found is not None and not found[0].type.is_float else None

    def follow(
        self, prims: PrimitiveSet, op: str, args: tuple[Atom, ...], params: Params, out: Var
    ) -> None:
        """Remembers the extents of a result, as they follow from those of the operands."""
        if out.type.is_scalar:
            return
        lengths = prims[op].facts.shape(args, params)
        if lengths is not None:
            self.note(out, tuple(self._length(one, args) for one in lengths))

    def _length(self, length: Length, args: tuple[Atom, ...]) -> int | None:
        match length:
            case Along():
                return self.of(args[length.operand])[length.axis]
            case Common():
                every = {self._length(one, args) for one in length.lengths} - {1}
                return 1 if not every else every.pop() if len(every) == 1 else None
            case Lit():
                return _as_int(length.value)
            case int():
                return length
            case _:
                return None


def _as_int(param: Param) -> int:
    assert isinstance(param, int)
    return param
