"""Refusals of the run: of what a program only does where it gets to a place."""

from __future__ import annotations

from retrograd.errors import UserError
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, true
from retrograd.messages import kind_of

__all__ = ["refuse_unless"]


def refuse_unless(t: Tracer, holds: Atom, code: str, what: str, way_out: str) -> None:
    """Refuses the run where it does not hold; no handler of the program catches that."""
    if holds == true:
        return
    kind = kind_of(UserError)
    assert kind is not None
    texts = (("", "literal", code), ("", "literal", what), ("way_out", "literal", way_out))
    t.b.effect("check", holds, kind=kind, message=texts, span=t.span)
