"""Loops whose first iteration stands apart.

A name that is another name of an array before a loop, and of which every iteration makes a new
array (`x = x + dx`), is either of the two inside of it: a write to it would change an array of
somebody else, or not. With the first iteration apart it is the other array there, and in the loop
one of its own. After a loop that may have no iterations it is either of the two again; where that
cannot be translated, the program is refused when such a loop has none (`Way.peels` is 2 then).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace

from retrograd.frontend.syntax.assume import assume
from retrograd.frontend.syntax.branches import branch, close_splits, prune
from retrograd.frontend.syntax.exits import continues_in_try
from retrograd.frontend.syntax.loops import Loop
from retrograd.frontend.syntax.static_errors import refuse_there
from retrograd.frontend.values.kinds import ArrayRef, Scalar, locations
from retrograd.frontend.values.scalars import logical_not
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.ir.terms import Atom, false, ilit

__all__ = ["Then", "run_apart", "run_then"]

Run = Callable[[Tracer, Loop], Atom]


class Then(ast.stmt):
    """What stands after a body and is no statement of the program: more iterations."""

    run: Callable[[], None]


def run_then(_: Tracer, stm: Then) -> None:
    """Translates it."""
    stm.run()


def run_apart(t: Tracer, stm: ast.For | ast.While, loop: Loop, run: Run) -> Atom:
    """`run` of a loop, the first iteration before it if need be; whether it was left by `break`."""
    # What runs from a `continue` in a `try` on would be part of the `try`.
    whole = loop.strips is not None or continues_in_try(stm.body)
    if whole or not _has_second_names(t, loop):
        return run(t, loop)
    t.ctx.peelable = True
    return _peeled(t, stm, loop, run) if t.ctx.way.peels else run(t, loop)


def _has_second_names(t: Tracer, loop: Loop) -> bool:
    """Whether a name that the loop assigns is one of several for an array before it."""
    prune(t, t.state, loop.live)
    held = t.state.cells
    assigned = {t.frame.locals.get(name) for name in loop.assigned}
    kept = set(t.frame.owned)
    for root in t.frame.roots:
        kept |= set(locations(root))
    seen: set[int] = set()
    for value in held.values():
        found = set(locations(value))
        kept |= seen & found
        seen |= found
    return any(
        isinstance(value, ArrayRef) and value.loc in kept
        for cell, value in held.items()
        if cell in assigned
    )


def _peeled(t: Tracer, stm: ast.For | ast.While, loop: Loop, run: Run) -> Atom:
    if loop.trips is not None:
        go = t.prim("lt", ilit(0), loop.trips)
    else:
        assert loop.test is not None
        go = loop.test()
    first = _First(t, stm, loop, run, t.ctx.fresh())
    t.state.cells[first.left] = Scalar(false)

    def skip() -> None:
        if t.ctx.way.peels > 1:
            error = t.error(
                "RG0106", "a loop has no iterations, after which a name stands for another array",
                "take a copy where the two names meet: x.copy()",
            )  # fmt: skip
            refuse_there(t, error)

    branch(t, go, first.translate, skip)
    flag = t.state.cells.pop(first.left)
    assert isinstance(flag, Scalar)
    return flag.atom


@dataclass(frozen=True, slots=True)
class _First:
    """The first iteration, and the others after it, on each path to its end or to a `continue`:
    there it is known what names stand for.

    The cell `left` says whether the loop has been left by `break`.
    """

    t: Tracer
    stm: ast.For | ast.While
    loop: Loop
    run: Run
    left: int

    def translate(self) -> None:
        t, brk, count = self.t, self.t.ctx.fresh(), len(self.t.splits)
        t.frame.brk.append(brk)
        t.frame.others[brk] = self.others
        t.state.cells[brk] = Scalar(false)
        try:
            if self.loop.bind is not None:
                self.loop.bind(Scalar(ilit(0), True))
            if isinstance(self.stm, ast.While):
                assume(t, self.stm.test, True)
            then = ast.copy_location(Then(), self.stm)
            then.run = self.others
            t.ctx.engine.block(t, [*self.stm.body, then])
        except PathEnds as ends:
            t.end_path(ends.error)
        close_splits(t, count)
        del t.frame.others[t.frame.brk.pop()]
        broken = self._flag(brk)
        t.state.cells.pop(brk, None)
        if t.state.raised:
            return
        left = self._flag(self.left)
        either = broken if left == false else t.prim("or_", left, broken)
        t.state.cells[self.left] = Scalar(left if broken == false else either)
        t.state.live = logical_not(t, t.returned())

    def others(self) -> None:
        """The other iterations."""
        t = self.t
        t.state.cells[self.left] = Scalar(self.run(t, _later(t, self.loop)))

    def _flag(self, cell: int) -> Atom:
        value = self.t.state.cells.get(cell)
        return value.atom if isinstance(value, Scalar) else false


def _later(t: Tracer, loop: Loop) -> Loop:
    """The iterations after the first."""
    trips, bind = loop.trips, loop.bind
    if trips is None or bind is None:
        return loop

    def bind_next(index: Scalar) -> None:
        bind(Scalar(t.prim("add", index.atom, ilit(1)), True))

    return replace(loop, trips=t.prim("sub", trips, ilit(1)), bind=bind_next)
