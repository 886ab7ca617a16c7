"""Extents that the program says itself, as those of `np.zeros(3)` and of `np.array([x, y])`."""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.ir.terms import Atom, Lit, Param, Prim, Stm, Var, ilit
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


def said(prims: PrimitiveSet, stms: Sequence[Stm], atom: Atom) -> Atom:
    """An int, as a literal if it is an extent that follows from literal ones.

    Only the last statements of the block are looked at.
    """
    made = _definition(stms, atom)
    if made is None or made[1].op != "dim":
        return atom
    before, expr = made
    axis = _as_int(expr.param("axis"))
    first = max(len(stms) - _LOOKED_AT, 0)
    return _extent(prims, stms[first:before], expr.args[0], axis, _OPERANDS) or atom


def _definition(stms: Sequence[Stm], atom: Atom) -> tuple[int, Prim] | None:
    """What a variable is, and where, if that is an application of a primitive."""
    if not isinstance(atom, Var):
        return None
    for place in range(len(stms) - 1, max(len(stms) - _LOOKED_AT, 0) - 1, -1):
        if atom in stms[place].outs:
            expr = stms[place].expr
            return (place, expr) if isinstance(expr, Prim) else None
    return None


def _extent(
    prims: PrimitiveSet, stms: Sequence[Stm], array: Atom, axis: int, most: int
) -> Lit | None:
    """The extent of an array, if it is literal."""
    while (made := _definition(stms, array)) is not None:
        place, expr = made
        stms = stms[:place]
        if expr.op in _KEPT:
            array = expr.args[0]
            continue
        if expr.op == "array_of":
            shape = expr.param("shape")
            assert isinstance(shape, tuple)
            return ilit(_as_int(shape[axis]))
        lengths = prims[expr.op].facts.shape(expr.args, expr.params)
        if lengths is None:
            return None
        match lengths[axis]:
            case Along(operand, its):
                array, axis = expr.args[operand], its
            case length:
                return _length(prims, stms, length, expr.args, most)
    return None


def _length(
    prims: PrimitiveSet, stms: Sequence[Stm], length: Length, args: tuple[Atom, ...], most: int
) -> Lit | None:
    match length:
        case Along(operand, axis):
            return _extent(prims, stms, args[operand], axis, most)
        case Common(lengths):
            if len(lengths) > most:
                return None
            found = [_length(prims, stms, one, args, most - 1) for one in lengths]
            long = [one for one in found if one is not None and one != ilit(1)]
            return long[0] if long else ilit(1) if None not in found else None
        case Lit():
            return length
        case int():
            return ilit(length)
        case Var():
            known = said(prims, stms, length)
            return known if isinstance(known, Lit) else None


def _as_int(param: Param) -> int:
    assert isinstance(param, int)
    return param
