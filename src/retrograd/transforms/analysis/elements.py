"""Which statements go through arrays of equal extents, element by element."""

from __future__ import annotations

from collections.abc import Mapping

from retrograd.ir.terms import Prim, Stm, Var
from retrograd.ir.types import DType
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.shapes import Extents

__all__ = ["arrays_of", "elements_of"]


def elements_of(stm: Stm, prims: PrimitiveSet, extents: Mapping[str, Extents]) -> Extents:
    """The extents of all arrays that a statement goes through, where they are known to be equal.

    It makes an array of as many elements, adds to one, or sums up all. Nothing is said of what
    takes long for each element, and of bundles. `extents` are those of arrays by name.
    """
    expr = stm.expr
    if not isinstance(expr, Prim) or len(stm.outs) != 1:
        return ()
    primitive, out, arrays = prims[expr.op], stm.outs[0], arrays_of(expr)
    if not arrays or primitive.cost >= prims.costs.fused_cost:
        return ()
    if any(v.type.dtype is DType.BUNDLE for v in (out, *arrays)):
        return ()
    if expr.op == "reduce_sum" or (expr.op == "sum_like" and expr.args[1].type.is_scalar):
        whole = out.type.is_scalar and arrays[0].type.dtype is DType.F64
        return _known(arrays[0], extents) if whole else ()
    if out.type.is_scalar or not (primitive.elementwise or expr.op == "accumulate"):
        return ()
    sizes = {_known(v, extents) for v in (out, *arrays)}
    return sizes.pop() if len(sizes) == 1 else ()


def arrays_of(expr: Prim) -> list[Var]:
    """The arrays that a primitive is given."""
    return [a for a in expr.args if isinstance(a, Var) and not a.type.is_scalar]


def _known(array: Var, extents: Mapping[str, Extents]) -> Extents:
    found = extents.get(array.name, ())
    return found if len(found) == array.type.rank else ()
