"""The reverse of calls, of custom rules and of inner derivatives; sweeping a function on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from retrograd.errors import CompilerBug
from retrograd.ir.terms import Atom, Block, Call, CustomRule, Function, Prov, Stm, Var, Vjp
from retrograd.transforms.ad.vjp.activity import varied_vars
from retrograd.transforms.ad.vjp.choose import Attempt, cheapest
from retrograd.transforms.ad.vjp.context import Key, Swept, VjpContext
from retrograd.transforms.ad.vjp.cotangents import Bars
from retrograd.transforms.ad.vjp.drift import begun
from retrograd.transforms.ad.vjp.inverses import reverse_of_inverse
from retrograd.transforms.ad.vjp.privatisation import definitions
from retrograd.transforms.ad.vjp.residuals import Scope, needed_by
from retrograd.transforms.ad.vjp.reverse import Sweep
from retrograd.transforms.ad.vjp.roundings import nearly
from retrograd.transforms.ad.vjp.shaping import ReverseBuilder, ShapeTable, with_explicit_shapes
from retrograd.transforms.ad.vjp.undo_log import NO_LOG, Log, with_logs
from retrograd.transforms.ad.vjp.version_chains import Chain

__all__ = ["reverse_call", "swept"]


def reverse_call(sweep: Sweep, stm: Stm, out_bars: tuple[Atom | None, ...], bars: Bars) -> None:
    """Emits the reverse of a call or of a `Vjp` node."""
    expr = stm.expr
    match expr:
        case Vjp():
            _inner_vjp(sweep, expr, stm, out_bars, bars)
        case Call():
            custom = sweep.context.functions[expr.function].custom
            if custom is None:
                _plain_call(sweep, stm, expr, out_bars, bars)
            elif custom.kind == "vjp":
                _custom_vjp(sweep, stm, expr, custom, out_bars, bars)
            elif custom.kind == "inverse":
                reverse_of_inverse(sweep, stm, expr, custom, out_bars, bars)
            else:
                _custom_jvp(stm, expr, custom, out_bars, bars)
        case _:
            raise CompilerBug("a Jvp node reached the reverse transformation", stm.prov.span)


def _dense(bars: Bars, bar: Atom | None, like: Var) -> Atom:
    """A cotangent that may be handed over: zeros where there is none."""
    return bars.b.zeros_like(like) if bar is None else bars.own(bar)


def _plain_call(
    sweep: Sweep, stm: Stm, expr: Call, out_bars: tuple[Atom | None, ...], bars: Bars
) -> None:
    active = tuple(bars.wants(a) for a in expr.args)
    again = expr.function in sweep.context.again
    found = swept(sweep.context, expr.function, active, _first(expr, bars) if again else ())
    if again:
        sweep.context.rerun[expr.function] = found.forward
        kept = tuple(sweep.context.names.var(v.name, v.type) for v in found.scalars)
        if kept:
            name = sweep.context.keeping(expr.function, found)
            sweep.goes_forward(stm, Stm((*stm.outs, *kept), replace(expr, function=name), stm.prov))
        elif (name := sweep.context.first_run(expr.function, found)) != expr.function:
            sweep.goes_forward(stm, replace(stm, expr=replace(expr, function=name)))
        silent, read = sweep.context.silent(found.forward, found.scalars)
        read_again = (*_again_arguments(sweep, expr, silent, read, bars), *kept)
        bars.b.bind(Call(silent, read_again), [], "again")
    else:
        sweep.goes_forward(stm, replace(stm, expr=replace(expr, function=found.forward)))
    given: list[Atom] = [expr.args[k] for k in found.needed]
    into: dict[int, Var] = {}
    for k in found.sums:
        var = expr.args[k]
        assert isinstance(var, Var)
        if var in into.values():
            given.append(bars.b.zeros_like(var))
        else:
            into[k] = var
            given.append(bars.dense(var))
    given += [_dense(bars, out_bars[k], stm.outs[k]) for k in found.results]
    types = [expr.args[k].type for k in found.wrt]
    outs = bars.b.bind(Call(found.reverse, tuple(given), expr.point), types, "bar")
    for k, out in zip(found.wrt, outs, strict=True):
        var = expr.args[k]
        bars.shape_like(out, var)
        if k in into and isinstance(var, Var):
            bars.replace(var, out)
    for k, out in zip(found.wrt, outs, strict=True):
        if k not in into:
            bars.add(expr.args[k], out)


def _first(expr: Call, bars: Bars) -> tuple[int, ...]:
    """The positions of arrays that have no cotangent before that of a body is added.

    That is then not added to zeros, which -0.0 would not survive: whether a loop has its body run
    again changes no bit.
    """
    return tuple(
        k
        for k, atom in enumerate(expr.args)
        if isinstance(atom, Var) and bars.wants(atom) and bars.find(atom) is None
    )


def _again_arguments(
    sweep: Sweep, expr: Call, silent: str, read: tuple[int, ...], bars: Bars
) -> tuple[Atom, ...]:
    """What a rematerialised call is given in the reverse sweep: the arguments that it reads.

    That is recorded arguments, copies of arrays that it takes over and others still read, and fresh
    arrays where the content does not matter.
    """
    taken = sweep.context.consumed[silent]
    dead = sweep.context.again[expr.function]
    given: list[Atom] = []
    for place, k in enumerate(read):
        atom = expr.args[k]
        dims = bars.b.shapes.of(atom) if k in dead else None
        if dims is not None:
            atom = bars.b.prim("empty", *dims, dtype=atom.type.dtype.value)
        elif place in taken and atom not in sweep.lost and not atom.type.is_scalar:
            atom = bars.b.prim("copy", atom)
        given.append(atom)
    return tuple(given)


def _custom_vjp(
    sweep: Sweep, stm: Stm, expr: Call, custom: CustomRule,
    out_bars: tuple[Atom | None, ...], bars: Bars,
) -> None:  # fmt: skip
    functions = sweep.context.functions
    assert custom.pullback is not None
    rule, pullback = functions[custom.rule], functions[custom.pullback]
    extra = rule.result_types[len(stm.outs) :]
    kept = tuple(sweep.context.names.var("residual", t) for t in extra)
    ahead = replace(stm, outs=(*stm.outs, *kept), expr=Call(custom.rule, expr.args))
    sweep.goes_forward(stm, ahead)
    given: list[Atom] = list(kept)
    for out, bar in zip(stm.outs, out_bars, strict=True):
        if out.type.is_float:
            given.append(_dense(bars, bar, out))
    outs = bars.b.bind(Call(custom.pullback, tuple(given)), pullback.result_types, "bar")
    floats = [a for a in expr.args if a.type.is_float]
    for atom, out in zip(floats, outs, strict=True):
        bars.add(atom, out)


def _custom_jvp(
    stm: Stm, expr: Call, custom: CustomRule, out_bars: tuple[Atom | None, ...], bars: Bars
) -> None:
    """The rule is linear in its tangents: the reverse is its vjp with respect to those, at zero."""
    floats = [k for k, a in enumerate(expr.args) if a.type.is_float]
    tangents = [bars.b.zeros_like(expr.args[k]) for k in floats]
    first = len(expr.args)
    wrt = tuple(first + n for n, k in enumerate(floats) if bars.wants(expr.args[k]))
    silent: list[Atom | None] = [None] * len(stm.outs)
    cotangents = [b for out, b in zip(stm.outs, out_bars, strict=True) if out.type.is_float]
    node = Vjp(custom.rule, (*expr.args, *tangents), (*silent, *cotangents), wrt)
    results = [out.type for out in stm.outs]
    types = [*results, *(t for t in results if t.is_float)]
    outs = bars.b.bind(node, [*types, *(node.args[k].type for k in wrt)], "bar")
    for k, out in zip(wrt, outs[len(types) :], strict=True):
        bars.add(expr.args[floats[k - first]], out)


def _inner_vjp(
    sweep: Sweep, expr: Vjp, stm: Stm, out_bars: tuple[Atom | None, ...], bars: Bars
) -> None:
    """The nesting law: with F = jvp f x_hat, the pullback of `vjp f` is a vjp of F.

    The cotangent of y_bar is the tangent that F returns.
    """
    function = sweep.context.functions[expr.function]
    results = function.result_types
    count = len(results)
    y_hat, x_hat = out_bars[:count], out_bars[count:]
    tangents = [
        bars.b.zeros_like(expr.args[k]) if bar is None else bar
        for k, bar in zip(expr.wrt, x_hat, strict=True)
    ]
    order = sorted(range(len(expr.wrt)), key=lambda n: expr.wrt[n])
    active = tuple(k in expr.wrt for k in range(len(expr.args)))
    lifted = sweep.context.jvp(expr.function, active, stm.prov.span)
    floats = [k for k, t in enumerate(results) if t.is_float]
    wrt = tuple(k for k, a in enumerate(expr.args) if bars.wants(a))
    given = (*expr.args, *(tangents[n] for n in order))
    cotangents = (*y_hat, *(expr.cotangents[k] for k in floats))
    node = Vjp(lifted, given, cotangents, wrt, expr.policy)
    types = [*results, *(results[k] for k in floats), *(expr.args[k].type for k in wrt)]
    outs = bars.b.bind(node, types, "bar")
    for k, out in zip(wrt, outs[count + len(floats) :], strict=True):
        bars.shape_like(out, expr.args[k])
        bars.add(expr.args[k], out)
    for k, out in zip(floats, outs[count : count + len(floats)], strict=True):
        cotangent = expr.cotangents[k]
        if cotangent is not None:
            bars.shape_like(out, cotangent)
            bars.add(cotangent, out)


def swept(
    context: VjpContext, name: str, active: tuple[bool, ...], first: Sequence[int] = ()
) -> Swept:
    """The forward and reverse programs of a function; made once per pattern of active parameters.

    `first` are the positions of arrays that have no cotangent yet where it is called, of a function
    that is called in one place.

    In a recursion, which parameters the reverse program needs is found by iteration from none. What
    the functions that it calls were found to need does not shrink when it needs more itself; so
    their iterations go on from there, and those of mutual recursions do not multiply.
    """
    key: Key = (name, active)
    if key in context.swept:
        context.recursive.add(key)
        return context.swept[key]
    before = dict(context.swept)
    needed = context.needed.get(key, ())
    while True:
        context.swept = dict(before)
        context.recursive.discard(key)
        names = context.names.name(f"{name}_fwd"), context.names.name(f"{name}_rev")
        plan = _signature(context, name, active, names, needed, first)
        context.swept[key] = plan
        made = _sweep_function(context, plan, name, active)
        now = context.needed[key] = _together(needed, made.wanted)
        if now == needed or key not in context.recursive:
            break
        needed = now
    context.adding(made.forward, made.reverse)
    plan = replace(plan, needed=now, scalars=made.scalars)
    context.swept[key] = plan
    return plan


def _together(needed: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted({*needed, *wanted}))


def _signature(
    context: VjpContext, name: str, active: tuple[bool, ...], names: tuple[str, str],
    needed: tuple[int, ...], first: Sequence[int],
) -> Swept:  # fmt: skip
    function = context.functions[name]
    if function.custom is not None:
        raise CompilerBug(f"{name!r} has a rule of its own, which a sweep would pass over")
    on = context.active_results(name, active)
    lost, _ = context.arrays(function)
    wrt = tuple(k for k, flag in enumerate(active) if flag)
    sums = tuple(
        k
        for k in wrt
        if not function.params[k].type.is_scalar
        and function.params[k] not in lost
        and k not in first
    )
    return Swept(*names, needed, sums, tuple(k for k, flag in enumerate(on) if flag), wrt)


def _sweep_function(
    context: VjpContext, plan: Swept, name: str, active: tuple[bool, ...]
) -> Attempt:
    """Forward and reverse function, with the best choice of logged arrays."""
    origin = context.origin.get(name)
    function, table = with_explicit_shapes(
        context.functions[name], context.names, context.prims,
        None if origin is None else origin.shapes, context.changed,
    )  # fmt: skip

    def attempt(chains: Sequence[Chain]) -> Attempt:
        shapes = replace(table, known=dict(table.known))
        logging, log = function, NO_LOG
        if chains:
            first = begun(chains, function, context.names, context.tolerances)
            for own, begin in first.begins.items():
                if (dims := shapes.of(begin.was)) is not None:
                    shapes.set(own, dims)
            logging, log = with_logs(function, chains, context.names, context.prims, first)
        return _attempt(context, plan, name, active, logging, shapes, log)

    return cheapest(context, function, attempt)


def _attempt(
    context: VjpContext, plan: Swept, name: str, active: tuple[bool, ...], function: Function,
    table: ShapeTable, log: Log,
) -> Attempt:  # fmt: skip
    names, prims = context.names, context.prims
    varied = varied_vars(function, active, prims, context.active_results)
    defs = definitions(function.body)
    origin = context.origin.get(name)
    if origin is not None:
        defs = {**origin.defs, **defs}
    lost, shared = context.arrays(function)
    sweep = Sweep(
        context, varied, lost, reverse_call, defs, shared=shared, log=log,
        again=name in context.again, executions=0 if origin is None else origin.executions,
        nearly=nearly(function, log, name in context.called, prims), once=name in context.once,
    )  # fmt: skip
    b = ReverseBuilder(names, prims.result_types, Prov(), table=prims, shapes=table)
    bars = Bars(b, varied)
    sums = [_start(bars, function.params[k]) for k in plan.sums]
    seeds = _seeds(bars, [function.body.results[k] for k in plan.results])
    sweep.block(function.body, bars)
    results: list[Atom] = []
    for k in plan.wrt:
        bar = bars.take(function.params[k])
        results.append(bars.b.zeros_like(function.params[k]) if bar is None else bar)
    carried = tuple(p for p in function.params if p in sweep.lost)
    scope: Scope = sweep.scope(function.body, None, carried, False, False)
    ahead, back, residuals = sweep.close(scope, function.body, bars.b.block(results))
    free = needed_by(back.stms, back.results)
    wanted = tuple(k for k, p in enumerate(function.params) if p in free)
    restored = {v for s in back.stms for v in s.outs}
    needed = [function.params[k] for k in _together(plan.needed, wanted)]
    needed = [names.var(p.name, p.type) if p in restored else p for p in needed]
    params = [*needed, *sums, *seeds]
    unknown = set(free) - set(params) - set(function.params)
    if unknown:
        raise CompilerBug(f"the reverse of {name!r} lacks {sorted(v.name for v in unknown)}")
    forward = Function(plan.forward, function.params, ahead, None, function.prov)
    reverse = Function(
        plan.reverse, tuple(params), Block(back.stms, back.results), None, function.prov
    )
    own = {v for s in context.functions[name].body.stms for v in s.outs}
    scalars = tuple(v for v in residuals.recorded if v.type.is_scalar and v in own)
    scalars = scalars if len(scalars) <= prims.costs.recorded_scalars else ()
    return Attempt(forward, reverse, wanted, scalars, sweep.mentioned)


def _start(bars: Bars, param: Var) -> Var:
    """A parameter for the cotangent so far of an array that the function only reads."""
    bar = bars.b.names.var("bar", param.type)
    bars.replace(param, bar)
    return bar


def _seeds(bars: Bars, results: Sequence[Atom]) -> list[Var]:
    seeds: list[Var] = []
    for atom in results:
        seed = bars.b.names.var("bar", atom.type)
        bars.shape_like(seed, atom)
        seeds.append(seed)
    for atom, seed in zip(results, seeds, strict=True):
        bars.add(atom, seed)
    return seeds
