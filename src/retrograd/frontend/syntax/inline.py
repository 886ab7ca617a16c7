"""Library programs that are translated where they are called, as if their text stood there.

Literals stay literals on the way in and out (axes, ranks, modes), and views stay views. A function
of the program, as `specialise` makes of others, would be given numbers for them. Those that are
called several times are functions all the same (`sharing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrograd.errors import CompilerBug
from retrograd.frontend.identity.source import LIBRARY
from retrograd.frontend.syntax.branches import branch
from retrograd.frontend.syntax.functions import Callee, bind_arguments, callee_of
from retrograd.frontend.syntax.sharing import called, key_of, note_expansion
from retrograd.frontend.syntax.specialise import return_none
from retrograd.frontend.values.jumps import settle
from retrograd.frontend.values.kinds import UNBOUND, Closure, Maybe, Undef, Value
from retrograd.frontend.values.liveness import scope_of
from retrograd.frontend.values.objects import captured
from retrograd.frontend.values.scopes import assign_name
from retrograd.frontend.values.tracer import Frame, PathEnds, Tracer
from retrograd.ir.terms import false, true

__all__ = ["INLINED", "inline", "inline_call"]

INLINED = (f"{LIBRARY}plain.", "retrograd.constructs.random")
"""Where these programs are."""


def inline(t: Tracer, fun: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The value of a call of a library program, whose statements are emitted here."""
    callee = callee_of(t, fun)
    bound = bind_arguments(t, callee, args, kwargs)
    if (found := called(t, callee, bound)) is not None:
        return found
    key, before = key_of(t, bound), len(t.b.stms)
    found = inline_call(t, callee, bound)
    note_expansion(t, callee, key, before)
    return found


def inline_call(t: Tracer, callee: Callee, bound: Mapping[str, Value]) -> Value:
    """The value of a call, with the parameters by name; the callee may be a user's function."""
    if callee.source in t.inlined:
        raise t.error(
            "RG0127", f"the recursive function {callee.source.name!r} may raise what a `try` "
            "around its call catches", "catch it in the function itself, or return a flag",
        )  # fmt: skip
    outer, scope = t.frame, scope_of(callee.source)
    # What the caller's expression has evaluated so far stays its own.
    owned = outer.owned | set(t.state.arrays)
    owned_cells = outer.owned_cells | t.ctx.attributes.intersection(t.state.cells)
    t.frame = Frame(
        callee.source, callee.origin, scope, {name: t.ctx.fresh() for name in sorted(scope.local)},
        dict(callee.fun.cells) if isinstance(callee.fun, Closure) else {},
        t.ctx.fresh(), owned=owned, owned_cells=owned_cells, roots=outer.roots,
        hidden=outer.hidden, apart=outer.apart,
    )  # fmt: skip
    t.inlined.append(callee.source)
    try:
        for name, value in bound.items():
            assign_name(t, name, value)
        t.ctx.engine.block(t, callee.source.body)
        if t.state.live != false:
            branch(t, t.state.live, lambda: return_none(t), t.leave, ())
        return _result(t)
    finally:
        t.inlined.pop()
        t.frame = outer


def _result(t: Tracer) -> Value:
    """What was returned; the caller's path goes on."""
    if t.state.raised:
        raise PathEnds
    if t.state.live != false:
        raise CompilerBug(f"{t.frame.source.name} does not return on every path")
    if t.regions and not settle(t):
        raise PathEnds
    value = t.state.cells.pop(t.frame.ret, UNBOUND)
    found = value.value if isinstance(value, Maybe) else value
    for cell in set(t.frame.locals.values()) - _kept(t, found):
        t.state.cells.pop(cell, None)
    t.state.live = true
    if isinstance(found, Undef):
        raise PathEnds
    return found


def _kept(t: Tracer, value: Value) -> set[int]:
    """The variables that functions in a value, and in what these refer to, capture."""
    found: set[int] = set()
    pending = list(captured(value))
    while pending:
        cell = pending.pop()
        if cell not in found:
            found.add(cell)
            pending += captured(t.state.cells.get(cell))
    return found
