"""What a called function may raise, for a `try` around the call.

A function of the program is a function of its own, which leaves by an exception. Where a handler
catches that, the function is translated in the place of the call; what cannot be, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrograd.errors import UserError
from retrograd.frontend.syntax.functions import Callee
from retrograd.frontend.syntax.inline import inline_call
from retrograd.frontend.syntax.specialise import call_function
from retrograd.frontend.values.jumps import is_caught
from retrograd.frontend.values.kinds import Value
from retrograd.frontend.values.tracer import Context, PathEnds, Tracer
from retrograd.ir.terms import Block, Prim, Stm
from retrograd.ir.traverse import callees_of, stms_deep
from retrograd.ir.types import F64

__all__ = ["call_in_region", "may_raise", "refuse_escapes"]

_PLACES = ("index", "update", "add_at", "check_index")
_DIVISIONS = ("div", "floordiv", "mod", "pow")
_DOMAINS = ("log", "log2", "log10", "log1p", "sqrt", "asin", "acos")
_ANY = "Exception"
"""Of functions that are not translated yet."""


def _kinds(stm: Stm) -> Iterator[str]:
    """The exceptions that a statement itself may raise where a handler is there for them."""
    expr = stm.expr
    if not isinstance(expr, Prim):
        return
    floats = all(a.type == F64 for a in expr.args)
    if expr.op == "check":
        yield str(expr.param("kind"))
    elif expr.op == "check_extents":
        yield "ValueError"
    elif expr.op in _PLACES:
        yield "IndexError"
    elif expr.op in _DIVISIONS and floats:
        yield "ZeroDivisionError"
    elif expr.op in _DOMAINS and floats:
        yield "ValueError"


def _raised_by(ctx: Context, names: Sequence[str]) -> frozenset[str]:
    """The exceptions that functions of the program may raise, themselves or in what they call."""
    found: set[str] = set()
    seen = set(names)
    waiting = list(names)
    while waiting:
        function = ctx.functions.get(waiting.pop())
        if function is None:
            found.add(_ANY)
            continue
        for stm in stms_deep(function.body):
            found.update(_kinds(stm))
            new = set(callees_of(stm.expr)) - seen
            seen |= new
            waiting += new
    return frozenset(found)


def may_raise(t: Tracer, stms: Sequence[Stm]) -> bool:
    """Whether statements may raise what Python raises as well: ints of 64 bits are no matter."""
    for stm in stms_deep(Block(tuple(stms), ())):
        kinds = {*_kinds(stm), *_raised_by(t.ctx, list(callees_of(stm.expr)))}
        if kinds - {"OverflowError", "MemoryError"}:
            return True
    return False


def _caught_of(t: Tracer, stms: Sequence[Stm]) -> Iterator[tuple[Stm, str]]:
    """The calls among statements, and inside of them, that may raise what a handler catches."""
    for stm in stms_deep(Block(tuple(stms), ())):
        for kind in sorted(_raised_by(t.ctx, list(callees_of(stm.expr)))):
            if is_caught(t, kind):
                yield stm, kind


def refuse_escapes(t: Tracer, stms: Sequence[Stm]) -> None:
    """Refuses calls whose exceptions would not come to the handler that catches them."""
    for stm, kind in _caught_of(t, stms):
        raise UserError(
            "RG0127", f"the function called here may raise {kind.rpartition(':')[2]}, which a "
            "`try` around the call catches", stm.prov.span,
            "catch it in the function itself, or return a flag",
        )  # fmt: skip


def call_in_region(t: Tracer, callee: Callee, bound: dict[str, Value]) -> Value:
    """The value of a call in the body of a `try`."""
    saved, first, builder, stack = t.state.copy(), len(t.b.stms), t.b, len(t.ctx.stack)
    value: Value | None = None
    end: PathEnds | None = None
    try:
        value = call_function(t, callee, list(bound), list(bound.values()))
    except PathEnds as ends:
        end = ends
    except UserError as error:
        if error.python is None or not is_caught(t, error.python.__name__):
            raise
        del t.ctx.stack[stack:]
        for key in [k for k, spec in t.ctx.specs.items() if not spec.done]:
            if t.ctx.specs[key] not in t.ctx.stack:
                del t.ctx.specs[key]
    else:
        if not any(True for _ in _caught_of(t, builder.stms[first:])):
            return value
    if end is not None and not any(True for _ in _caught_of(t, builder.stms[first:])):
        raise end
    del builder.stms[first:]
    t.b, t.state = builder, saved
    return inline_call(t, callee, bound)
