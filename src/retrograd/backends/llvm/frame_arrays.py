"""Small arrays of known size that live in the native frame: nothing takes them out of their block.

A block of the heap costs some ten nanoseconds, as much as the work on a vector of three numbers.
What is in the frame costs nothing, and LLVM keeps its elements in registers where it can.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from retrograd.backends.llvm.plan import BlockPlan, Planner
from retrograd.ir.formers import unhandled
from retrograd.ir.terms import Block, Call, For, If, Jvp, Prim, Stm, Var, Vjp, While
from retrograd.ir.traverse import blocks, free_vars, free_vars_expr, stms_deep
from retrograd.ir.types import DType
from retrograd.prims.core import Effect
from retrograd.transforms.analysis.effects import prim_effect
from retrograd.transforms.analysis.shapes import Extent

__all__ = ["frame_arrays"]


def frame_arrays(
    planner: Planner, block: Block, plan: BlockPlan, extents: Mapping[str, tuple[Extent, ...]]
) -> frozenset[Var]:
    """The arrays that statements of a block make, are small, and stay inside of it.

    They are read, changed in place by statements and loops of the block, and never handed on: not
    to the tape, to a function that takes them over, or to who receives the results of a block.
    """
    home = {var: var for stm in block.stms for var in _made(stm, planner, plan, extents)}
    kept = set(home)
    _leave(kept, home, (*plan.same, *plan.same.values()))
    for stm in block.stms if home else ():
        for var in free_vars_expr(stm.expr):
            if var in home:
                again = _stays(stm, var, planner)
                if again is None:
                    kept.discard(home[var])
                home.update((out, home[var]) for out in again or ())
    _leave(kept, home, block.results)
    return frozenset(kept)


def _leave(kept: set[Var], home: Mapping[Var, Var], atoms: Iterable[object]) -> None:
    """Takes out what goes elsewhere."""
    kept.difference_update(home[a] for a in atoms if isinstance(a, Var) and a in home)


def _made(
    stm: Stm, planner: Planner, plan: BlockPlan, extents: Mapping[str, tuple[Extent, ...]]
) -> tuple[Var, ...]:
    """The small array that a statement makes and owns."""
    expr, out = stm.expr, stm.outs[0] if len(stm.outs) == 1 else None
    if not isinstance(expr, Prim) or out is None or out.type.is_scalar or out in plan.lazy:
        return ()
    if out in plan.alias or planner.prims[expr.op].consumes or out.type.dtype is DType.BUNDLE:
        return ()
    if prim_effect(expr, planner.prims) not in (Effect.PURE, Effect.CHECK):
        return ()
    sizes = [n for n in extents.get(out.name, ()) if isinstance(n, int)]
    small = len(sizes) == out.type.rank and 0 < prod(sizes) <= planner.prims.costs.stack_elements
    return (out,) if small else ()


def _stays(stm: Stm, var: Var, planner: Planner) -> list[Var] | None:
    """The results that are `var` again; None where it could go elsewhere."""
    expr = stm.expr
    if any(var in inner.results for inner in _blocks_deep(stm)):
        return None
    taken = var in planner.consumed_by(stm)
    match expr:
        case Prim():
            if not taken:
                return []
            own = planner.prims[expr.op].consumes == (0,) and expr.args.count(var) == 1
            return list(stm.outs) if own and expr.args[0] == var else None
        case For():
            return _carried(stm, expr, var, planner) if taken else []
        case If() | While() | Call():
            return None if taken else []
        case Jvp() | Vjp():
            return None
        case _:
            unhandled(expr)


def _carried(stm: Stm, loop: For, var: Var, planner: Planner) -> list[Var] | None:
    """What a loop returns of an array that it changes in place."""
    outs: list[Var] = []
    for k, init in enumerate(loop.inits):
        if init == var and not planner.borrows(loop, k):
            result = loop.body.results[k]
            if not isinstance(result, Var):
                return None
            if planner.root_of(loop.body, result) != loop.carried[k]:
                return None
            outs.append(stm.outs[k])
    return outs if len(outs) == 1 and var not in free_vars(loop.body) else None


def _blocks_deep(stm: Stm) -> Iterable[Block]:
    """All blocks inside of a statement."""
    for inner in blocks(stm.expr):
        yield inner
        for deep in stms_deep(inner):
            yield from blocks(deep.expr)
