"""What is refused, where the program may never come: the path where it is ends with it.

What is an error in Python as well ends the path in the body of a `try` with a handler for it, and
where it is assumed of which kind a value is: what a statement does with that kind may be in a
branch that is never taken. Whatever else is refused on a side of a branch ends that path where the
program cannot be translated otherwise (`Way.refuses`): it is refused when the program gets there.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from retrograd.errors import UserError
from retrograd.frontend.syntax.trial import Saved, Unfinished
from retrograd.frontend.values.jumps import caught_static
from retrograd.frontend.values.seen import Seen
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import false
from retrograd.messages import kind_of

__all__ = ["ends_path", "place_before", "refuse_there"]


_WITHOUT_END = "RG0115"
"""What a function that differentiates itself is refused by: levels above the last one work, but it
takes long to make them all."""


@dataclass(frozen=True, slots=True)
class _Before:
    """A place of a translation, as far as is needed to end the path there.

    `saved` is there where the program may be refused when it gets there.
    """

    unfinished: Unfinished
    saved: Saved | None
    kinds_known: int
    consumed: tuple[ast.AST | None, object]
    ahead: list[Seen] | None


def place_before(t: Tracer) -> _Before | None:
    """What `ends_path` needs of before."""
    refuses = bool(t.ctx.way.refuses and t.conditional)
    if not refuses and not t.kinds_known:
        return None
    saved = Saved.of(t) if refuses else None
    return _Before(Unfinished.of(t.ctx), saved, t.kinds_known, t.consumed, t.ahead)


def ends_path(t: Tracer, error: UserError, before: _Before | None) -> bool:
    """Whether the path ends with the error; otherwise it is the user's to mend."""
    if caught_static(t, error):
        return True
    if error.python is not None and t.kinds_known and before is not None:
        before.unfinished.restore(t.ctx)
        t.kind_errors.append(error)
        t.stop(error.python.__name__, error.message)
        return True
    t.ctx.passable |= bool(t.conditional) and error.code != _WITHOUT_END
    if before is None or before.saved is None or error.span not in t.ctx.way.refuses:
        return False
    before.saved.restore(t)
    t.kinds_known, t.consumed, t.ahead = before.kinds_known, before.consumed, before.ahead
    refuse_there(t, error)
    return True


def refuse_there(t: Tracer, error: UserError) -> None:
    """Ends the path: the program is refused when it gets here."""
    kind = kind_of(UserError)
    assert kind is not None
    way_out = () if error.way_out is None else (("way_out", "literal", error.way_out),)
    message = (("", "literal", error.code), ("", "literal", error.message), *way_out)
    t.b.effect("check", false, kind=kind, message=message, span=error.span)
    t.end_path()
    t.state.refused = error
