"""Library programs that are translated where they are called, as if their text stood there.

Literals stay literals on the way in and out (axes, ranks, modes), and views stay views. A function
of the program, as `specialise` makes of others, would be given numbers for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrograd.errors import CompilerBug
from retrograd.frontend.identity.source import LIBRARY
from retrograd.frontend.syntax.functions import bind_arguments, callee_of
from retrograd.frontend.values.kinds import NONE, UNBOUND, Maybe, Undef, Value
from retrograd.frontend.values.liveness import scope_of
from retrograd.frontend.values.scopes import assign_name
from retrograd.frontend.values.tracer import Frame, PathEnds, Tracer
from retrograd.ir.terms import false, true

__all__ = ["INLINED", "inline"]

INLINED = (f"{LIBRARY}plain.", "retrograd.constructs.random")
"""Where these programs are."""


def inline(t: Tracer, fun: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The value of a call of a library program, whose statements are emitted here."""
    callee = callee_of(t, fun)
    bound = bind_arguments(t, callee, args, kwargs)
    outer, scope = t.frame, scope_of(callee.source)
    # What the caller's expression has evaluated so far stays its own.
    owned = outer.owned | set(t.state.arrays)
    t.frame = Frame(
        callee.source, callee.origin, scope, {name: t.ctx.fresh() for name in sorted(scope.local)},
        {}, t.ctx.fresh(), owned=owned, roots=outer.roots, hidden=outer.hidden, apart=outer.apart,
    )  # fmt: skip
    try:
        for name, value in bound.items():
            assign_name(t, name, value)
        t.ctx.engine.block(t, callee.source.body)
        return _result(t)
    finally:
        t.frame = outer


def _result(t: Tracer) -> Value:
    """What was returned; the caller's path goes on."""
    if t.state.raised:
        raise PathEnds
    ends = t.state.live == true and t.frame.ret not in t.state.cells
    if t.state.live != false and not ends:
        raise CompilerBug(f"{t.frame.source.name} does not return on every path")
    value = NONE if ends else t.state.cells.pop(t.frame.ret, UNBOUND)
    for cell in t.frame.locals.values():
        t.state.cells.pop(cell, None)
    t.state.live = true
    found = value.value if isinstance(value, Maybe) else value
    if isinstance(found, Undef):
        raise PathEnds
    return found
