"""Translations that are tried: what is refused leaves nothing behind, and is done another way."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeVar

from retrograd.errors import UserError
from retrograd.frontend.identity.source import FunctionSource
from retrograd.frontend.values.tracer import Context, Tracer

__all__ = ["forget", "tried", "with_literals"]

_DECIDED = (
    "RG0101", "RG0104", "RG0106", "RG0107", "RG0109", "RG0110", "RG0113", "RG0123",
)  # fmt: skip
"""Refusals of what a literal int may decide."""

_DEEPEST = 16
_MOST = 64

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Unfinished:
    """What a translation has not finished yet, as it is before something is tried."""

    pending: int
    stack: int
    marks: tuple[tuple[Any, bool, frozenset[Any]], ...]

    @classmethod
    def of(cls, ctx: Context) -> _Unfinished:
        """The present state of what is unfinished."""
        marks = tuple((spec, spec.consulted, frozenset(spec.uses)) for spec in ctx.stack)
        return cls(len(ctx.pending), len(ctx.stack), marks)

    def restore(self, ctx: Context) -> None:
        """Forgets what has been begun since, and the functions that rely on it."""
        del ctx.pending[self.pending :], ctx.stack[self.stack :]
        for spec, consulted, uses in self.marks:
            spec.consulted, spec.uses = consulted, set(uses)
        known = {id(spec) for spec in ctx.stack}
        forget(ctx, {k for k, s in ctx.specs.items() if not s.done and id(s) not in known})


def forget(ctx: Context, keys: Collection[Any]) -> None:
    """Removes functions whose translation was given up, and those that rely on them."""
    gone, active = set(keys), {spec.key for spec in ctx.stack}
    relying = {k for k, spec in ctx.specs.items() if not gone.isdisjoint(spec.uses)}
    for key in gone | (relying - active):
        ctx.specs.pop(key, None)


def tried(t: Tracer, run: Callable[[], None], codes: Collection[str]) -> UserError | None:
    """Translates a part of the program; gives the error where it is refused with one of `codes`.

    Then the state, the statements and the unfinished functions are those of before.
    """
    frame, builder = t.frame, t.b
    saved, unfinished = t.state.copy(), _Unfinished.of(t.ctx)
    statements, apart = len(t.b.stms), set(frame.apart)
    owned, names = set(frame.owned), dict(frame.locals)
    flags, roots, splits = list(frame.brk), list(frame.roots), len(t.splits)
    try:
        run()
    except UserError as error:
        if error.code not in codes:
            raise
        del t.splits[splits:], builder.stms[statements:]
        t.b, t.state = builder, saved
        frame.owned, frame.brk, frame.roots = owned, flags, roots
        frame.apart.intersection_update(apart)
        frame.locals.clear()
        frame.locals.update(names)
        unfinished.restore(t.ctx)
        return error
    return None


def with_literals(t: Tracer, source: FunctionSource, run: Callable[[bool], T]) -> T:
    """What `run` gives of a call with numbers for literal ints in the arguments, or with these.

    So sizes do not become part of a function without need. `run` is told whether to keep literals;
    the error is that without them, unless it only says that an int has to be known. At most 16
    functions inside one another, and 64 in all, are tried with literals for one function: else a
    recursion would be unfolded without end.
    """
    ctx = t.ctx
    unfinished = _Unfinished.of(ctx)
    try:
        return run(False)
    except UserError as error:
        if error.code not in _DECIDED:
            raise
        first = error
    unfinished.restore(ctx)
    deep = sum(spec.literal and spec.source is source for spec in ctx.stack)
    made = ctx.variants.get(source, 0)
    if deep >= _DEEPEST or made >= _MOST:
        raise first
    ctx.variants[source] = made + 1
    try:
        return run(True)
    except UserError as error:
        unfinished.restore(ctx)
        if first.code == "RG0113" and error.code != "RG0113":
            raise  # the int is known there: what is refused is something else
    raise first
