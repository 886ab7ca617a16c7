"""Carried arrays: a loop body that is run forward again in the reverse sweep.

A body that overwrites an array in inner loops would record every element that it overwrites. Where
that is more than the array itself, the body becomes a function whose calls are *rematerialised*:
the forward sweep records the body's inputs only; the reverse sweep runs it again, recording, and
then backwards. What the body only writes is no input. On a nest of loops this is done once, so that
no body is run more than once more: at the innermost loop that gains, or further outside where that
spares more than the tape of the longer body takes, which is there for one body at a time and stays
in a cache. Extents
are unknown when this is decided: every loop and every axis counts as `Costs.extent`.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Call, For, Function, Prim, Prov, Stm, Var, While
from retrograd.ir.traverse import binders, free_vars, free_vars_expr
from retrograd.prims.costs import Costs
from retrograd.transforms.ad.vjp.shaping import ShapeTable

__all__ = [
    "Outlined", "gains_by_carrying", "input_words", "outline_body", "overwritten_first",
]  # fmt: skip


def gains_by_carrying(inputs: float, recorded: float, costs: Costs) -> bool:
    """Whether recording inputs takes clearly less than what is recorded otherwise, in words."""
    return recorded > costs.rerun_gain * inputs + costs.rerun_margin


def input_words(expr: For | While, read: Container[Var], shapes: ShapeTable, costs: Costs) -> float:
    """Words of the inputs of a body that is run again.

    Those are the carried values that are `read` for what it records: an array that it only fills is
    none.
    """
    found = [v for v in expr.carried if v in read and not overwritten_first(expr.body, v, shapes)]
    return sum(costs.extent**v.type.rank for v in found)


def overwritten_first(block: Block, array: Var, shapes: ShapeTable) -> bool:
    """Whether a block overwrites every element of a rank-1 array before it reads any.

    Seen where the only mention of the array is a counted loop over its whole extent that updates it
    at the loop index and reads it nowhere.
    """
    users = [s for s in block.stms if array in free_vars_expr(s.expr)]
    if len(users) != 1 or array in block.results or not isinstance(users[0].expr, For):
        return False
    loop = users[0].expr
    if loop.inits.count(array) != 1 or array in free_vars(loop.body):
        return False
    position = loop.inits.index(array)
    inner = loop.carried[position]
    if not shapes.spans(loop.trips, array):
        return False
    uses = [s for s in loop.body.stms if inner in free_vars_expr(s.expr)]
    if len(uses) != 1 or inner in loop.body.results:
        return False
    match uses[0].expr:
        case Prim(op="update", args=(base, value, index)):
            written = uses[0].outs[0]
            again = any(written in free_vars_expr(s.expr) for s in loop.body.stms)
            whole = base == inner and value != inner and index == loop.index
            return whole and not again and loop.body.results[position] == written
        case _:
            return False


@dataclass(frozen=True, slots=True)
class Outlined:
    """The body as a function, and the loop that calls it."""

    function: Function
    loop: For | While
    outs: tuple[Var, ...]


def outline_body(expr: For | While, names: NameSupply, hint: str, prov: Prov) -> Outlined:
    """Moves the body of a loop to a function of its binders and free variables."""
    params = dict.fromkeys(binders(expr))
    params.update(free_vars(expr.body))
    name = names.name(f"{hint}_body")
    function = Function(name, tuple(params), expr.body, None, prov)
    outs = tuple(names.var("next", a.type) for a in expr.body.results)
    call = Stm(outs, Call(name, tuple(params)), prov)
    return Outlined(function, replace(expr, body=Block((call,), outs)), outs)
