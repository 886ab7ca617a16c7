"""Texts that depend on the path: which of several it is, as an index."""

from __future__ import annotations

from retrograd.frontend.values.kinds import Scalar, Static, Text, Value, parts
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, ilit

__all__ = ["choice", "is_text", "options_of"]


def is_text(value: Value) -> bool:
    """Whether a value is a text."""
    return isinstance(value, Text) or (isinstance(value, Static) and isinstance(value.obj, str))


def options_of(value: Value) -> tuple[str, ...] | None:
    """The texts that a text may be, if they are known."""
    if isinstance(value, Text):
        return value.options
    return (value.obj,) if isinstance(value, Static) and isinstance(value.obj, str) else None


def choice(t: Tracer, value: Static | Text, h: Text) -> Atom:
    """The index of a text among those of `h`."""
    own, every = options_of(value), h.options
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
