"""What may differ between the sweeps where functions with inverses restore values.

Floats come back with roundings. So floats that depend on them smoothly are nearly what they were in
the forward sweep, and other values may be anything: an index beyond the array, the other branch.
Those are recorded.
"""

from __future__ import annotations

from collections.abc import Set

from retrograd.ir.terms import CustomRule, Function, Prim, Stm, Var
from retrograd.prims.core import PrimitiveSet, Zero
from retrograd.transforms.ad.vjp.undo_log import Log
from retrograd.transforms.analysis.activity import active_vars
from retrograd.transforms.analysis.dependence import depending

__all__ = ["jumps", "nearly", "undone_exactly"]


def nearly(function: Function, log: Log, called: bool, prims: PrimitiveSet) -> frozenset[Var]:
    """The floats of a function that may have other roundings in the reverse sweep.

    Args:
        function: the function, with what the log reads.
        log: its logged values.
        called: whether callers may give it such floats.
        prims: the primitives.
    """
    begun = {v for v in log.restored if v.type.is_float}
    begun.update(p for p in function.params if called and p.type.is_float)
    return active_vars(function, frozenset(begun), prims) if begun else frozenset()


def undone_exactly(function: Function, rule: CustomRule, prims: PrimitiveSet) -> tuple[int, ...]:
    """The parameters that a function changes and its adjoint restores, floats but for roundings.

    In the place of an integer that is made of a changed float there is -1: the adjoint makes it of
    a float that may have other roundings.
    """
    changed = {function.params[k] for k in rule.changed}
    floats = [param for param in changed if param.type.is_float]
    moved = depending(function, floats, prims)
    pairs = zip(rule.changed, function.body.results, strict=True)
    return tuple(k if atom.type.is_float or atom not in moved else -1 for k, atom in pairs)


def jumps(stm: Stm, near: Set[Var], prims: PrimitiveSet) -> bool:
    """Whether the results of a primitive may be far from what they were in the forward sweep."""
    expr = stm.expr
    if not isinstance(expr, Prim):
        return False
    primitive = prims[expr.op]
    if not isinstance(primitive.jvp, Zero) and all(out.type.is_float for out in stm.outs):
        return False
    shapes = primitive.facts.shape_only
    return any(isinstance(a, Var) and a in near for k, a in enumerate(expr.args) if k not in shapes)
