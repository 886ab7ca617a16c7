"""Letters and parts of texts, at places of the program or of the run."""

from __future__ import annotations

import ast

from retrograd.frontend.library.text_options import part_between
from retrograd.frontend.library.texts import part_of_text
from retrograd.frontend.syntax.index_entries import bounds_of
from retrograd.frontend.syntax.picking import letter
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.kinds import Static, Text, Value
from retrograd.frontend.values.tracer import Tracer

__all__ = ["item_of_text"]


def item_of_text(t: Tracer, value: Static | Text, index: ast.expr) -> Value:
    """A letter or part of a text."""
    if not isinstance(index, ast.Slice):
        at = t.eval(index)
        found = letter(t, value, at)
        return part_of_text(t, value, known_int(t, at)) if found is None else found
    bounds = bounds_of(t, index)
    known = [None if one is None else known_int(t, one) for one in bounds]
    if all(k is not None or one is None for k, one in zip(known, bounds, strict=True)):
        return part_of_text(t, value, slice(*known))
    part = None
    if isinstance(value, Static) and bounds[2] is None:
        part = part_between(t, str(value.obj), bounds[0], bounds[1])
    return part_of_text(t, value, None) if part is None else part
