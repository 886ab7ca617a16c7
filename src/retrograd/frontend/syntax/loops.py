"""Loops: what they carry is found by translating the body again until nothing changes.

The first guess is syntactic (names assigned, arrays written). Each attempt widens it by what the
body's end shows: an int that became a float, a name that is unbound at first, an array that was
rebound. A `for` without `break` and `return` becomes a counted `For`; the others become a `While`
that carries the index and flags.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from retrograd.errors import Span
from retrograd.frontend.syntax.branches import branch, close_splits, join, prune, start, trace_arm
from retrograd.frontend.syntax.carried_extents import CarriedExtents
from retrograd.frontend.syntax.loop_tests import changes, still_alive
from retrograd.frontend.syntax.strips import Strips
from retrograd.frontend.values.globals import joined
from retrograd.frontend.values.jumps import left
from retrograd.frontend.values.kinds import (
    UNBOUND,
    UNDEF,
    ArrayRef,
    Maybe,
    Scalar,
    Undef,
    Value,
    hole,
    locations,
)  # fmt: skip
from retrograd.frontend.values.liveness import Names
from retrograd.frontend.values.merge import Merge
from retrograd.frontend.values.object_rows import unsettled
from retrograd.frontend.values.objects import living, names_of
from retrograd.frontend.values.orders import order_of
from retrograd.frontend.values.scalars import logical_not
from retrograd.frontend.values.tracer import PathEnds, State, Tracer
from retrograd.frontend.values.varying_shapes import bend
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, For, Lit, Stm, Var, While, false, ilit, true
from retrograd.ir.types import BOOL, I64

__all__ = ["Exchange", "Loop", "run_loop"]

_ATTEMPTS = 12


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop to translate.

    A counted one has `trips` and `bind`, which assigns the loop's names for an index; any loop may
    have a `test`. `breaks` and `returns` say that it contains its own `break`, or `return`; `ends`
    that something happens only where the test fails (`else`). `strips`: how it is divided.
    `exchanges`: `Exchange` is raised where its body exchanges the names of arrays.
    """

    body: Callable[[], None]
    assigned: Names
    written: Names
    live: Names | None = None
    trips: Atom | None = None
    bind: Callable[[Scalar], None] | None = None
    test: Callable[[], Atom] | None = None
    breaks: bool = False
    returns: bool = False
    ends: bool = False
    strips: Strips | None = None
    exchanges: bool = False

    @property
    def counted(self) -> bool:
        return self.trips is not None and not self.breaks and not self.returns


@dataclass(slots=True)
class _Carried:
    """The assumption of an attempt: what the loop carries, which arrays may be aliases, and the
    extents of which change (`bending`)."""

    cells: dict[int, Value] = field(default_factory=dict[int, Value])
    arrays: list[int] = field(default_factory=list[int])
    stale: dict[int, Span | None] = field(default_factory=dict[int, Span | None])
    links: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    extents: CarriedExtents = field(default_factory=CarriedExtents)
    bending: set[int] = field(default_factory=set[int])

    def bent(self, header: State) -> frozenset[Var]:
        found = (header.arrays.get(loc) for loc in self.bending)
        return frozenset(one for one in found if isinstance(one, Var))


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One translation of the body: header variables, condition and body."""

    index: Var
    variables: list[Var]
    cond: Builder
    go: Atom
    endless: bool
    body: Builder
    header: State
    end: State


class _Again(Exception):
    """The assumption of this attempt was too narrow; it has been widened."""


class _Leaves(Exception):
    """The body may jump to a handler outside of the loop, which is like a `return`."""


class Exchange(Exception):
    """After so many iterations, not earlier, each name has the array again that it had before."""

    def __init__(self, order: int) -> None:
        super().__init__(order)
        self.order = order


class _Rotate(Exception):
    """The condition changes variables or arrays, so it has to be part of the body."""


def run_loop(t: Tracer, loop: Loop) -> Atom:
    """Translates a loop; the state becomes that after it. Gives whether it was left by `break`."""
    depth, pending = len(t.frame.brk), len(t.ctx.pending)
    while True:
        try:
            return _run(t, loop)
        except _Rotate:
            rotates = True
        except _Leaves:
            rotates, loop = False, _leaving(t, loop)
        t.state.cells.pop(t.frame.brk[depth], None)
        del t.frame.brk[depth:], t.ctx.pending[pending:]
        if rotates:
            return _run_rotated(t, loop)


def _leaving(t: Tracer, loop: Loop) -> Loop:
    if loop.strips is not None:
        raise t.error(
            "RG0101", "a strip-mined loop that can be left by an exception",
            "take `stripmine` away, and give the gradient `memory=`",
        )  # fmt: skip
    return replace(loop, returns=True)


def _run_rotated(t: Tracer, loop: Loop) -> Atom:
    """Translates `while test: body` as `while True: if test: body, else: break`.

    Where something depends on which `break` it was, a flag says that the test has failed.
    """
    test, done = loop.test, t.ctx.fresh()
    assert test is not None
    asked = loop.ends and loop.breaks

    def leave() -> None:
        t.state.cells[t.frame.brk[-1]] = Scalar(true)
        if asked:
            t.state.cells[done] = Scalar(true)
        t.state.live = false

    def body() -> None:
        branch(t, test(), loop.body, leave)

    if asked:
        t.state.cells[done] = Scalar(false)
    left_early = run_loop(t, replace(loop, test=lambda: true, body=body, breaks=True))
    flag = t.state.cells.pop(done, None)
    if not isinstance(flag, Scalar):
        return false
    return t.prim("and_", left_early, logical_not(t, flag.atom))


def _run(t: Tracer, loop: Loop) -> Atom:
    prune(t, t.state, loop.live)
    brk = t.ctx.fresh()
    t.frame.brk.append(brk)
    if loop.breaks:
        t.state.cells[brk] = Scalar(false)
    entry = t.state
    carried = _guess(t, loop, entry)
    if loop.breaks:
        carried.cells[brk] = Scalar(hole(BOOL))
    owned = set(t.frame.owned)
    pending, errors = len(t.ctx.pending), len(t.kind_errors)
    merge = Merge(t, frozenset(entry.arrays), "of this loop")
    try:
        for _ in merge.places.attempts(_ATTEMPTS, carried.cells):
            del t.ctx.pending[pending:], t.kind_errors[errors:]
            t.frame.owned = owned
            merge.movable = _movable(t, carried.cells, entry)
            merge.loose = _movable(t, merge.exchanged(carried.cells), entry)
            carried.arrays = [loc for loc in carried.arrays if loc not in merge.movable]
            t.frame.owned = owned | set(entry.arrays)
            try:
                attempt = _attempt(t, loop, entry, carried, merge, brk)
                _settle(t, loop, attempt, carried, merge)
                results = _results(t, attempt, carried, merge)
            except _Again:
                continue
            break
        else:
            raise unsettled(t, merge.places.made.values())
    finally:
        t.frame.owned = owned
        t.state = entry
    _finish(t, loop, attempt, carried, merge, results)
    t.frame.brk.pop()
    flag = t.state.cells.pop(brk, None)
    return flag.atom if isinstance(flag, Scalar) else false


def _guess(t: Tracer, loop: Loop, entry: State) -> _Carried:
    merge = Merge(t, frozenset(entry.arrays), "of this loop")
    carried = _Carried()
    for name in sorted(loop.assigned):
        cell = t.frame.locals.get(name)
        if cell is not None and cell in entry.cells:
            carried.cells[cell] = merge.shape(entry.cells[cell])
    for name in sorted(loop.written):
        value = entry.cells.get(t.frame.locals.get(name, -1))
        if isinstance(value, ArrayRef) and value.loc not in carried.arrays:
            carried.arrays.append(value.loc)
    return carried


def _attempt(
    t: Tracer, loop: Loop, entry: State, carried: _Carried, merge: Merge, brk: int
) -> _Attempt:
    names = names_of(t, (*entry.cells.values(), *carried.cells.values()))
    outer = t.b
    header = t.state = entry.copy()
    header.stale = {**carried.stale, **header.stale}
    for loc, others in carried.links.items():
        header.links[loc] = header.links.get(loc, frozenset()) | others
    variables: list[Var] = []
    came_from: list[tuple[int, int]] = []
    merge.outdated = {}
    given = merge.places.given(entry, carried.cells)
    for cell, h in carried.cells.items():
        own = merge.variables(h, names.get(cell, "flag"))
        header.cells[cell] = merge.fill(h, list(own))
        came_from += merge.handed_on(given[cell], h)
        variables += own
    _relate(t, merge, header, entry)
    header.stale |= merge.outdated
    merge.relate_carried(header, entry, came_from)
    for loc in carried.arrays:
        own_array = t.ctx.names.var("x", entry.arrays[loc].type)
        header.arrays[loc] = own_array
        variables.append(own_array)
    carried.extents.begin(t, (entry, header), given, carried.cells, merge.outer)
    index, count, depth = t.ctx.names.var("i", I64), len(t.splits), len(t.indices)
    try:
        t.b = cond = outer.inner()
        t.state = header.copy()
        flag = header.cells.get(brk) if loop.breaks else None
        alive = still_alive(t, flag, loop.returns)
        go, endless = _condition(t, loop, alive, index)
        if len(t.splits) > count or changes(t, header):
            raise _Rotate
        t.b = body = outer.inner()
        t.state = header.copy()
        t.resume()
        t.indices.append((index, body, frozenset(variables), carried.bent(header)))
        if loop.bind is not None:
            loop.bind(Scalar(index, True))
        end = _end_of_body(t, loop, count)
        if not loop.returns and t.regions and left(t, end) != false:
            raise _Leaves
    finally:
        del t.splits[count:], t.indices[depth:]
        t.b = outer
    return _Attempt(index, variables, cond, go, endless, body, header, end)


def _end_of_body(t: Tracer, loop: Loop, count: int) -> State:
    """The state after the body, with its splits closed."""
    try:
        loop.body()
    except PathEnds as ends:
        t.end_path(ends.error)
    close_splits(t, count)
    return t.state


def _condition(t: Tracer, loop: Loop, alive: Atom, index: Var) -> tuple[Atom, bool]:
    """The loop's condition, and whether it is always true."""
    go = alive
    if loop.trips is not None and not loop.counted:
        more = t.prim("lt", index, loop.trips)
        go = more if go == true else t.prim("and_", go, more)
    if loop.test is None:
        return go, False
    if isinstance(go, Lit):
        value = loop.test() if go.value else false
        return value, value == true
    cell = t.ctx.fresh()
    arm, other = start(t), start(t)
    arm.state.cells[cell] = other.state.cells[cell] = Scalar(false)
    trace_arm(t, arm, lambda: _keep(t, cell, loop))
    if arm.state.cells[cell] == Scalar(true) and not arm.b.stms:
        t.state = arm.state  # of which the caller asks whether the condition has assigned
        del t.state.cells[cell]
        return go, True
    join(t, go, arm, other, None)
    value = t.state.cells.pop(cell)
    if not isinstance(value, Scalar):
        raise PathEnds
    return value.atom, False


def _keep(t: Tracer, cell: int, loop: Loop) -> None:
    assert loop.test is not None
    t.state.cells[cell] = Scalar(loop.test())


def _settle(t: Tracer, loop: Loop, attempt: _Attempt, carried: _Carried, merge: Merge) -> None:
    """Compares the end of the body with the assumption; raises `_Again` where it has to grow."""
    header, end = attempt.header, attempt.end
    joined(t, header, end)
    prune(t, end, loop.live)
    if loop.exchanges and (order := order_of(carried.cells, end.cells, merge)) > 1:
        raise Exchange(order)
    places, names = merge.places, {cell: name for name, cell in t.frame.locals.items()}
    places.grown = False
    places.enter(header, first=True)
    wide: dict[int, Value] = {}
    for cell in header.cells | end.cells:
        if cell in t.ctx.attributes and cell > places.mark:
            continue  # of an object that is made in the loop: it is moved, or garbage
        gone = UNDEF if cell in t.ctx.attributes else UNBOUND  # an object that nothing reaches
        before, after = header.cells.get(cell, UNBOUND), end.cells.get(cell, gone)
        h = carried.cells.get(cell)
        if (h is None and before == after) or isinstance(after, Undef):
            continue
        wide[cell] = merge.shape(before) if h is None else h
    places.enter(end)
    for cell, h in wide.items():
        merge.name = names.get(cell, "")
        wide[cell] = merge.widen(h, end.cells.get(cell, UNBOUND))
    inside = {c for c in t.ctx.attributes.intersection(carried.cells) if c > places.mark}
    wide = {c: h for c, h in carried.cells.items() if c not in inside} | wide
    wide |= places.reached(wide.values())
    grown = places.grown or wide != carried.cells
    carried.cells.clear()
    carried.cells.update(wide)
    for loc in merge.outer:
        if end.arrays.get(loc) is not header.arrays[loc] and loc not in carried.arrays:
            carried.arrays.append(loc)
            grown = True
    if grown:
        raise _Again


def _relate(t: Tracer, merge: Merge, state: State, source: State) -> None:
    """Links, in a state, the carried objects with what they may be; they come from `source`."""
    outer, t.state = t.state, state
    merge.relate(source.stale)
    t.state = outer


def _known_attributes(t: Tracer, carried: _Carried, merge: Merge, header: State) -> set[int]:
    """Attributes of objects that exist before the loop, and of those that it carries."""
    before = {c for c in t.ctx.attributes.intersection(header.cells) if c <= merge.places.mark}
    return before | (t.ctx.attributes & carried.cells.keys())


def _results(t: Tracer, attempt: _Attempt, carried: _Carried, merge: Merge) -> list[Atom]:
    """What the body hands on to the next iteration."""
    outer, entry = t.b, t.state
    t.b, t.state = attempt.body, attempt.end
    merge.moved, merge.handed, merge.movable, merge.outdated = set(), {}, frozenset(), {}
    found: list[Atom] = []
    try:
        given = merge.places.given(t.state, carried.cells)
        for cell, h in carried.cells.items():
            found += merge.fit(given[cell], h)
        _relate(t, merge, t.state, t.state)
        found += [t.state.arrays[loc] for loc in carried.arrays]
    finally:
        end, t.b, t.state = t.state, outer, entry
    joined = {loc for h in carried.cells.values() for loc in locations(h)}
    known = joined.union(merge.outer, _known_attributes(t, carried, merge, attempt.header))
    grown = carried.extents.change(t, attempt.header, attempt.variables, found)
    ends = dict(zip(attempt.variables, found, strict=True))
    arrays, stms = attempt.header.arrays, attempt.body.stms
    grown |= bend(t.ctx, carried.bending, (attempt.index, arrays, ends), stms)
    for loc in known:
        others = end.links.get(loc, frozenset()) & known
        if not others <= attempt.header.links.get(loc, frozenset()):
            carried.links[loc] = carried.links.get(loc, frozenset()) | others
            grown = True
        outside = loc in merge.outer or loc <= merge.places.mark
        stale = end.stale if outside else merge.outdated
        if loc in stale and loc not in attempt.header.stale:
            carried.stale[loc] = stale[loc]
            grown = True
    if grown:
        raise _Again
    return found


def _movable(t: Tracer, carried: Mapping[int, Value], entry: State) -> frozenset[int]:
    """Locations that nothing but the rebound variables of this loop refers to."""
    kept = set(t.frame.owned)
    for root in t.frame.roots:
        kept |= set(locations(root))
    after = {**entry.cells, **carried}
    alive = None if t.ctx.attributes.isdisjoint(after) else living(t, after)
    for cell, value in after.items():
        if alive is None or cell in alive or cell not in t.ctx.attributes:
            kept |= set(locations(value))
    return frozenset(set(entry.arrays) - kept)


def _finish(
    t: Tracer,
    loop: Loop,
    attempt: _Attempt,
    carried: _Carried,
    merge: Merge,
    results: list[Atom],
) -> None:
    """Emits the loop and makes the state after it."""
    entry = t.state
    merge.moved, merge.handed, merge.movable = set(), {}, _movable(t, carried.cells, entry)
    inits: list[Atom] = []
    given = merge.places.given(entry, carried.cells)
    for cell, h in carried.cells.items():
        inits += merge.fit(given[cell], h)
    _relate(t, merge, entry, entry)
    inits += [entry.arrays[loc] for loc in carried.arrays]
    for loc in merge.moved:
        entry.arrays.pop(loc, None)
        entry.stale.pop(loc, None)
    outs = tuple(t.ctx.names.var(v.name, v.type) for v in attempt.variables)
    variables = tuple(attempt.variables)
    body = attempt.body.block(results)
    if loop.counted and loop.trips is not None:
        expr = For(attempt.index, loop.trips, variables, tuple(inits), body)
        if loop.strips is not None:
            expr = loop.strips.nest(t.b, expr)
        t.b.stms.append(Stm(outs, expr, t.b.prov))
    else:
        _emit_while(t, loop, attempt, variables, inits, results, outs)
    carried.extents.end(t, variables, outs)
    rest: list[Atom] = list(outs)
    for cell, h in carried.cells.items():
        entry.cells[cell] = merge.fill(h, rest)
    for loc in carried.arrays:
        entry.arrays[loc] = rest.pop(0)
    for loc, others in attempt.header.links.items():
        entry.links[loc] = entry.links.get(loc, frozenset()) | others
    entry.stale = {**attempt.header.stale, **entry.stale}
    _after(t, loop, attempt)


def _emit_while(
    t: Tracer,
    loop: Loop,
    attempt: _Attempt,
    variables: tuple[Var, ...],
    inits: list[Atom],
    results: list[Atom],
    outs: tuple[Var, ...],
) -> None:
    if loop.trips is not None:
        variables = (attempt.index, *variables)
        inits = [ilit(0), *inits]
        results = [attempt.body.prim("add", attempt.index, ilit(1)), *results]
        outs = (t.ctx.names.var("i", I64), *outs)
    cond = attempt.cond.block([attempt.go])
    body = attempt.body.block(results)
    t.b.stms.append(Stm(outs, While(variables, tuple(inits), cond, body), t.b.prov))


def _after(t: Tracer, loop: Loop, attempt: _Attempt) -> None:
    """Whether the program goes on after the loop."""
    ret = t.state.cells.get(t.frame.ret)
    if attempt.endless and not loop.breaks:
        t.state.live = false
        if isinstance(ret, Maybe):
            t.state.cells[t.frame.ret] = ret.value
            t.leave()
        else:
            t.end_path()
        return
    t.state.live = logical_not(t, t.returned()) if loop.returns else true
