"""Extents that the program says itself, as those of `np.zeros(3)` and of `np.array([x, y])`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrograd.ir.terms import Atom, Call, Function, Lit, Param, Prim, Stm, Var, ilit
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.lengths import Along, Common, Length

__all__ = ["said"]

_KEPT = ("update", "update_slice", "copy")
"""Arrays with the extents of the first argument."""
_LOOKED_AT = 1000
"""So many statements, that comparisons in long programs do not take quadratic time."""
_OPERANDS = 4
"""Of so many operands that are stretched to one another, one inside of the other, each is looked
at."""


def said(
    prims: PrimitiveSet, functions: Mapping[str, Function], stms: Sequence[Stm], atom: Atom
) -> Atom:
    """An int, as a literal if it is an extent that follows from literal ones.

    Only the last statements of the block are looked at, and of `functions` those that give an array
    whose extents follow from what they say themselves.
    """
    made = _definition(stms, atom)
    if made is None:
        return atom
    before, expr, _ = made
    if not isinstance(expr, Prim) or expr.op != "dim":
        return atom
    axis = _as_int(expr.param("axis"))
    first = max(len(stms) - _LOOKED_AT, 0)
    search = _Search(prims, functions)
    return search.extent(stms[first:before], expr.args[0], axis, _OPERANDS) or atom


def _definition(stms: Sequence[Stm], atom: Atom) -> tuple[int, Prim | Call, int] | None:
    """What a variable is, where, and as which result, of a primitive or a function."""
    if not isinstance(atom, Var):
        return None
    for place in range(len(stms) - 1, max(len(stms) - _LOOKED_AT, 0) - 1, -1):
        if atom in stms[place].outs:
            expr = stms[place].expr
            if not isinstance(expr, Prim | Call):
                return None
            return place, expr, stms[place].outs.index(atom)
    return None


@dataclass(frozen=True, slots=True)
class _Search:
    prims: PrimitiveSet
    functions: Mapping[str, Function]

    def extent(self, stms: Sequence[Stm], array: Atom, axis: int, most: int) -> Lit | None:
        """The extent of an array, if it is literal."""
        while (made := _definition(stms, array)) is not None:
            place, expr, result = made
            stms = stms[:place]
            if isinstance(expr, Call):
                return self.of_call(expr, result, axis, most)
            if expr.op in _KEPT:
                array = expr.args[0]
                continue
            if expr.op == "array_of":
                shape = expr.param("shape")
                assert isinstance(shape, tuple)
                return ilit(_as_int(shape[axis]))
            lengths = self.prims[expr.op].facts.shape(expr.args, expr.params)
            if lengths is None:
                return None
            match lengths[axis]:
                case Along(operand, its):
                    array, axis = expr.args[operand], its
                case length:
                    return self.length(stms, length, expr.args, most)
        return None

    def of_call(self, call: Call, result: int, axis: int, most: int) -> Lit | None:
        """The extent of an array that a function has made, whatever it is given."""
        function = self.functions.get(call.function)
        if function is None or most == 0:
            return None
        body = function.body
        return self.extent(body.stms, body.results[result], axis, most - 1)

    def length(
        self, stms: Sequence[Stm], length: Length, args: tuple[Atom, ...], most: int
    ) -> Lit | None:
        match length:
            case Along(operand, axis):
                return self.extent(stms, args[operand], axis, most)
            case Common(lengths):
                if len(lengths) > most:
                    return None
                found = [self.length(stms, one, args, most - 1) for one in lengths]
                long = [one for one in found if one is not None and one != ilit(1)]
                return long[0] if long else ilit(1) if None not in found else None
            case Lit():
                return length
            case int():
                return ilit(length)
            case Var():
                known = said(self.prims, self.functions, stms, length)
                return known if isinstance(known, Lit) else None


def _as_int(param: Param) -> int:
    assert isinstance(param, int)
    return param
