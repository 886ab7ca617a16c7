"""Extents that the program says itself: those of `np.zeros(3)` or `np.atleast_1d(x)` of a number."""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.ir.terms import Atom, Lit, Param, Prim, Stm, Var, ilit

__all__ = ["said"]

_MADE = ("zeros", "empty", "full")
"""Arrays of given extents, which are the last arguments."""
_KEPT = ("update", "update_slice", "copy")
"""Arrays with the extents of the first argument."""
_LOOKED_AT = 1000
"""So many statements, that comparisons in long programs do not take quadratic time."""


def said(stms: Sequence[Stm], atom: Atom) -> Atom:
    """An int, as a literal if it is an extent of an array that was made with a literal one.

    Only the last statements of the block are looked at.
    """
    sought: Atom = atom
    axis: int | None = None
    for stm in reversed(stms[-_LOOKED_AT:]):
        if not isinstance(sought, Var) or sought not in stm.outs:
            continue
        match stm.expr:
            case Prim("dim", (array,), params) if axis is None:
                sought, axis = array, _as_int(dict(params)["axis"])
            case Prim(op, (array, *_)) if op in _KEPT and axis is not None:
                sought = array
            case Prim(op, args) if op in _MADE and axis is not None:
                extent = args[len(args) - sought.type.rank + axis]
                return extent if isinstance(extent, Lit) else atom
            case Prim("array_of", _, params) if axis is not None:
                shape = dict(params)["shape"]
                assert isinstance(shape, tuple)
                return ilit(_as_int(shape[axis]))
            case _:
                return atom
    return atom


def _as_int(param: Param) -> int:
    assert isinstance(param, int)
    return param
