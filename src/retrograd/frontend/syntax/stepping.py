"""`next`: the first item of a generator expression, and the items of iterators one by one.

What is left of an iterator after that is known as it is then. So what its items are read from may
not change before they are used, as with iterators that have run to their end.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from dataclasses import replace

from retrograd.errors import UserError
from retrograd.frontend.identity.one_by_one import next_or
from retrograd.frontend.library.instances import special
from retrograd.frontend.syntax import lists
from retrograd.frontend.syntax.branches import branch, choose
from retrograd.frontend.syntax.combinatorics import as_generators
from retrograd.frontend.syntax.comprehension import own_names
from retrograd.frontend.syntax.generators import settle
from retrograd.frontend.syntax.iterators import kept, stepped
from retrograd.frontend.syntax.keyed import as_comprehension
from retrograd.frontend.syntax.loops import Loop, run_loop
from retrograd.frontend.syntax.raising import stop_with
from retrograd.frontend.syntax.targets import assign
from retrograd.frontend.values.arrays import Slice, extent, narrow
from retrograd.frontend.values.iterate import gives_next, steps_of
from retrograd.frontend.values.iterators import is_delayed, is_iterator, keep_rest, unwrapped
from retrograd.frontend.values.kinds import (
    UNBOUND,
    ArrayRef,
    Closure,
    Enumerate,
    Failure,
    Instance,
    Maybe,
    RangeValue,
    Scalar,
    Static,
    TupleValue,
    Value,
    Zip,
    describe,
)  # fmt: skip
from retrograd.frontend.values.lists import current, sized
from retrograd.frontend.values.scalars import arith, logical_not, truth
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.ir.terms import Atom, Lit, false, ilit, true

__all__ = ["is_next", "next_item"]

_NO_NAMES: frozenset[str] = frozenset()


def is_next(fun: Value) -> bool:
    """Whether a function value is `next`."""
    return isinstance(fun, Static) and fun.obj is builtins.next


def next_item(t: Tracer, node: ast.Call, fun: Value) -> Value:
    """`next(iterator)` and `next(iterator, default)`."""
    if node.keywords or not 1 <= len(node.args) <= 2 or isinstance(node.args[0], ast.Starred):
        raise t.error(
            "RG0108", "`next` is given an iterator, and what stands for its end",
            "next(iterator, default)", python=TypeError,
        )  # fmt: skip
    given, *rest = node.args
    made = given if isinstance(given, ast.GeneratorExp) else as_comprehension(t, given, fun)
    if made is not None:
        return _first(t, made, rest)
    value = kept(t, given, t.eval(given))
    default = _default(t, rest)
    if isinstance(value, Instance) and is_iterator(value):
        return _taken(t, value, default)
    if rest and gives_next(value):
        return t.call(Static(next_or), [value, default()], {})
    found = special(t, "__next__", value) if not rest else None
    if found is None:
        raise t.error("RG0107", f"`next` of {describe(value)}", "give it an iterator: iter(..)")
    return found


def _default(t: Tracer, rest: Sequence[ast.expr]) -> Callable[[], Value]:
    """What is given where there is no item: a value, or the exception."""
    if rest:
        value = kept(t, rest[0], t.eval(rest[0]))
        return lambda: value

    def stop() -> Value:
        stop_with(t, Failure(StopIteration, ()))
        raise PathEnds

    return stop


# The first item of a generator expression: no other is asked for.


def _first(t: Tracer, node: ast.GeneratorExp, rest: Sequence[ast.expr]) -> Value:
    (one, *more) = as_generators(t, node.generators)
    if more or one.is_async:
        raise t.error(
            "RG0101", "`next` of a generator with several `for`", "write a loop that returns"
        )
    with stepped(t, one.iter) as steps:
        default = _default(t, rest)
        with own_names(t, one.target):
            if (known := steps.known) is not None:
                return _searched(t, node.elt, one, known, default)
            cell, now = t.ctx.fresh(), list[Scalar]()
            at = steps.at
            assert at is not None
            t.state.cells[cell] = UNBOUND

            def body() -> None:
                assign(t, one.target, at(now[0]))
                test = _all(t, one.ifs)
                branch(t, test, lambda: _put(t, cell, t.eval(node.elt)), lambda: None)

            def unless_found() -> None:
                branch(t, logical_not(t, _is_there(t, cell)), body, lambda: None)

            t.frame.roots.append(steps.root)
            run_loop(t, Loop(
                body=unless_found, assigned=_NO_NAMES, written=_NO_NAMES, trips=steps.trips,
                bind=lambda index: now.__setitem__(slice(None), [index]),
            ))  # fmt: skip
            t.frame.roots.pop()
            found, there = t.state.cells.pop(cell, UNBOUND), false
            if found != UNBOUND:
                there = found.flag if isinstance(found, Maybe) else true
            value = found.value if isinstance(found, Maybe) else found
            return choose(t, there, lambda: value, default)


def _put(t: Tracer, cell: int, value: Value) -> None:
    t.state.cells[cell] = value


def _is_there(t: Tracer, cell: int) -> Atom:
    value = t.state.cells.get(cell, UNBOUND)
    if isinstance(value, Maybe):
        return value.flag
    return false if value == UNBOUND else true


def _searched(
    t: Tracer, elt: ast.expr, one: ast.comprehension, items: Sequence[Value],
    default: Callable[[], Value],
) -> Value:  # fmt: skip
    """The first of known items that passes the tests."""
    if not items:
        return default()
    assign(t, one.target, items[0])
    test = _all(t, one.ifs)
    return choose(
        t, test, lambda: t.eval(elt), lambda: _searched(t, elt, one, items[1:], default)
    )  # fmt: skip


def _all(t: Tracer, tests: Sequence[ast.expr]) -> Atom:
    """Whether all tests hold, each asked if those before it do."""
    if not tests:
        return true
    first = t.test(tests[0])
    if len(tests) == 1:
        return first
    both = choose(
        t, first, lambda: Scalar(_all(t, tests[1:])), lambda: Scalar(false)
    )  # fmt: skip
    return truth(t, both)


# Items of iterators.


def _taken(t: Tracer, owner: Instance, default: Callable[[], Value]) -> Value:
    """The next item of an iterator, which has the others left then."""
    held = t.content(owner.cells[0])
    if isinstance(held, Closure):
        return t.call(held, [], {})
    if is_delayed(t, owner):
        settle(t, owner)
    items = unwrapped(t, owner)
    there, first, rest = _parted(t, items)
    keep_rest(t, owner, items, rest)
    return choose(t, there, first, default)


_NOTHING = TupleValue(())


def _parted(t: Tracer, items: Value) -> tuple[Atom, Callable[[], Value], Value]:
    """Whether there is an item, the first one, and what comes after it."""
    one = Scalar(ilit(1))
    match items:
        case ArrayRef() if items.type.rank > 0:
            there = _some(t, extent(t, items, 0))
            steps = steps_of(t, items)
            return there, lambda: _at_zero(steps.at), narrow(t, items, [Slice(one, None, None)])
        case RangeValue(backwards=False, levels=1):
            steps = steps_of(t, items)
            there = _some(t, steps.trips)
            start = arith(t, "add", items.start, items.step)
            return there, lambda: _at_zero(steps.at), replace(items, start=start)
        case Enumerate():
            there, first, rest = _parted(t, items.inner)
            start = items.start
            left = Enumerate(rest, arith(t, "add", start, one))
            return there, lambda: TupleValue((start, first())), left
        case Zip():
            every = [_parted(t, item) for item in items.items]
            there = true
            for each, _, _ in every:
                there = _both(t, there, each)
            left = Zip(tuple(rest for _, _, rest in every))
            return there, lambda: TupleValue(tuple(first() for _, first, _ in every)), left
        case _:
            pass
    steps = steps_of(t, items)
    if (known := steps.all()) is not None:
        now = [current(t, item) for item in known]
        return (true if now else false), lambda: now[0], TupleValue(tuple(now[1:]))
    if isinstance(items, Instance) and items.cls is list:
        there = _some(t, sized(t, items).atom)
        rest = lists.get_slice(t, items, Slice(one, None, None))
        return there, lambda: _at_zero(steps.at), rest
    raise _unknown(t, items)


def _some(t: Tracer, count: Atom) -> Atom:
    if isinstance(count, Lit):
        return true if count.value > 0 else false
    return t.prim("gt", count, ilit(0))


def _both(t: Tracer, a: Atom, b: Atom) -> Atom:
    if a == true or b == false:
        return b
    return a if b == true or a == false else t.prim("and_", a, b)


def _at_zero(at: Callable[[Scalar], Value] | None) -> Value:
    assert at is not None
    return at(Scalar(ilit(0), True))


def _unknown(t: Tracer, items: Value) -> UserError:
    return t.error(
        "RG0101", f"`next` of an iterator over {describe(items)}", "make a list: list(..)"
    )
