"""Calls of functions that call a user's function in other numbers than the library's own do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from retrograd.frontend.library.output import is_loud
from retrograd.frontend.values.kinds import Static, Value
from retrograd.frontend.values.tracer import Tracer

__all__ = ["called_quietly"]


def called_quietly(
    t: Tracer,
    what: str,
    program: Callable[..., Any],
    args: Sequence[Value],
    passed: Mapping[str, Value],
    way_out: str,
    kind: str | None = None,
) -> Value:
    """A call of a program; refused if what it is made of prints (or shows what is of a `kind`)."""
    outer, first, count = t.b, len(t.b.stms), len(t.splits)
    made = t.call(Static(program), args, passed)
    builders = {id(b): b for b in (*(one.b for one in t.splits[count:]), t.b)}
    builders.pop(id(outer), None)
    stms = [*outer.stms[first:], *(stm for b in builders.values() for stm in b.stms)]
    if is_loud(t, stms, kind):
        raise t.error("RG0128", f"{what} of a function that prints", way_out)
    return made
