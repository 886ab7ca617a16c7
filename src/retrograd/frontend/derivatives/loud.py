"""Derivatives, inside of a program, of functions that print: the function itself is called before.

The derivative is made of the function without its output (`retrograd.transforms.silence`).
"""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.frontend.values.tracer import Context, Tracer
from retrograd.ir.terms import Atom, Call, Prim
from retrograd.ir.traverse import callees_of, stms_deep

__all__ = ["say_first"]


def say_first(t: Tracer, name: str, atoms: Sequence[Atom]) -> None:
    """Calls a function for what it shows, if it shows something; on copies of its arrays."""
    if not _is_loud(t.ctx, name):
        return
    copies = tuple(a if a.type.is_scalar else t.prim("copy", a) for a in atoms)
    t.b.bind(Call(name, copies), t.ctx.functions[name].result_types, "shown")


def _is_loud(ctx: Context, name: str) -> bool:
    seen, waiting = {name}, [name]
    while waiting:
        function = ctx.functions.get(waiting.pop())
        for stm in stms_deep(function.body) if function is not None else ():
            if isinstance(stm.expr, Prim) and stm.expr.op == "output":
                return True
            new = set(callees_of(stm.expr)) - seen
            seen |= new
            waiting += new
    return False
