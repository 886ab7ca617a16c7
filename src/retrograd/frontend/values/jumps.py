"""Exceptions that a `try` of the same function catches: the path jumps to the handler.

A jump is like `break`: it sets a flag, and nothing runs until the `try` ends. A check in the middle
of an expression *splits* the path: what is translated from there on, up to the end of the block,
stands in a branch that is taken where the check holds; the other branch jumps. So whatever the rest
of the expression does is done only if Python would have done it. `retrograd.frontend.syntax`
closes splits where blocks end (`branches`), and runs the handlers (`catching`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from retrograd.errors import UserError
from retrograd.frontend.values.heads import same_head
from retrograd.frontend.values.kinds import (
    UNDEF,
    Failure,
    Scalar,
    Shown,
    Static,
    Text,
    Value,
    parts,
)  # fmt: skip
from retrograd.frontend.values.liveness import Names
from retrograd.frontend.values.state import Frame, State
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Lit, Param, Params, Prim, Stm, false, ilit, true
from retrograd.messages import class_named
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.prims.extents import demand

__all__ = [
    "MOST_FORMS", "Catch", "Region", "Slot", "Split", "caught", "caught_static", "flags_of",
    "forget_inside", "is_caught", "jump", "jumped", "left", "require", "settle", "split", "stay",
    "with_demands",
]  # fmt: skip


MOST_FORMS = 8
"""How many kinds of exceptions a handler may look at; it is translated for each."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Exceptions of one form that come to a handler.

    `flag` is the variable (a cell) that is true once one has come, and `error` the one that holds
    it, if the handler looks at it.
    """

    flag: int
    error: int | None = None
    form: Failure | None = None


@dataclass(frozen=True, slots=True)
class Catch:
    """A handler: the classes that it catches, and the forms in which they come.

    One that `looks` at exceptions is translated for each form; `wanted` are forms that have no slot
    yet. One that `passes` raises the exception again, and does nothing else.
    """

    classes: tuple[type[BaseException], ...]
    slots: list[Slot]
    looks: bool = False
    passes: bool = False
    wanted: list[Failure] = field(default_factory=list[Failure])

    def slot(self, failure: Failure) -> Slot | None:
        """The slot for an exception."""
        if not self.looks:
            return self.slots[0]
        return next((one for one in self.slots if _alike(failure, one.form)), None)


def _alike(a: Value, b: Value | None) -> bool:
    """Whether two values join: of numbers, and of texts that are known, others of their kind."""
    if isinstance(a, Static | Text) and isinstance(b, Static | Text):
        known = [v.options if isinstance(v, Text) else isinstance(v.obj, str) for v in (a, b)]
        return all(known) or same_head(a, b)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.type == b.type
    if b is None or not same_head(a, b):
        return False
    return all(map(_alike, parts(a), parts(b)))


@dataclass(frozen=True, slots=True)
class Region:
    """The body of a `try` while it is translated.

    `kept` are the names that its handlers, and what comes after, may read; `mark` is the last
    number of before it.
    """

    catches: tuple[Catch, ...]
    frame: Frame
    kept: Names
    mark: int


@dataclass(frozen=True, slots=True)
class Split:
    """A path that has parted inside of a block: builder and state of before, and the other side."""

    cond: Atom
    b: Builder
    state: State
    bad_b: Builder
    bad_state: State
    mark: int


class Lasting(Protocol):
    """What lasts for a whole translation, as far as it matters here."""

    counter: int

    @property
    def prims(self) -> PrimitiveSet: ...
    @property
    def attributes(self) -> set[int]: ...


class Path(Protocol):
    """The part of a `Tracer` that this file works on."""

    b: Builder
    state: State
    regions: list[Region]
    splits: list[Split]

    @property
    def ctx(self) -> Lasting: ...
    def prim(self, op: str, *args: Atom, **params: Param) -> Atom: ...


def caught(t: Path, kind: type[BaseException]) -> tuple[Region, Catch] | None:
    """The handler to which an exception of a class goes; None if it leaves the function.

    What is refused is no exception of the program: no handler of its own catches it.
    """
    if issubclass(kind, UserError):
        return None
    for region in reversed(t.regions):
        for catch in region.catches:
            if issubclass(kind, catch.classes):
                if catch.passes:
                    break
                return region, catch
    return None


def is_caught(t: Path, kind: str) -> bool:
    """Whether a handler catches exceptions of the class of this name."""
    return bool(t.regions) and caught(t, class_named(kind)) is not None


def jump(t: Path, kind: str, failure: Failure | None, message: str = "") -> bool:
    """Ends the path in a jump to the handler of an exception; False if there is none."""
    if not t.regions:
        return False
    cls = class_named(kind)
    found = caught(t, cls)
    if found is None:
        return False
    region, catch = found
    known = Failure(cls, (Static(message),)) if failure is None else replace(failure, cls=cls)
    slot = catch.slot(known)
    if slot is None:
        raise _no_slot(t, catch, known)
    state = t.state
    for name, cell in region.frame.plain_cells():
        if name not in region.kept:
            state.cells[cell] = UNDEF
    forget_inside(t, state, region.mark, keep=True)
    for flag in flags_of(t):
        if not isinstance(state.cells.get(flag), Scalar):
            state.cells[flag] = Scalar(false)
    state.cells[slot.flag] = Scalar(true)
    if slot.error is not None:
        state.cells[slot.error] = known
    state.live = false
    return True


def _no_slot(t: Path, catch: Catch, known: Failure) -> UserError:
    catch.wanted.append(known)
    return UserError(
        "RG0127", f"one handler looks at more than {MOST_FORMS} kinds of exceptions",
        t.b.prov.span, "write a handler for each class",
    )  # fmt: skip


def forget_inside(t: Path, state: State, mark: int, keep: bool = False) -> None:
    """Removes the variables of functions that the path has left, and of expressions.

    With `keep` they fit with anything: another path still has them.
    """
    kept = {cell for one in _slots(t) for cell in (one.flag, one.error)}
    for cell in [c for c in state.cells if c > mark and c not in t.ctx.attributes]:
        if cell in kept:
            continue
        if keep:
            state.cells[cell] = UNDEF
        else:
            del state.cells[cell]


def _slots(t: Path) -> Iterator[Slot]:
    for region in t.regions:
        for catch in region.catches:
            yield from catch.slots


def flags_of(t: Path) -> Iterator[int]:
    """The variables that tell whether a path has jumped to a handler."""
    return (one.flag for one in _slots(t))


def left(t: Path, state: State) -> Atom:
    """Whether a path has jumped to a handler."""
    found: Atom = false
    for own in flags_of(t):
        value = state.cells.get(own)
        flag = value.atom if isinstance(value, Scalar) else false
        if flag == true or found == true:
            found = true
        elif flag != false:
            found = flag if found == false else t.prim("or_", found, flag)
    return found


def jumped(t: Path) -> bool:
    """Whether the present path has certainly jumped."""
    cells = t.state.cells
    return any(cells.get(flag) == Scalar(true) for flag in flags_of(t))


def stay(t: Path) -> None:
    """Records that the present path has not jumped."""
    for flag in flags_of(t):
        if flag in t.state.cells:
            t.state.cells[flag] = Scalar(false)


def split(t: Path, cond: Atom, bad: Callable[[], None]) -> None:
    """Goes on where `cond` holds; `bad` is what happens elsewhere, and ends that path."""
    outer, entry, mark = t.b, t.state, t.ctx.counter
    t.b, t.state = outer.inner(), entry.copy()
    bad()
    bad_b, bad_state = t.b, t.state
    t.b, t.state = outer.inner(), entry.copy()
    t.splits.append(Split(cond, outer, entry, bad_b, bad_state, mark))


def settle(t: Path) -> bool:
    """Goes on where no jump has happened on the way here; False if one has on every path."""
    gone = left(t, t.state)
    if gone == false:
        return True
    if gone == true:
        return False

    def bad() -> None:
        forget_inside(t, t.state, t.regions[-1].mark, keep=True)
        t.state.live = false

    split(t, t.prim("not_", gone), bad)
    t.state.live = true
    stay(t)
    return True


def require(t: Path, cond: Atom, kind: str, failure: Failure) -> bool:
    """Jumps to a handler unless `cond` holds; False if it never does."""
    if isinstance(cond, Lit):
        return bool(cond.value) or not jump(t, kind, failure)
    split(t, cond, lambda: _must(jump(t, kind, failure)))
    return True


def _must(done: bool) -> None:
    assert done


def caught_static(t: Path, error: UserError) -> bool:
    """Whether what is refused is an error in Python as well, for which there is a handler.

    Then the path has jumped there.
    """
    if error.python is None or not t.regions:
        return False
    return jump(t, error.python.__name__, None, error.message)


# Primitives that may raise.


def with_demands(t: Path, op: str, args: tuple[Atom, ...], params: Params) -> bool:
    """Emits what a primitive demands; what a handler catches is tested before. False: it fails."""
    scratch = t.b.inner()
    demand(scratch, t.ctx.prims, op, args, params)
    for stm in scratch.stms:
        if not _tested(t, stm):
            return False
    effect = t.ctx.prims[op].effect
    if effect is Effect.CHECK and ("checked", False) not in params:
        return _places_inside(t, op, args)
    return True


def _tested(t: Path, stm: Stm) -> bool:
    """Emits a statement, with a jump instead of an exception that a handler catches."""
    check = stm.expr
    assert isinstance(check, Prim)
    if check.op == "check" and is_caught(t, str(check.param("kind"))):
        kind, text = str(check.param("kind")), Static(str(check.param("message")))
        return require(t, check.args[0], kind, Failure(ValueError, (text,)))
    if check.op == "check_extents" and is_caught(t, "ValueError"):
        m, n = check.args
        good = t.prim("eq", m, n)
        for extent in {"fit": (m, n), "stretch": (m,), "same": ()}[str(check.param("how"))]:
            good = t.prim("or_", good, t.prim("eq", extent, ilit(1)))
        told = _filled(str(check.param("message")), m, n)
        if not require(t, good, "ValueError", Failure(ValueError, (told,))):
            return False
    t.b.stms.append(stm)
    return True


def _filled(message: str, m: Atom, n: Atom) -> Value:
    """A message about two extents."""
    pieces: list[str | Shown] = []
    for k, part in enumerate(message.replace("{1}", "{0}").split("{0}")):
        if k:
            pieces.append(Shown("str", "", Scalar(m if k == 1 else n)))
        pieces.append(part)
    return Text(tuple(pieces))


def _places_inside(t: Path, op: str, args: tuple[Atom, ...]) -> bool:
    """Tests the indices of an access, where a handler catches IndexError."""
    if not is_caught(t, "IndexError"):
        return True
    match op:
        case "index":
            array, places = args[0], args[1:]
        case "update" | "add_at":
            array, places = args[0], args[2:]
        case "check_index":
            return _inside(t, args[0], args[1], 0)
        case _:
            return True
    return all(_inside(t, i, t.prim("dim", array, axis=k), k) for k, i in enumerate(places))


def _inside(t: Path, index: Atom, extent: Atom, axis: int) -> bool:
    below = t.prim("lt", index, extent)
    good = t.prim("and_", t.prim("ge", index, ilit(0)), below)
    told = t.prim("select", t.prim("lt", index, ilit(0)), t.prim("sub", index, extent), index)
    shown = [Shown("str", "", Scalar(atom)) for atom in (told, extent)]
    text = Text(("index ", shown[0], f" is out of bounds for axis {axis} with size ", shown[1]))
    return require(t, good, "IndexError", Failure(IndexError, (text,)))
