"""Pullbacks of straight-line code, in the place where they are asked for.

An adjoint of a reversible function asks for the pullback of one statement after the other. As calls
they would each calculate again what the adjoint has calculated already, and hand residuals over on
the tape. Of straight-line code that is not needed: forward and reverse code stand in the caller,
and residuals are variables.

So it is done before points are numbered, for all products alike, with nodes inside of loops and of
functions that are called. Left alone are nodes that the entry itself consists of, or loops over
directions, which are what a product is about, and those that are differentiated again: the nesting
law does that (`calls`).
"""

from __future__ import annotations

from dataclasses import replace

from retrograd.ir.linear import walk_linear
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, Function, If, Prim, Program, Stm, Var, Vjp
from retrograd.ir.traverse import (
    blocks,
    callees_of,
    freshen_block,
    stms_deep,
    substitute,
    with_blocks,
)
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.ad.branch_values import calculate_in_branches
from retrograd.transforms.ad.vjp.activity import varied_vars
from retrograd.transforms.ad.vjp.calls import reverse_call
from retrograd.transforms.ad.vjp.context import VjpContext
from retrograd.transforms.ad.vjp.cotangents import Bars
from retrograd.transforms.ad.vjp.privatisation import definitions
from retrograd.transforms.ad.vjp.residuals import needed_by
from retrograd.transforms.ad.vjp.reverse import Sweep
from retrograd.transforms.ad.vjp.shaping import ReverseBuilder, with_explicit_shapes
from retrograd.transforms.analysis.effects import reachable
from retrograd.transforms.optimise.dce import eliminate_dead_code
from retrograd.transforms.optimise.fma import contract_derivatives
from retrograd.transforms.optimise.simplify import simplify

__all__ = ["inline_pullbacks", "straight_pullbacks"]


def straight_pullbacks(program: Program, prims: PrimitiveSet) -> bool:
    """Whether the program has nodes that `inline_pullbacks` looks at."""
    table = {f.name: f for f in program.functions}
    return any(
        isinstance(stm.expr, Vjp) and _straight(table[stm.expr.function], stm.expr, prims)
        for function in _derived_once(program)
        for stm in stms_deep(function.body)
    )


def inline_pullbacks(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program with forward and reverse code in the place of nodes of straight lines.

    The results have the bits that they have where the two are functions, so that it does not matter
    whether the caller is differentiated.
    """
    context = VjpContext.of(program, names, prims)
    once = {f.name for f in _derived_once(program)}

    def walk(block: Block, own: bool) -> Block:
        """`own`: it is the entry's body, or that of a loop over directions."""
        stms: list[Stm] = []
        values: dict[Var, Atom] = {}
        for old in block.stms:
            stm = substitute(Block((old,), ()), values).stms[0] if values else old
            expr = stm.expr
            made = None
            if isinstance(expr, Vjp) and not own:
                made = _in_place(context, stm, expr)
            if made is None:
                rows = isinstance(expr, For) and expr.directions
                inner = tuple(walk(b, rows) for b in blocks(expr))
                stms.append(stm.with_expr(with_blocks(expr, inner)))
            else:
                stms += made.stms
                values.update(zip(stm.outs, made.results, strict=True))
        results = Block((), block.results)
        return Block(tuple(stms), substitute(results, values).results)

    functions = tuple(
        replace(f, body=walk(f.body, f.name == program.entry)) if f.name in once else f
        for f in program.functions
    )
    made = Program(functions, program.entry)
    alive = reachable(made)
    return Program(tuple(f for f in functions if f.name in alive), program.entry)


def _derived_once(program: Program) -> list[Function]:
    """The functions that no derivative is taken of, themselves or in what calls them."""
    table = {f.name: f for f in program.functions}
    pending = [s.expr.function for f in program.functions for s in stms_deep(f.body)
               if isinstance(s.expr, Vjp)]  # fmt: skip
    derived: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in derived:
            derived.add(name)
            pending += [c for s in stms_deep(table[name].body) for c in callees_of(s.expr)]
    return [f for f in program.functions if f.name not in derived]


def _straight(function: Function, node: Vjp, prims: PrimitiveSet) -> bool:
    """Whether a function consists of primitives, and branches of them, that nobody asks about."""
    if function.custom is not None or node.policy is not None:
        return False
    found = list(stms_deep(function.body))
    return len(found) <= prims.costs.inline_small and all(_plain(s, prims) for s in found)


def _plain(stm: Stm, prims: PrimitiveSet) -> bool:
    if stm.prov.checkpoints or stm.prov.names:
        return False
    if isinstance(stm.expr, If):
        return True
    if not isinstance(stm.expr, Prim):
        return False
    return prims[stm.expr.op].effect in (Effect.PURE, Effect.CHECK)


def _in_place(context: VjpContext, stm: Stm, node: Vjp) -> Block | None:
    """Forward and reverse code of a node; None where its function is none, or overwrites arrays
    that its reverse reads."""
    source = context.functions[node.function]
    if not _straight(source, node, context.prims) or context.consumed[source.name]:
        return None
    names, prims = context.names, context.prims
    active = tuple(k in node.wrt for k in range(len(node.args)))
    (chosen,) = calculate_in_branches(Program((source,), source.name), names, prims).functions
    function, table = with_explicit_shapes(chosen, names, prims)
    varied = varied_vars(function, active, prims, context.active_results)
    lost, shared = context.arrays(function)
    sweep = Sweep(
        context, varied, lost, reverse_call, definitions(function.body), shared=shared, taped=False
    )
    b = ReverseBuilder(names, prims.result_types, stm.prov, table=prims, shapes=table)
    bars = Bars(b, varied)
    given: dict[Var, Atom] = {}
    for atom, bar in zip(function.body.results, node.cotangents, strict=True):
        if bar is not None:
            seed = names.var("bar", bar.type)
            given[seed] = bar
            bars.shape_like(seed, atom)
            b.prov = stm.prov.through("vjp")
            bars.add(atom, b.copied(seed))
    sweep.block(function.body, bars)
    results: list[Atom] = []
    for k in node.wrt:
        bar = bars.take(function.params[k])
        results.append(b.zeros_like(function.params[k]) if bar is None else bar)
    back = b.block(results)
    alone = replace(function, body=Block(function.body.stms, ()))
    gone = walk_linear(alone, prims, context.consumed, None).names
    if any(v.name in gone for v in needed_by(back.stms, back.results)):
        return None
    whole = Block((*function.body.stms, *back.stms), (*function.body.results, *back.results))
    whole = freshen_block(whole, names, {})  # what is in branches is there twice
    own = Function(source.name, (*function.params, *given), whole, prov=source.prov)
    body = _settled(_alone(own, names, prims).body)
    args = (*node.args, *given.values())
    return freshen_block(body, names, dict(zip(own.params, args, strict=True)))


def _alone(function: Function, names: NameSupply, prims: PrimitiveSet) -> Function:
    """The function as the cleaning up of derivatives leaves it, with the bits of a call of it.

    Nothing is known of its arguments here.
    """
    program = Program((function,), function.name)
    for step in (simplify, contract_derivatives, eliminate_dead_code):
        program = step(program, names, prims)
    return program.main


def _settled(block: Block) -> Block:
    """A block whose sums have been contracted, as much as they are to be."""
    stms: list[Stm] = []
    for stm in block.stms:
        expr = with_blocks(stm.expr, tuple(map(_settled, blocks(stm.expr))))
        prov = stm.prov.through("inlined") if stm.prov.via[-1:] == ("vjp",) else stm.prov
        stms.append(Stm(stm.outs, expr, prov))
    return Block(tuple(stms), block.results)
