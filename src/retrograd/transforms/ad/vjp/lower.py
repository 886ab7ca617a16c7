"""`Vjp` nodes become calls: forward program, then reverse program.

The forward program leaves its residuals on the tape and the reverse program takes them off again,
so a node leaves the tape as it found it and nodes may stand anywhere, in loops and in each other's
functions.

Where inner derivatives are to have schedules of their own, each node becomes the call of a function
that does nothing but that (`Function.derivative`). The node that the entry itself consists of does
not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from retrograd.ir.build import Builder
from retrograd.ir.linear import consumed_params
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, For, Function, Program, Stm, Var, Vjp
from retrograd.ir.traverse import blocks, stms_deep, substitute, with_blocks
from retrograd.options.checkpointing import SHARED
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.ad.endless_rules import refuse_endless
from retrograd.transforms.ad.vjp.calls import swept
from retrograd.transforms.ad.vjp.context import VjpContext
from retrograd.transforms.ad.vjp.executions import undone_outside
from retrograd.transforms.ad.vjp.fusion import fused_sweeps, is_last

__all__ = ["lower_vjp_nodes"]

Consumed = Mapping[str, frozenset[int]]


def lower_vjp_nodes(
    program: Program, names: NameSupply, prims: PrimitiveSet, apart: bool = False,
    fuse: bool = False,
) -> Program:  # fmt: skip
    """The program, which has no `Jvp` nodes, without `Vjp` nodes in reachable functions.

    `apart`: inner derivatives become functions. `fuse`: both sweeps of a map may be one loop
    (`fusion`).
    """
    given, program = program, undone_outside(_with_rules(program, names, prims))
    context = VjpContext.of(program, names, prims)
    # Under a schedule such a body would be an inner derivative, with a schedule of its own.
    context.whole_bodies = not apart
    # What a schedule divides is divided where it records: it is recorded as without checkpoints.
    context.reruns = not apart
    # A tape of which leaves are dropped and recorded again stays in memory.
    context.offloads = not apart
    done: set[str] = set()
    pending = [program.entry]
    while pending:
        name = pending.pop()
        if name in done:
            continue
        done.add(name)
        function = context.functions[name]
        if any(isinstance(stm.expr, Vjp) for stm in stms_deep(function.body)):
            whole = name == program.entry
            body = _fused(context, function) if fuse and whole and not apart else function.body
            body = _block(context, body, apart, whole)
            function = replace(function, body=body)
            context.functions[name] = function
            context.refresh()
        pending += [s.expr.function for s in stms_deep(function.body) if isinstance(s.expr, Call)]
    # Nothing is left to be derived, so rules and what only they call go.
    kept = [f for f in context.functions.values() if f.name in done]
    plain = (f if f.custom is None else replace(f, custom=None) for f in kept)
    lowered = Program(tuple(plain), program.entry)
    refuse_endless(given, lowered)
    return lowered


def _block(
    context: VjpContext, block: Block, apart: bool, whole: bool, rows: bool = False
) -> Block:
    """`apart`: nodes become functions; `whole`: but those of this block itself.

    `rows`: it is run for one result after the other, so all are differentiated by one sweep.
    """
    stms: list[Stm] = []
    for stm in block.stms:
        if isinstance(stm.expr, Vjp):
            stm = stm if rows else replace(stm, expr=_without_aux(context, stm.expr))
            assert isinstance(stm.expr, Vjp)
            inner = apart and (stm.expr.policy is not None or not whole)
            stms += (_outlined if inner else _calls)(context, stm, stm.expr)
        else:
            within = rows or (isinstance(stm.expr, For) and stm.expr.directions)
            parts = tuple(_block(context, b, apart, False, within) for b in blocks(stm.expr))
            stms.append(replace(stm, expr=with_blocks(stm.expr, parts)) if parts else stm)
    return Block(tuple(stms), block.results)


def _without_aux(context: VjpContext, expr: Vjp) -> Vjp:
    """The node with its results that have no cotangent made constants of the function.

    Zeros for their cotangents would be multiplied by slopes that may be infinite.
    """
    active = context.active_results(
        expr.function, tuple(k in expr.wrt for k in range(len(expr.args)))
    )
    pairs = zip(active, expr.cotangents, strict=True)
    mute = tuple(k for k, (on, bar) in enumerate(pairs) if on and bar is None)
    if not mute or len(mute) == sum(active):
        return expr
    key = (expr.function, mute)
    if key not in context.muted:
        function = context.functions[expr.function]
        b = Builder(context.names, context.prims.result_types, function.prov)
        results = [
            b.prim("stop_gradient", atom) if k in mute else atom
            for k, atom in enumerate(function.body.results)
        ]
        body = Block((*function.body.stms, *b.stms), tuple(results))
        name = context.names.name(f"{function.name}_of_value")
        context.muted[key] = context.adding(replace(function, name=name, body=body))
    return replace(expr, function=context.muted[key])


def _fused(context: VjpContext, function: Function) -> Block:
    """The body of the entry, with the sweeps of maps joined where its last node allows that."""
    stms = function.body.stms
    for position, stm in enumerate(stms):
        node = stm.expr
        if not isinstance(node, Vjp) or not is_last(function, position, context.prims):
            continue
        if context.consumed[function.name]:
            break
        made = _calls(context, stm, _without_aux(context, node))
        calls = frozenset(s.expr.function for s in made if isinstance(s.expr, Call))
        before = function.with_body(Block(stms[:position], ()))
        found = fused_sweeps(context, before, made, calls)
        if found is not None:
            after = Block(stms[position + 1 :], function.body.results)
            after = substitute(after, found[1])
            return Block((*stms[:position], *found[0], *after.stms), after.results)
    return function.body


def _outlined(context: VjpContext, stm: Stm, expr: Vjp) -> list[Stm]:
    """The call of a function that does nothing but both sweeps of a node."""
    names = context.names
    given = [a for a in (*expr.args, *expr.cotangents) if isinstance(a, Var)]
    params = {v: names.var(v.name, v.type) for v in dict.fromkeys(given)}

    def inside(atom: Atom | None) -> Atom | None:
        return params[atom] if isinstance(atom, Var) else atom

    outs = tuple(names.var(out.name, out.type) for out in stm.outs)
    args = tuple(params[a] if isinstance(a, Var) else a for a in expr.args)
    node = replace(expr, args=args, cotangents=tuple(map(inside, expr.cotangents)))
    body = Block(tuple(_calls(context, Stm(outs, node, stm.prov), node)), outs)
    prov = stm.prov.through("vjp")
    name = names.name(f"{expr.function}_derivative")
    policy = SHARED if expr.policy is None else expr.policy
    context.adding(Function(name, tuple(params.values()), body, None, prov, policy))
    return [Stm(stm.outs, Call(name, tuple(params)), prov)]


def _calls(context: VjpContext, stm: Stm, expr: Vjp) -> list[Stm]:
    active = tuple(k in expr.wrt for k in range(len(expr.args)))
    plan = swept(context, expr.function, active)
    b = Builder(context.names, context.prims.result_types, stm.prov.through("vjp"))
    function = context.functions[expr.function]
    count = len(function.body.results)
    results, bars = stm.outs[:count], stm.outs[count:]

    given = _lent(b, context.consumed, plan.forward, expr.args)
    b.stms.append(Stm(results, Call(plan.forward, given), b.prov))
    seeds: list[Atom] = []
    for k in plan.results:
        cotangent = expr.cotangents[k]
        seeds.append(b.zeros_like(results[k]) if cotangent is None else cotangent)
    starts = [b.zeros_like(expr.args[k]) for k in plan.sums]
    needed: list[Atom] = [expr.args[k] for k in plan.needed]
    outs: dict[int, Var] = dict(zip(expr.wrt, bars, strict=True))
    args = _lent(b, context.consumed, plan.reverse, [*needed, *starts, *seeds])
    b.stms.append(Stm(tuple(outs[k] for k in plan.wrt), Call(plan.reverse, args), b.prov))
    return b.stms


def _with_rules(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Derivatives of functions that have rules of their own, as ordinary programs.

    With a reverse rule that is a call of its two functions, so that those are what is
    differentiated again. With a forward rule it is the derivative of a caller, in whose reverse
    code the rule comes in.
    """
    consumed = consumed_params(program, prims)
    callers: dict[str, Function] = {}

    def walk(block: Block) -> Block:
        stms = tuple(new for stm in block.stms for new in visit(stm))
        return block.changed(stms, block.results)

    def visit(stm: Stm) -> list[Stm]:
        expr = with_blocks(stm.expr, tuple(map(walk, blocks(stm.expr))))
        custom = program.function(expr.function).custom if isinstance(expr, Vjp) else None
        if not isinstance(expr, Vjp) or custom is None:
            return [stm.with_expr(expr)]
        if custom.pullback is not None:
            b = Builder(names, prims.result_types, stm.prov.through("vjp"))
            return _ruled(program, consumed, stm, expr, custom.rule, custom.pullback, b)
        if expr.function not in callers:
            callers[expr.function] = _caller(program.function(expr.function), names)
        return [replace(stm, expr=replace(expr, function=callers[expr.function].name))]

    functions = [f.with_body(walk(f.body)) for f in program.functions]
    return Program((*functions, *callers.values()), program.entry)


def _caller(function: Function, names: NameSupply) -> Function:
    """A function that does nothing but call the given one."""
    params = tuple(names.var(p.name, p.type) for p in function.params)
    outs = tuple(names.var("t", t) for t in function.result_types)
    body = Block((Stm(outs, Call(function.name, params), function.prov),), outs)
    return Function(names.name(f"{function.name}_called"), params, body, None, function.prov)


def _ruled(
    program: Program, consumed: Consumed, stm: Stm, node: Vjp, rule: str, pullback: str, b: Builder
) -> list[Stm]:
    """A node as calls of the user's two functions."""
    source = program.function(node.function)
    count = len(source.result_types)
    kept = tuple(b.names.var("res", t) for t in program.function(rule).result_types[count:])
    ahead = Call(rule, _lent(b, consumed, rule, node.args))
    b.stms.append(Stm((*stm.outs[:count], *kept), ahead, b.prov))
    seeds = tuple(
        b.zeros_like(out) if bar is None else bar
        for out, bar in zip(stm.outs, node.cotangents, strict=False)
        if out.type.is_float
    )
    wanted = dict(zip(node.wrt, stm.outs[count:], strict=True))
    outs = tuple(
        wanted[k] if k in wanted else b.names.var("bar", p.type)
        for k, p in enumerate(source.params)
        if p.type.is_float
    )
    back = Call(pullback, _lent(b, consumed, pullback, (*kept, *seeds)))
    b.stms.append(Stm(outs, back, b.prov))
    return b.stms


def _lent(b: Builder, consumed: Consumed, name: str, atoms: Sequence[Atom]) -> tuple[Atom, ...]:
    """Arguments of a call; what it takes over is copied, since a node takes nothing over."""
    taken = consumed[name]
    return tuple(
        b.prim("copy", a) if k in taken and not a.type.is_scalar else a for k, a in enumerate(atoms)
    )
