"""Lists as they are written, with parts of a length that is known at run time only."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from retrograd.frontend.syntax.lists import append, extend
from retrograd.frontend.values.kinds import Instance, Value
from retrograd.frontend.values.lists import list_of
from retrograd.frontend.values.tracer import NeedLists, Tracer

__all__ = ["joined"]


def joined(t: Tracer, first: Sequence[Value], value: Value, rest: Sequence[ast.expr]) -> Instance:
    """`[first, *value, rest]`; the rest may have other such parts."""
    if not t.ctx.way.lists or t.frame.origin.ours:
        raise NeedLists
    made = list_of(t, first)
    t.frame.roots.append(made)
    extend(t, made, value)
    for element in rest:
        if isinstance(element, ast.Starred):
            extend(t, made, t.eval(element.value))
        else:
            append(t, made, t.eval(element))
    t.frame.roots.pop()
    return made
