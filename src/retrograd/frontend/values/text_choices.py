"""Texts that depend on the path: which of several it is, as an index."""

from __future__ import annotations

from retrograd.errors import UserError
from retrograd.frontend.values.kinds import LOST, Scalar, Static, Text, Value, parts
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, ilit

__all__ = ["carried", "choice", "is_text", "lost", "not_kept", "options_of"]


def is_text(value: Value) -> bool:
    """Whether a value is a text."""
    return isinstance(value, Text) or (isinstance(value, Static) and isinstance(value.obj, str))


def options_of(value: Value) -> tuple[str, ...] | None:
    """The texts that a text may be, if they are known."""
    if isinstance(value, Text):
        return value.options
    return (value.obj,) if isinstance(value, Static) and isinstance(value.obj, str) else None


def carried(t: Tracer, value: Value) -> tuple[str, ...] | None:
    """The texts that a text may be where paths meet, and in lists; None if it cannot be there.

    A text that shows numbers of the run is not kept then, if the program is translated so.
    """
    if not isinstance(value, Text):
        return options_of(value)
    if value.carried is None and not t.ctx.way.loses:
        t.ctx.lost = True
        return None
    return value.carried or (LOST,)


def lost() -> Text:
    """A text that is not kept."""
    return Text.of_options((LOST,), Scalar(ilit(0)))


def not_kept(t: Tracer) -> UserError:
    """The refusal of what depends on texts that are not kept."""
    return t.error(
        "RG0126", "what is done depends on a text that shows numbers of the run",
        "ask the numbers that it shows",
    )  # fmt: skip


def choice(t: Tracer, value: Static | Text, h: Text) -> Atom:
    """The index of a text among those of `h`."""
    own = (value.carried or (LOST,)) if isinstance(value, Text) else options_of(value)
    every = h.carried
    assert own is not None
    assert every is not None
    places = [ilit(every.index(text)) for text in own]
    found: Atom = places[0]
    index = parts(value)
    for k, place in enumerate(places[1:], 1):
        assert isinstance(index[0], Scalar)
        here = t.prim("eq", index[0].atom, ilit(k))
        found = t.prim("select", here, place, found)
    return found
