"""`for` and `while` with `break`, `continue` and `else`: from syntax to `loops`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial

from retrograd.frontend.syntax.assume import assume
from retrograd.frontend.syntax.branches import branch
from retrograd.frontend.syntax.combinatorics import as_nested
from retrograd.frontend.syntax.delayed import begin
from retrograd.frontend.syntax.exchanges import run_statement
from retrograd.frontend.syntax.exits import exits
from retrograd.frontend.syntax.generators import Consumed, call_generator, mark_loop
from retrograd.frontend.syntax.interleaving import generator_of
from retrograd.frontend.syntax.iterators import stepped
from retrograd.frontend.syntax.keyed import as_loop
from retrograd.frontend.syntax.kinds_apart import test_in_each_kind
from retrograd.frontend.syntax.loops import Loop, run_loop
from retrograd.frontend.syntax.own_iterators import as_growing, as_while
from retrograd.frontend.syntax.peeling import run_apart
from retrograd.frontend.syntax.strips import strips_of
from retrograd.frontend.syntax.targets import assign
from retrograd.frontend.syntax.trial import Saved, tried
from retrograd.frontend.syntax.unrolling import assigned_in, unroll
from retrograd.frontend.values.dicts import items_of
from retrograd.frontend.values.iterate import Steps
from retrograd.frontend.values.kinds import (
    Bound,
    DictView,
    Instance,
    Later,
    Scalar,
    TupleValue,
    Value,
    parts,
)
from retrograd.frontend.values.lists import sized
from retrograd.frontend.values.liveness import stored_names
from retrograd.frontend.values.object_rows import held_by_name, is_growing
from retrograd.frontend.values.objects import instances
from retrograd.frontend.values.scalars import logical_not
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, false, true

__all__ = ["exits", "run_break", "run_continue", "run_for", "run_while"]


def run_break(t: Tracer, stm: ast.Break) -> None:
    """`break`."""
    t.state.cells[t.frame.brk[-1]] = Scalar(true)
    t.state.live = false


def run_continue(t: Tracer, stm: ast.Continue) -> None:
    """`continue`."""
    if t.frame.brk and (others := t.frame.others.get(t.frame.brk[-1])) is not None:
        others()
    t.state.live = false


def run_for(t: Tracer, stm: ast.For) -> None:
    """A `for` loop; over a tuple it is unrolled.

    So are short loops whose trips are known, where they are refused as loops: they choose between
    objects, functions or kinds of values by their index.
    """
    with t.at(stm.iter):
        stm = as_loop(t, stm) or as_nested(t, stm) or stm
        mark_loop(t, stm)
    try:
        with stepped(t, stm.iter, lambda value: _by_generator(t, stm, value)) as steps:
            _run(t, stm, steps)
    except Consumed:
        return


def _by_generator(t: Tracer, stm: ast.For, value: Value) -> None:
    """A loop over an object whose iterator is a generator."""
    if (made := begin(t, value)) is not None:
        call_generator(t, *made, stm)
    if (loop := as_while(t, stm, value) or as_growing(t, stm, value)) is not None:
        t.ctx.engine.block(t, [loop])
        raise Consumed
    method = Bound(value, "__iter__") if isinstance(value, Instance | TupleValue) else None
    if method is not None and (generator := generator_of(t, method)) is not None:
        call_generator(t, generator, ((), {}), stm)


def _run(t: Tracer, stm: ast.For, steps: Steps) -> None:
    """The iterations, as a loop or one by one."""
    if steps.items is not None or steps.by_one:
        _run_unrolled(t, stm, steps)
        return
    if steps.count is None or steps.levels > 1:
        with _dividing(t, False, t.ctx.copies):  # which item is meant is up to this loop
            _run_counted(t, stm, steps)
        return
    if t.ctx.way.unrolls and (_appends(stm) or (steps.count <= _SHORT and _indexes(stm))):
        _run_unrolled(t, stm, steps)
        return
    t.ctx.grown |= _appends(stm)
    copies, t.ctx.divided = t.ctx.copies * steps.count, False
    with _dividing(t, copies <= _COPIES, t.ctx.copies):
        error = tried(t, lambda: _run_counted(t, stm, steps), _DECIDED_BY_INDEX)
    if error is None:
        return
    divided = t.ctx.divided
    with _dividing(t, False, copies):
        again = tried(t, lambda: _run_unrolled(t, stm, steps), _DECIDED_BY_INDEX)
    if again is None:
        return
    if not divided:
        raise error
    with _dividing(t, False, t.ctx.copies):  # arrays of one shape, as far as it is known
        if tried(t, lambda: _run_counted(t, stm, steps), _DECIDED_BY_INDEX) is not None:
            raise error


@contextmanager
def _dividing(t: Tracer, divides: bool, copies: int) -> Generator[None]:
    """What says whether lists of arrays of different shapes divide a loop (`Context`)."""
    before = t.ctx.divides, t.ctx.copies
    t.ctx.divides, t.ctx.copies = divides, copies
    try:
        yield
    finally:
        t.ctx.divides, t.ctx.copies = before


def _appends(stm: ast.For) -> bool:
    """Whether a loop's body appends to a list."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == "append"
        for part in stm.body
        for node in ast.walk(part)
    )


def _indexes(stm: ast.For) -> bool:
    """Whether a loop's body has an index with a name that the loop assigns."""
    names = stored_names([stm.target])
    return any(
        isinstance(node, ast.Subscript)
        and any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(node.slice))
        for part in stm.body
        for node in ast.walk(part)
    )


_SHORT = 16
_COPIES = 64
"""So many copies of a loop's body, inside of each other, are made of lists of arrays."""
_DECIDED_BY_INDEX = ("RG0101", "RG0104", "RG0107", "RG0109", "RG0110")


def _run_unrolled(t: Tracer, stm: ast.For, steps: Steps) -> None:
    breaks, _ = exits(stm.body)
    root = TupleValue((*(steps.items or ()), steps.root))
    looped = TupleValue((*_owners(TupleValue(steps.items or ())), steps.root))
    iterations = [
        _keeping_lengths(t, looped, _iteration(t, stm, steps, k)) for k in range(steps.count or 0)
    ]
    t.frame.roots.append(root)
    complete = unroll(t, iterations, breaks)
    t.frame.roots.pop()
    _orelse(t, complete, stm)


def _owners(items: Value) -> Iterator[Instance]:
    """The lists and dicts whose items these are: not those that are items themselves."""
    match items:
        case Later() | DictView():
            yield items.owner
        case Instance():
            return
        case _:
            for part in parts(items):
                yield from _owners(part)


def _run_counted(t: Tracer, stm: ast.For, steps: Steps) -> None:
    breaks, returns = exits(stm.body)
    at = steps.at
    assert at is not None
    if steps.levels > 1 and (breaks or returns):
        raise t.error(
            "RG0101", "a strip-mined loop that can be left early",
            "take `stripmine` away, and give the gradient `memory=`",
        )  # fmt: skip
    assigned, written = assigned_in(stm.body)

    def bind(index: Scalar) -> None:
        with t.at(stm.target):
            assign(t, stm.target, at(index))

    def body() -> None:
        t.ctx.engine.block(t, stm.body)

    keeping = _keeping_lengths(t, steps.root, body)
    loop = Loop(
        body=keeping,
        assigned=assigned | stored_names([stm.target]),
        written=written | _written_through(stm, written),
        live=t.frame.scope.header.get(id(stm)),
        trips=steps.trips,
        bind=bind,
        breaks=breaks,
        returns=returns,
        strips=strips_of(t, steps.trips, steps.levels),
    )
    t.frame.roots.append(steps.root)
    alone = keeping is body
    broken = run_apart(t, stm, loop, run_statement) if alone else run_statement(t, loop)
    t.frame.roots.pop()
    _orelse(t, logical_not(t, broken), stm)


def _keeping_lengths(t: Tracer, root: Value, body: Callable[[], None]) -> Callable[[], None]:
    """A loop's body, refused where it goes on after it has changed the length of a list, or the
    keys of a dict, that the loop runs over."""
    every = list(instances(root))
    owners = [one for one in every if one.cls in (list, dict)]
    rows = [one for one in every if is_growing(one)]
    if not owners and not rows:
        return body

    def run() -> None:
        before = [_extent(t, one) for one in owners]
        sizes = [_size(t, one) for one in rows]
        body()
        if t.state.raised or t.state.live == false:
            return
        for one, size in zip(rows, sizes, strict=True):
            same = t.prim("eq", _size(t, one), size)
            t.check(same, "RuntimeError", "a list changes its length while a loop runs over it")
        for one, size in zip(owners, before, strict=True):
            if _extent(t, one) != size:
                what = "dict changes its keys" if one.cls is dict else "list changes its length"
                raise t.error(
                    "RG0101", f"a {what} while a loop runs over it",
                    "loop over a copy: for x in list(..)",
                )  # fmt: skip

    return run


def _size(t: Tracer, row: Instance) -> Atom:
    """How many items a list has that is held by a list."""
    size = held_by_name(t, row, "size")
    assert isinstance(size, Scalar)
    return size.atom


def _extent(t: Tracer, owner: Instance) -> object:
    """How many items a list has, or the keys of a dict."""
    return items_of(t, owner).keys if owner.cls is dict else sized(t, owner).atom


def _written_through(stm: ast.For, written: frozenset[str]) -> frozenset[str]:
    """Names of arrays whose rows the loop's target writes."""
    if isinstance(stm.iter, ast.Name) and stored_names([stm.target]) & written:
        return frozenset({stm.iter.id})
    return frozenset()


def _iteration(t: Tracer, stm: ast.For, steps: Steps, k: int) -> Callable[[], None]:
    def run() -> None:
        with t.at(stm.target):
            assign(t, stm.target, steps.value(k))
        t.ctx.engine.block(t, stm.body)

    return run


def run_while(t: Tracer, stm: ast.While) -> None:
    """A `while` loop."""
    breaks, returns = exits(stm.body)
    assigned, written = assigned_in(stm.body)

    def test() -> Atom:
        with t.at(stm.test):
            return test_in_each_kind(t, stm.test)

    def body() -> None:
        assume(t, stm.test, True)
        t.ctx.engine.block(t, stm.body)

    loop = Loop(
        body=body,
        assigned=assigned,
        written=written,
        live=t.frame.scope.header.get(id(stm)),
        test=test,
        breaks=breaks,
        returns=returns,
        ends=bool(stm.orelse),
    )
    if not isinstance(stm.test, ast.Constant) and _is_known(t, stm, test, body):
        _orelse(t, true, stm)
        return
    with _dividing(t, False, t.ctx.copies):
        broken = run_apart(t, stm, loop, run_loop)
    if not breaks and not returns:
        assume(t, stm.test, False)
    _orelse(t, logical_not(t, broken), stm)


_MOST_KNOWN = 64


def _is_known(
    t: Tracer, stm: ast.While, test: Callable[[], Atom], body: Callable[[], None]
) -> bool:
    """Whether a loop has no iterations, or a few that only change what is known; they are done.

    Then what the loop would carry stays known.
    """
    saved = Saved.of(t)
    most = _MOST_KNOWN if _only_counts(stm) else 0
    for _ in range(most + 1):
        found = test()
        if found == false:
            return True
        if found != true or not most:
            break
        body()
        if len(t.b.stms) != saved.statements:
            break
    saved.restore(t)
    return False


def _only_counts(stm: ast.While) -> bool:
    """Whether the body assigns to names alone, without a call."""
    for one in stm.body:
        match one:
            case ast.Assign(targets=[ast.Name()]) | ast.AugAssign(target=ast.Name()):
                if any(isinstance(node, ast.Call) for node in ast.walk(one)):
                    return False
            case _:
                return False
    return True


def _orelse(t: Tracer, complete: Atom, stm: ast.For | ast.While) -> None:
    """The `else` of a loop, which runs unless the loop was left by `break` or `return`."""
    body = stm.orelse
    if not body or t.state.live == false:
        return
    after = t.frame.scope.after.get(id(stm))

    def run() -> None:
        other = partial(t.ctx.engine.block, t, body)
        branch(t, complete, other, _nothing, after, conditional=True)

    def go_on() -> None:
        t.resume()
        run()

    def skip() -> None:
        t.state.live = false

    if t.state.live == true:
        run()
    else:
        branch(t, t.state.live, go_on, skip, after)


def _nothing() -> None:
    return
