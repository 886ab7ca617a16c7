"""The reverse of calls of functions with inverses.

A call is undone by one call of the adjoint (`CustomRule`), whichever of the values that it changes
are logged: their versions before it are what the adjoint restores. Of the others, the final values
are recorded like any residuals, and what is restored of them is only compared with what it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.ir.terms import Atom, Call, CustomRule, Stm, Var, flit
from retrograd.transforms.ad.vjp.cotangents import Bars
from retrograd.transforms.ad.vjp.drift import Begin, check_restored, most_of
from retrograd.transforms.ad.vjp.reverse import Sweep
from retrograd.transforms.ad.vjp.roundings import undone_exactly

__all__ = ["reverse_of_inverse"]


def reverse_of_inverse(
    sweep: Sweep, stm: Stm, expr: Call, custom: CustomRule,
    out_bars: tuple[Atom | None, ...], bars: Bars,
) -> None:  # fmt: skip
    """Emits the call of the adjoint, which restores the logged versions before the call.

    Args:
        sweep: the sweep of the function that makes the call.
        stm: the call's statement.
        expr: the call.
        custom: the rule of what it calls.
        out_bars: the cotangents of its results; all None where it is only undone.
        bars: the cotangents of the block.
    """
    context, b = sweep.context, bars.b
    function, taken = context.functions[expr.function], context.consumed[custom.rule]
    steps, swept = sweep.log.of(stm), any(bar is not None for bar in out_bars)
    final = dict(zip(custom.changed, stm.outs, strict=True))
    given: list[Atom] = []
    for k, arg in enumerate(expr.args):
        atom = final.get(k, arg)
        logged = k in final and custom.changed.index(k) in steps
        given.append(b.copied(atom) if k in taken and not logged else atom)
    floats = [k for k, param in enumerate(function.params) if param.type.is_float]
    seeds = dict(zip(custom.changed, out_bars, strict=True))
    into: dict[int, Var] = {}
    for k in floats:
        arg, bar = expr.args[k], seeds.get(k)
        if k in final:
            given.append(b.zeros_like(final[k]) if bar is None else bars.own(bar))
        elif swept and isinstance(arg, Var) and bars.wants(arg) and arg not in into.values():
            into[k] = arg
            given.append(_so_far(bars, arg))
        else:
            given.append(b.zeros_like(arg))
    before = [expr.args[k] for k in custom.changed]
    restored = tuple(
        steps[i].before if i in steps else context.names.var(out.name, out.type)
        for i, out in enumerate(stm.outs)
    )
    found = tuple(context.names.var("bar", function.params[k].type) for k in floats)
    b.stms.append(Stm((*restored, *found), Call(custom.rule, tuple(given), expr.point), b.prov))
    if not swept:
        return
    exact = undone_exactly(context.functions[expr.function], custom, context.prims)
    every = enumerate(zip(exact, restored, before, strict=True))
    pairs = [(v, was) for i, (k, v, was) in every if i not in steps and k >= 0]
    _compare(bars, stm, pairs, custom.atol)
    for k, out in zip(floats, found, strict=True):
        bars.shape_like(out, expr.args[k])
        if k in into:
            bars.replace(into[k], out)
    for k, out in zip(floats, found, strict=True):
        if k not in into:
            bars.add(expr.args[k], out)


def _compare(bars: Bars, stm: Stm, pairs: Sequence[tuple[Var, Atom]], atol: float | None) -> None:
    """Restored values with what they were, which is recorded."""
    if atol is not None:
        for restored, was in pairs:
            check_restored(bars.b, restored, Begin(was, most_of(atol)), stm.prov)


def _so_far(bars: Bars, var: Var) -> Atom:
    """The sum of cotangents so far."""
    if not var.type.is_scalar:
        return bars.dense(var)
    bar = bars.find(var)
    return flit(0.0) if bar is None else bar
