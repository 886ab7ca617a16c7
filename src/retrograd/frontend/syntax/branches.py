"""Branches: both sides are translated from copies of the state, then joined into one `If`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from retrograd.errors import UserError
from retrograd.frontend.syntax.static_errors import ends_path, place_before
from retrograd.frontend.values.globals import joined
from retrograd.frontend.values.jumps import settle
from retrograd.frontend.values.kinds import UNBOUND, UNDEF, Value, is_settled, locations
from retrograd.frontend.values.merge import Merge
from retrograd.frontend.values.objects import collect, living
from retrograd.frontend.values.scalars import logical_not
from retrograd.frontend.values.tracer import PathEnds, State, Tracer
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, If, Lit, Prim, Stm, Var, false, true
from retrograd.ir.types import BOOL

__all__ = ["Arm", "branch", "choose", "close_splits", "join", "prune", "trace_arm"]


@dataclass(slots=True)
class Arm:
    """One side of a branch: its statements so far and the state at their end.

    `mark` is the last number of before it.
    """

    b: Builder
    state: State
    mark: int


def trace_arm(t: Tracer, arm: Arm, run: Callable[[], None], conditional: bool = False) -> None:
    """Goes on translating on one side; it may end with what is refused if it is `conditional`."""
    outer, count, around = (t.b, t.state), len(t.splits), t.conditional
    t.b, t.state = arm.b, arm.state
    t.conditional = around + 1 if conditional else 0
    try:
        _to_its_end(t, run)
        close_splits(t, count)
    finally:
        del t.splits[count:]
        arm.state = t.state
        t.b, t.state = outer
        t.conditional = around


def _to_its_end(t: Tracer, run: Callable[[], None]) -> None:
    before = place_before(t)
    try:
        run()
    except PathEnds as end:
        t.end_path(end.error)
    except UserError as error:
        if not ends_path(t, error, before):
            raise


def close_splits(t: Tracer, count: int) -> None:
    """Joins the paths that have parted in a block, all but the first `count` of the splits."""
    while len(t.splits) > count:
        split = t.splits.pop()
        good = Arm(t.b, t.state, split.mark)
        bad = Arm(split.bad_b, split.bad_state, split.mark)
        t.b, t.state = split.b, split.state
        join(t, split.cond, good, bad, None)


def start(t: Tracer) -> Arm:
    """A side that begins here."""
    return Arm(t.b.inner(), t.state.copy(), t.ctx.counter)


def branch(
    t: Tracer,
    cond: Atom,
    then: Callable[[], None],
    orelse: Callable[[], None],
    live: Collection[str] | None = None,
    conditional: bool = False,
) -> None:
    """Runs one of two parts of the program; only the known one where `cond` is a literal.

    They are `conditional` if they are statements or expressions of the program.
    """
    if isinstance(cond, Lit):
        (then if cond.value else orelse)()
        return
    one, two = start(t), start(t)
    trace_arm(t, one, then, conditional)
    trace_arm(t, two, orelse, conditional)
    join(t, cond, one, two, live)


def choose(
    t: Tracer, cond: Atom, then: Callable[[], Value], orelse: Callable[[], Value],
    conditional: bool = False,
) -> Value:  # fmt: skip
    """The value of a conditional expression; `conditional` as in `branch`."""
    if isinstance(cond, Lit):
        return then() if cond.value else orelse()
    cell = t.ctx.fresh()
    t.state.cells[cell] = UNDEF  # what a side that ends in an exception leaves

    def side(run: Callable[[], Value]) -> Callable[[], None]:
        def keep() -> None:
            t.state.cells[cell] = run()

        return keep

    branch(t, cond, side(then), side(orelse), conditional=conditional)
    value = t.state.cells.pop(cell)
    if t.state.raised or (t.regions and not settle(t)):
        raise PathEnds
    return value


def prune(t: Tracer, state: State, live: Collection[str] | None) -> None:
    """Forgets the variables, and the objects, that nobody reads any more.

    Without `live`, in the middle of an expression, objects of before it may still be needed.
    """
    if live is None:
        collect(t, state, t.state.cells)
        return
    for name, cell in t.frame.plain_cells():
        if name not in live and " " not in name:  # a name of our own is no part of the text
            state.cells.pop(cell, None)
    collect(t, state)


def join(t: Tracer, cond: Atom, one: Arm, two: Arm, live: Collection[str] | None) -> None:
    """Emits the `If` of two sides that have been translated; the state becomes the joined one."""
    if one.state.raised and two.state.raised and (refused := _refused(one, two)) is not None:
        raise refused
    regions, t.regions = t.regions, []  # what is emitted to join does not fail
    if regions:
        _forget(one.state, two.state)
        _forget(two.state, one.state)
    try:
        _join(t, cond, one, two, live)
    finally:
        t.regions = regions


def _refused(one: Arm, two: Arm) -> UserError | None:
    """What is refused on one of two sides."""
    return one.state.refused or two.state.refused


def _forget(state: State, other: State) -> None:
    """Removes the variables of a path that has jumped out of functions that have ended."""
    for cell in [c for c, value in state.cells.items() if value == UNDEF and c not in other.cells]:
        del state.cells[cell]


def _join(t: Tracer, cond: Atom, one: Arm, two: Arm, live: Collection[str] | None) -> None:
    entry = t.state
    for arm in (one, two):
        prune(t, arm.state, live)
    if _past_exception(t, cond, one, two) or _past_exception(t, logical_not(t, cond), two, one):
        return
    merge = Merge(t, entry.arrays.keys(), "after this branch", mark=min(one.mark, two.mark))
    cells, wanted = _joined_cells(t, merge, one, two)
    if live is not None:
        _drop_dead(t, cells, wanted)
        merge.movable = _movable(t, entry, cells)
    outs: list[Var] = []
    rows: list[tuple[Atom, Atom]] = []
    state = _joined_arrays(t, merge, one, two, outs, rows)
    names = {cell: name for name, cell in t.frame.locals.items()}
    variables = {cell: merge.variables(h, names.get(cell, "t")) for cell, h in wanted.items()}
    columns: list[list[Atom]] = []
    for arm in (one, two):
        merge.moved, merge.handed = set(), {}
        columns.append(_fitted(t, merge, arm, wanted))
    rows += zip(*columns, strict=True)
    outs += [v for own in variables.values() for v in own]
    a, b = one.state.live, two.state.live
    if a != b and {a, b} != {true, false}:
        flag = t.ctx.names.var("live", BOOL)
        outs.append(flag)
        rows.append((a, b))
        state.live = flag
    for arm in (one, two):
        for loc, others in arm.state.links.items():
            state.links[loc] = state.links.get(loc, frozenset()) | others
        state.stale = {**arm.state.stale, **merge.outdated, **state.stale}
    state.globals = joined(t, one.state, two.state)
    t.state = state
    state.cells = cells
    decided = _decided(t, cond, outs, rows)
    for cell, h in wanted.items():
        cells[cell] = merge.fill(h, [decided.get(v, v) for v in variables[cell]])
    _emit(t, cond, one, two, outs, rows)
    if a == b:
        state.live = a
    elif {a, b} == {true, false}:
        state.live = cond if a == true else logical_not(t, cond)


def _decided(
    t: Tracer, cond: Atom, outs: list[Var], rows: list[tuple[Atom, Atom]]
) -> dict[Var, Atom]:
    """Flags that say which side was taken: a later test of the same condition then decides them."""
    found: dict[Var, Atom] = {}
    if t.ctx.way.joins:
        other: Atom | None = None
        for out, row in zip(outs, rows, strict=True):
            if row == (true, false):
                found[out] = cond
            elif row == (false, true):
                other = other or logical_not(t, cond)
                found[out] = other
    return found


def _joined_cells(
    t: Tracer, merge: Merge, one: Arm, two: Arm
) -> tuple[dict[int, Value], dict[int, Value]]:
    """What the variables hold afterwards, and of these the abstract values of those that differ."""
    names = {cell: name for name, cell in t.frame.locals.items()}
    cells: dict[int, Value] = {}
    wanted: dict[int, Value] = {}
    every = dict.fromkeys((*one.state.cells, *two.state.cells))
    new = (cell for cell in t.ctx.attributes.intersection(every) if cell > merge.places.mark)
    for cell in new:  # of an object that is made on one path: it is moved, or garbage
        del every[cell]
    merge.places.enter(one.state, first=True)
    for cell in every:
        a, b = _held(t, one, cell), _held(t, two, cell)
        cells[cell] = a
        before = t.state.cells.get(cell, UNDEF)
        if a == b:
            continue
        if all(_stays(v, before, arm) for v, arm in ((a, one), (b, two))):
            cells[cell] = before
        else:
            cells[cell] = wanted[cell] = merge.shape(a)
    merge.places.enter(two.state)
    for cell in list(wanted):
        merge.name = names.get(cell, "")
        b = _held(t, two, cell)
        cells[cell] = wanted[cell] = merge.widen(wanted[cell], b)
    wanted |= merge.places.reached(wanted.values())
    return cells | wanted, wanted


def _stays(value: Value, before: Value, arm: Arm) -> bool:
    """Whether a side leaves what was there before, or cannot be reached from where it is read."""
    return value == UNDEF or is_settled(value, before, arm.state.sure)


def _held(t: Tracer, arm: Arm, cell: int) -> Value:
    """What a variable holds on a side; anything, if it is of an object that is garbage there."""
    gone = cell in t.ctx.attributes and cell in t.state.cells
    return arm.state.cells.get(cell, UNDEF if gone else UNBOUND)


def _drop_dead(t: Tracer, cells: dict[int, Value], wanted: dict[int, Value]) -> None:
    """Forgets the objects whose attributes have moved into a joined one."""
    if t.ctx.attributes.isdisjoint(cells):
        return
    kept = living(t, cells)
    for cell in [c for c in cells if c in t.ctx.attributes and c not in kept]:
        del cells[cell]
        wanted.pop(cell, None)


def _movable(t: Tracer, entry: State, cells: Mapping[int, Value]) -> frozenset[int]:
    """Arrays that nothing refers to after a statement: the joined variables may take them over."""
    kept = set(t.frame.owned)
    for value in (*t.frame.roots, *cells.values()):
        kept |= set(locations(value))
    return frozenset(entry.arrays.keys() - kept)


def _past_exception(t: Tracer, cond: Atom, one: Arm, two: Arm) -> bool:
    """Where side `one` ends in an exception, side `two` follows without an `If` around it."""
    if not one.state.raised:
        return False
    if any(one.state.arrays.get(loc) is not atom for loc, atom in t.state.arrays.items()):
        return False
    match one.b.stms:
        case []:
            pass
        case [Stm(expr=Prim(op="check", args=(Lit(value=False), *numbers)) as check) as stm]:
            right = logical_not(t, cond)
            t.b.stms.append(Stm((), replace(check, args=(right, *numbers)), stm.prov))
        case _:
            stm = Stm((), If(cond, one.b.block([]), t.b.inner().block([])), t.b.prov)
            t.b.stms.append(stm)
    t.b.stms.extend(two.b.stms)
    t.state = two.state
    return True


def _joined_arrays(
    t: Tracer,
    merge: Merge,
    one: Arm,
    two: Arm,
    outs: list[Var],
    rows: list[tuple[Atom, Atom]],
) -> State:
    """The versions of the arrays that existed before; what a side changed becomes a result.

    A side that has given an array up, while the other still has it, contributes any array.
    """
    entry = t.state
    state = State(sure=one.state.sure & two.state.sure)
    for loc, before in entry.arrays.items():
        versions = [arm.state.arrays.get(loc) for arm in (one, two)]
        if loc in merge.movable or versions == [None, None]:
            continue
        a, b = (
            _any_array(t, merge, arm, before) if atom is None else atom
            for arm, atom in zip((one, two), versions, strict=True)
        )
        if a is b:
            state.arrays[loc] = before
            continue
        out = t.ctx.names.var("x", before.type)
        outs.append(out)
        rows.append((a, b))
        state.arrays[loc] = out
    return state


def _any_array(t: Tracer, merge: Merge, arm: Arm, like: Atom) -> Atom:
    found: list[Atom] = []
    trace_arm(t, arm, lambda: found.append(merge.dummy(like.type)))
    return found[0]


def _fitted(t: Tracer, merge: Merge, arm: Arm, wanted: Mapping[int, Value]) -> list[Atom]:
    """The atoms that one side contributes to the joined variables."""
    found: list[Atom] = []

    def run() -> None:
        given = merge.places.given(t.state, wanted)
        for cell, h in wanted.items():
            found.extend(merge.fit(given[cell], h))
        merge.relate()

    trace_arm(t, arm, run)
    return found


def _emit(
    t: Tracer, cond: Atom, one: Arm, two: Arm, outs: list[Var], rows: list[tuple[Atom, Atom]]
) -> None:
    if not outs and not one.b.stms and not two.b.stms:
        return
    if (sizes := t.ctx.sizes) is not None:
        for out, (a, b) in zip(outs, rows, strict=True):
            sizes.note(out, sizes.agreed(a, b))
    then, orelse = (one.b.block([a for a, _ in rows]), two.b.block([b for _, b in rows]))
    t.b.stms.append(Stm(tuple(outs), If(cond, then, orelse), t.b.prov))
