"""`Vjp` nodes become calls: forward program, then reverse program.

The forward program leaves its residuals on the tape and the reverse program takes them off again, so a
node leaves the tape as it found it and nodes may stand anywhere, in loops and in each other's functions.
"""

from __future__ import annotations

from dataclasses import replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, Program, Stm, Var, Vjp
from retrograd.ir.traverse import blocks, stms_deep, with_blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.vjp.calls import swept
from retrograd.transforms.vjp.context import VjpContext

__all__ = ["lower_vjp_nodes"]


def lower_vjp_nodes(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program without `Vjp` nodes in reachable functions. It has no `Jvp` nodes to begin with."""
    context = VjpContext.of(program, names, prims)
    done: set[str] = set()
    pending = [program.entry]
    while pending:
        name = pending.pop()
        if name in done:
            continue
        done.add(name)
        function = context.functions[name]
        if any(isinstance(stm.expr, Vjp) for stm in stms_deep(function.body)):
            function = replace(function, body=_block(context, function.body))
            context.functions[name] = function
            context.refresh()
        pending += [s.expr.function for s in stms_deep(function.body) if isinstance(s.expr, Call)]
    # Nothing is left to be derived, so rules and what only they call go.
    kept = {f.name: replace(f, custom=None) for f in context.functions.values() if f.name in done}
    return Program(tuple(kept.values()), program.entry)


def _block(context: VjpContext, block: Block) -> Block:
    stms: list[Stm] = []
    for stm in block.stms:
        if isinstance(stm.expr, Vjp):
            stms += _calls(context, stm, stm.expr)
        else:
            inner = tuple(_block(context, b) for b in blocks(stm.expr))
            stms.append(replace(stm, expr=with_blocks(stm.expr, inner)))
    return Block(tuple(stms), block.results)


def _calls(context: VjpContext, stm: Stm, expr: Vjp) -> list[Stm]:
    active = tuple(k in expr.wrt for k in range(len(expr.args)))
    plan = swept(context, expr.function, active)
    b = Builder(context.names, context.prims.result_types, stm.prov.through("vjp"))
    function = context.functions[expr.function]
    count = len(function.body.results)
    results, bars = stm.outs[:count], stm.outs[count:]

    def lent(name: str, atoms: list[Atom]) -> tuple[Atom, ...]:
        """Arguments of a call; what it takes over is copied, since a node takes nothing over."""
        taken = context.consumed[name]
        return tuple(
            b.prim("copy", a) if k in taken and not a.type.is_scalar else a
            for k, a in enumerate(atoms)
        )

    given = lent(plan.forward, list(expr.args))
    b.stms.append(Stm(results, Call(plan.forward, given), b.prov))
    seeds: list[Atom] = []
    for k in plan.results:
        cotangent = expr.cotangents[k]
        seeds.append(b.zeros_like(results[k]) if cotangent is None else cotangent)
    starts = [b.zeros_like(expr.args[k]) for k in plan.sums]
    needed: list[Atom] = [expr.args[k] for k in plan.needed]
    outs: dict[int, Var] = dict(zip(expr.wrt, bars, strict=True))
    args = lent(plan.reverse, [*needed, *starts, *seeds])
    b.stms.append(Stm(tuple(outs[k] for k in plan.wrt), Call(plan.reverse, args), b.prov))
    return b.stms
