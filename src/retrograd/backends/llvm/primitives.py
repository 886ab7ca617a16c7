"""Machine code of primitives: in place, where they are used, or in a loop with others."""

from __future__ import annotations

from retrograd.backends.llvm.arrays import ARRAY_OPS, emit_alias
from retrograd.backends.llvm.elementwise import broadcast_dims, fill_from
from retrograd.backends.llvm.fused_loops import wait_for_loop
from retrograd.backends.llvm.gen import AnyValue, Gen, Lazy, Waiting
from retrograd.backends.llvm.plan import BlockPlan
from retrograd.backends.llvm.reductions import emit_sum_like
from retrograd.backends.llvm.scalar import emit_scalar, in_library
from retrograd.errors import CompilerBug
from retrograd.ir.terms import Prim, Stm, Var

__all__ = ["emit_prim"]


def emit_prim(gen: Gen, stm: Stm, expr: Prim, plan: BlockPlan) -> None:
    """The code of one statement; its results are bound."""
    primitive = gen.shared.planner.prims[expr.op]
    out = stm.outs[0] if stm.outs else None
    if out is not None and out in plan.alias:
        gen.env[out] = emit_alias(gen, stm, expr)
    elif primitive.elementwise:
        assert out is not None
        gen.env[out] = _elementwise(gen, stm, expr, out, plan)
    elif out is not None and out in plan.joined:
        wait_for_loop(gen, out, expr)
    elif out is not None and out in plan.same:
        gen.env[out] = emit_sum_like(gen, stm, expr, True)
    elif expr.op in ARRAY_OPS:
        for var, value in zip(stm.outs, ARRAY_OPS[expr.op](gen, stm, expr), strict=True):
            gen.env[var] = value
    else:
        raise CompilerBug(f"no machine code for primitive {expr.op!r}", stm.prov.span)


def _elementwise(gen: Gen, stm: Stm, expr: Prim, out: Var, plan: BlockPlan) -> AnyValue:
    args = [gen.any(a) for a in expr.args]
    dtypes = [a.type.dtype for a in expr.args]
    if in_library(expr.op, dtypes[0]):
        gen.shared.math.add(expr.op)
    if out.type.is_scalar:
        scalars = [a for a in args if isinstance(a, str)]
        return emit_scalar(gen.f, expr.op, scalars, dtypes, out.type.dtype)
    dims = broadcast_dims(gen, args, out.type.rank, stm.prov.span)
    value = Lazy(expr.op, tuple(args), tuple(dtypes), out.type, dims)
    if out in plan.lazy:
        return value
    target = gen.fresh(out, value.dims)
    if out in plan.joined:
        gen.waiting.append(Waiting(out, value, target))
    else:
        fill_from(gen, target, value)
    return target
