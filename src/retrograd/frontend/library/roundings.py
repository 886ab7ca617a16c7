"""Values whose last sum is rounded as Python rounds it.

Products and sums are contracted (`transforms.optimise.fma`), so `g(x) - y` need not be zero where y
is `g(x)` of before: if g ends with a product, that is rounded in one place only. Who asks for the
sign of such a value needs Python's zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from retrograd.frontend.library.plain.told import rounded
from retrograd.frontend.values.kinds import Scalar, TupleValue, Value
from retrograd.frontend.values.tracer import Context, Handler, Tracer
from retrograd.ir.terms import Atom, Block, Call, For, Function, If, Jvp, Prim, Stm, Vjp, While

__all__ = ["ROUNDED"]


def _rounded(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    fun, x, others = args
    assert isinstance(others, TupleValue)
    made = t.call(fun, (x, *others.items), {})
    if isinstance(made, Scalar) and made.type.is_float:
        t.b.stms[:] = _apart(t.ctx, t.b.stms, made.atom)
    return made


def _apart(ctx: Context, stms: Sequence[Stm], atom: Atom) -> Sequence[Stm]:
    """The statements, of which the one that gives the value adds up what has been rounded."""
    place = next((k for k, stm in enumerate(stms) if atom in stm.outs), None)
    if place is None:
        return stms
    return (*stms[:place], *_with_terms_apart(ctx, stms[place], atom), *stms[place + 1 :])


def _with_terms_apart(ctx: Context, stm: Stm, atom: Atom) -> Sequence[Stm]:
    given = stm.outs.index(atom)
    match stm.expr:
        case Prim("add" | "sub", terms) as total:
            own = [ctx.names.var("r", term.type) for term in terms]
            kept = [
                Stm((r,), Prim("rounded", (term,)), stm.prov)
                for r, term in zip(own, terms, strict=True)
            ]
            return (*kept, stm.with_expr(replace(total, args=tuple(own))))
        case If(cond, then, orelse):
            return (stm.with_expr(If(cond, _block(ctx, then, given), _block(ctx, orelse, given))),)
        case Call(name) as call if name in ctx.functions and not ctx.functions[name].custom:
            called = _variant(ctx, ctx.functions[name], given)
            return (stm.with_expr(replace(call, function=called.name)),)
        case Prim() | Call() | For() | While() | Jvp() | Vjp():
            return (stm,)


def _block(ctx: Context, block: Block, place: int) -> Block:
    return Block(tuple(_apart(ctx, block.stms, block.results[place])), block.results)


def _variant(ctx: Context, function: Function, place: int) -> Function:
    """The function of the program that gives this result of another one so."""

    def make() -> Function:
        name = ctx.names.name(function.name)
        body = _block(ctx, function.body, place)
        ctx.functions[name] = replace(function, name=name, body=body)
        return ctx.functions[name]

    return function.once(("rounded", place), make)


ROUNDED: Mapping[object, Handler] = {rounded: _rounded}
"""Calls whose value is rounded so."""
