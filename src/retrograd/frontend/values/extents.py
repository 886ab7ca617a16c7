"""Extents that the program says itself, as those of `np.zeros(3)` and of `np.array([x, y])`."""

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
        made = stm.expr
        if not isinstance(made, Prim):
            return atom
        if axis is None:
            if made.op != "dim":
                return atom
            sought, axis = made.args[0], _as_int(made.param("axis"))
        elif made.op in _KEPT:
            sought = made.args[0]
        else:
            return _made(made, sought.type.rank, axis) or atom
    return atom


def _made(made: Prim, rank: int, axis: int) -> Lit | None:
    """An extent of an array that is made here, if it is literal."""
    if made.op == "array_of":
        shape = made.param("shape")
        assert isinstance(shape, tuple)
        return ilit(_as_int(shape[axis]))
    if made.op not in _MADE:
        return None
    extent = made.args[len(made.args) - rank + axis]
    return extent if isinstance(extent, Lit) else None


def _as_int(param: Param) -> int:
    assert isinstance(param, int)
    return param
