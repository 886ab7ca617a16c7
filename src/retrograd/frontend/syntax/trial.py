"""Translations that are tried: what is refused leaves nothing behind, and is done another way."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from retrograd.errors import UserError
from retrograd.frontend.identity.source import FunctionSource
from retrograd.frontend.values.tracer import Context, Frame, State, Tracer
from retrograd.ir.build import Builder

__all__ = ["Saved", "Unfinished", "forget", "tried", "with_literals"]

_DECIDED = (
    "RG0101", "RG0104", "RG0106", "RG0107", "RG0109", "RG0110", "RG0111", "RG0113", "RG0123",
)  # fmt: skip
"""Refusals of what a literal int may decide."""

_DEEPEST = 16
_MOST = 64

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What a translation has not finished yet, as it is before something is tried."""

    pending: int
    stack: int
    marks: tuple[tuple[Any, bool, frozenset[Any]], ...]

    @classmethod
    def of(cls, ctx: Context) -> Unfinished:
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


@dataclass(frozen=True, slots=True)
class Saved:
    """A place of a translation to which it can go back: what has been done since is forgotten."""

    builder: Builder
    state: State
    statements: int
    splits: int
    kind_errors: int
    frame: Frame
    unfinished: Unfinished

    @classmethod
    def of(cls, t: Tracer) -> Saved:
        """The present place."""
        own = t.frame
        frame = replace(
            own, locals=dict(own.locals), owned=set(own.owned), apart=set(own.apart),
            brk=list(own.brk), roots=list(own.roots),
        )  # fmt: skip
        counts = len(t.b.stms), len(t.splits), len(t.kind_errors)
        return cls(t.b, t.state.copy(), *counts, frame, Unfinished.of(t.ctx))

    def restore(self, t: Tracer) -> None:
        """Goes back; the place is used up by it."""
        del t.splits[self.splits :], t.kind_errors[self.kind_errors :]
        del self.builder.stms[self.statements :]
        t.b, t.state = self.builder, self.state
        frame, saved = t.frame, self.frame
        frame.owned, frame.brk, frame.roots = saved.owned, saved.brk, saved.roots
        frame.apart.intersection_update(saved.apart)
        frame.locals.clear()
        frame.locals.update(saved.locals)
        self.unfinished.restore(t.ctx)


def tried(t: Tracer, run: Callable[[], None], codes: Collection[str]) -> UserError | None:
    """Translates a part of the program; gives the error where it is refused with one of `codes`.

    Then the state, the statements and the unfinished functions are those of before.
    """
    saved = Saved.of(t)
    try:
        run()
    except UserError as error:
        if error.code not in codes:
            raise
        saved.restore(t)
        return error
    return None


def with_literals(
    t: Tracer, source: FunctionSource, run: Callable[[bool], T], *, first: bool = False
) -> T:
    """What `run` gives of a call with numbers for literal ints in the arguments, or with these.

    So sizes do not become part of a function without need. `run` is told whether to keep literals,
    as it does `first` only where that is asked for. At most 16 functions inside one another, and 64
    in all, are tried with literals for one function: else a recursion would be unfolded without
    end.
    """
    if first and (found := _kept(t, source, run)) is not None:
        return found[0]
    ctx = t.ctx
    unfinished, keyed = Unfinished.of(ctx), set(ctx.keyed)
    try:
        return run(False)
    except UserError as error:
        if error.code not in _DECIDED:
            raise
        told = error
    unfinished.restore(ctx)
    noted, ctx.keyed, given = ctx.keyed, keyed, False
    try:
        found = None if first else _kept(t, source, run, told)
        given = found is not None  # with literals, the keys that are noted are known
    finally:
        if not given:
            ctx.keyed |= noted
    if found is None:
        raise told
    return found[0]


def _kept(
    t: Tracer, source: FunctionSource, run: Callable[[bool], T], told: UserError | None = None
) -> tuple[T] | None:
    """What `run` gives of a call with literals; None where it is refused.

    `told` is the error without literals, which is the one to tell unless it only says that an int
    has to be known.
    """
    ctx = t.ctx
    deep = sum(spec.literal and spec.source is source for spec in ctx.stack)
    made = ctx.variants.get(source, 0)
    if deep >= _DEEPEST or made >= _MOST:
        return None
    ctx.variants[source] = made + 1
    unfinished = Unfinished.of(ctx)
    try:
        return (run(True),)
    except UserError as error:
        unfinished.restore(ctx)
        if told is not None and told.code == "RG0113" and error.code != "RG0113":
            raise  # the int is known there: what is refused is something else
    return None
