"""How many floating-point additions one application of a primitive takes, by its extents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrograd.ir.terms import Atom, Prim, Stm, Var
from retrograd.prims.core import PrimitiveSet

__all__ = ["Operations", "operations"]

_PRODUCT = 2.0
"""Additions for a term of a product of matrices."""


@dataclass(frozen=True, slots=True)
class Operations:
    """`cost` additions for each element of an array with the extents `dims`, of which none are
    those of a scalar."""

    dims: tuple[Atom, ...]
    cost: float


def operations(
    prims: PrimitiveSet, stm: Stm, dims: Callable[[Atom], Sequence[Atom]]
) -> Operations | None:
    """What a statement takes: for each element of what is read as a whole, or made.

    None where it calculates nothing: views, extents, and what is no primitive.

    Args:
        prims: the primitives, with their costs.
        stm: the statement.
        dims: the extents of an array, operand or result.
    """
    expr = stm.expr
    if not isinstance(expr, Prim):
        return None
    primitive, outs = prims[expr.op], [o for o in stm.outs if not o.type.is_scalar]
    if primitive.facts.view or expr.op == "dim":
        return None
    if expr.op == "matmul":
        return Operations((*dims(expr.args[0]), *dims(expr.args[1])[1:]), _PRODUCT)
    if primitive.facts.writes and primitive.facts.element:
        return Operations((), primitive.cost)
    if primitive.elementwise and outs:
        return Operations(tuple(dims(outs[0])), primitive.cost)
    read: list[Atom] = [a for a in primitive.facts.whole(expr.args) if isinstance(a, Var)]
    if primitive.facts.writes and expr.op != "accumulate":
        read = read[1:]
    every = read or outs
    return Operations(tuple(dims(every[0])) if every else (), primitive.cost)
