"""Comprehensions: over a tuple a list; over a range or array an array, or what it is folded to."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FunctionType

import numpy as np

from retrograd.frontend.identity.lazily import GENERATORS
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.library.operators import binary
from retrograd.frontend.syntax.assume import assume, assume_kinds
from retrograd.frontend.syntax.branches import branch, choose, start, trace_arm
from retrograd.frontend.syntax.combinatorics import as_generators
from retrograd.frontend.syntax.delayed import as_generator
from retrograd.frontend.syntax.dict_objects import put_as_object
from retrograd.frontend.syntax.iterators import stepped
from retrograd.frontend.syntax.kinds_apart import test_in_each_kind, value_in_each_kind
from retrograd.frontend.syntax.lists import append
from retrograd.frontend.syntax.loops import Loop, run_loop
from retrograd.frontend.syntax.rows import rows
from retrograd.frontend.syntax.targets import assign
from retrograd.frontend.syntax.trial import tried
from retrograd.frontend.values.freezing import thawed
from retrograd.frontend.values.item_forms import form_of
from retrograd.frontend.values.iterate import Steps
from retrograd.frontend.values.iterators import is_delayed
from retrograd.frontend.values.kinds import (
    UNBOUND,
    ArrayRef,
    Closure,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.lists import as_array, as_item, list_of, of_buffers
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.liveness import stored_names
from retrograd.frontend.values.scalars import truth
from retrograd.frontend.values.tracer import NeedLists, Tracer
from retrograd.frontend.values.uneven_arrays import is_uneven_site, must_be_even
from retrograd.ir.terms import Lit, false, ilit, true

__all__ = ["comprehend", "own_names"]

_NONE: frozenset[str] = frozenset()


def comprehend(t: Tracer, node: ast.ListComp | ast.GeneratorExp, fun: Value | None) -> Value:
    """The value of a comprehension that is the argument of `fun` (None: of nothing known)."""
    if any(generator.is_async for generator in node.generators):
        raise t.error("RG0101", "`async`", "use an ordinary loop")
    generators = as_generators(t, node.generators)
    if len(generators) != len(node.generators):
        node = ast.copy_location(type(node)(node.elt, generators), node)
    t.ctx.kept = t.ctx.kept or (isinstance(node, ast.GeneratorExp) and fun is None)
    if t.ctx.way.delays and _is_delayed(node, fun):
        return _in_turns(t, node, t.eval(node.generators[0].iter))
    if len(node.generators) > 1:
        return _filled(t, node)
    try:
        with stepped(t, node.generators[0].iter, lambda value: _delay(t, value)) as steps:
            return _of_steps(t, node, steps, fun)
    except _DelayedError as error:
        return _in_turns(t, node, error.value)


class _DelayedError(Exception):
    """A comprehension runs over a generator that has not begun."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


def _delay(t: Tracer, value: Value) -> None:
    if is_delayed(t, value):
        raise _DelayedError(value)


def _is_delayed(node: ast.ListComp | ast.GeneratorExp, fun: Value | None) -> bool:
    """Whether a comprehension is a generator, whatever its first `for` runs over."""
    if any(isinstance(one, ast.NamedExpr) for one in ast.walk(node)):
        return False
    return len(node.generators) > 1 or (isinstance(node, ast.GeneratorExp) and _is_kept(fun))


def _is_kept(fun: Value | None) -> bool:
    """Whether a generator expression may be kept, or taken in parts, by the function it is for."""
    match fun:
        case None | Closure():
            return True
        case Static(obj=FunctionType() as function):
            return package_of(function) is None
        case _:
            return isinstance(fun, Static) and (fun.obj in (zip, iter) or id(fun.obj) in GENERATORS)


def _in_turns(t: Tracer, node: ast.ListComp | ast.GeneratorExp, first: Value) -> Value:
    """A comprehension over a generator that has not begun: a generator itself, or its items."""
    made = as_generator(t, node, first)
    return made if isinstance(node, ast.GeneratorExp) else t.call(Static(list), [made], {})


def _of_steps(
    t: Tracer, node: ast.ListComp | ast.GeneratorExp, steps: Steps, fun: Value | None
) -> Value:
    """The value of a comprehension over one iterable."""
    generator = node.generators[0]
    obj = fun.obj if isinstance(fun, Static) else None
    with own_names(t, generator.target):
        known = steps.known if steps.known is not None or not generator.ifs else _few(steps)
        if known is not None and _certain(t, generator, known):
            if isinstance(node, ast.GeneratorExp) and (obj is any or obj is all):
                return TupleValue((_until_known(t, node, generator, known, obj is any),))
            return _unrolled(t, node, generator, known)
        if generator.ifs or known is not None:
            return _filled(t, node)
        made: list[Value] = []
        codes = ("RG0109", "RG0116") if isinstance(node, ast.ListComp) else ("RG0109",)
        codes += ("RG0104",) if obj is builtins.sum else ()
        codes += ("RG0101",) if obj is max or obj is min else ()
        error = tried(t, lambda: made.append(_looped(t, node, generator, steps, obj)), codes)
        if error is None:
            return made[0]
        if error.code == "RG0116":  # an element changes something else: one is made at a time
            return _filled(t, node)
        if error.code == "RG0101":  # tuples or objects, which an array does not hold
            return _listed(t, node, generator, steps)
        # A key or an item of a tuple by the index, or sums that are not of one kind: so the items
        # have to be known one by one.
        trips = steps.trips.value if isinstance(steps.trips, Lit) else _UNROLLED + 1
        if trips > _UNROLLED or steps.at is None:
            raise error
        items = tuple(steps.at(Scalar(ilit(k), True)) for k in range(int(trips)))
        return _unrolled(t, node, generator, items)


def _few(steps: Steps) -> tuple[Value, ...] | None:
    """The numbers of a literal range, if these are few."""
    trips = steps.trips.value if isinstance(steps.trips, Lit) else _UNROLLED + 1
    if trips > _UNROLLED or steps.at is None:
        return None
    found = tuple(steps.at(Scalar(ilit(k), True)) for k in range(int(trips)))
    return found if all(static_int(item) is not None for item in found) else None


def _looped(
    t: Tracer, node: ast.ListComp | ast.GeneratorExp, generator: ast.comprehension, steps: Steps,
    obj: object,
) -> Value:  # fmt: skip
    """A comprehension without tests over what is known at run time only, given to `obj`."""
    if isinstance(node, ast.GeneratorExp) and _of_numpy(obj):
        raise t.error("RG0101", "a generator for a function of NumPy", "write a list: [...]")
    if obj is builtins.sum:
        return TupleValue((_total(t, node, generator, steps),))
    if obj is builtins.any or obj is builtins.all:
        every = isinstance(node, ast.ListComp)  # a list is there before it is looked at
        fold, first = _until(obj is any, every), Scalar(true if obj is all else false)
        return TupleValue((_accumulated(t, node, generator, steps, fold, first),))
    takers = _TAKERS if isinstance(node, ast.ListComp) else _LAZY_TAKERS
    if any(obj is taker for taker in takers):
        return _array(t, node, generator, steps, obj not in (max, min))
    return _listed(t, node, generator, steps)


def _of_numpy(obj: object) -> bool:
    """Whether a function takes arrays, and nothing else that has items."""
    module: object = getattr(obj, "__module__", None)
    if obj is np.fromiter:
        return False
    return isinstance(obj, np.ufunc) or str(module).partition(".")[0] == "numpy"


_UNROLLED = 16
"""So many items of a literal range are known one by one."""


def _listed(
    t: Tracer, node: ast.ListComp | ast.GeneratorExp, generator: ast.comprehension, steps: Steps
) -> Value:
    """The list of all items, in buffers, but where there are few, of any kind."""
    at = steps.at
    assert at is not None
    known = steps.trips.value if isinstance(steps.trips, Lit) else None
    if known is not None and known <= _UNROLLED:
        items = tuple(at(Scalar(ilit(k), True)) for k in range(int(known)))
        return _unrolled(t, node, generator, items)
    if not t.ctx.way.lists:
        raise NeedLists
    site = frozenset(() if t.span is None else (t.span,))
    if is_uneven_site(t, site):
        return _filled(t, node)

    def item(index: Scalar) -> Value:
        assign(t, generator.target, at(index))
        value = put_as_object(t, t.eval(node.elt))
        form = form_of(t, value, t.content)
        row = as_item(t, value, form)
        must_be_even(t, site, form, row)
        return row

    trips = t.prim("imax", steps.trips, ilit(0))
    return of_buffers(t, rows(t, trips, item, steps.root, listed=True), Scalar(trips, True))


def _filled(t: Tracer, node: ast.ListComp | ast.GeneratorExp) -> Value:
    """The list of the items that pass the tests, appended one by one."""
    if not t.ctx.way.lists:
        raise NeedLists
    made = list_of(t, ())
    t.frame.roots.append(made)
    _fill(t, node, node.generators, made)
    t.frame.roots.pop()
    return made


def _fill(
    t: Tracer,
    node: ast.ListComp | ast.GeneratorExp,
    generators: list[ast.comprehension],
    made: Instance,
) -> None:
    if not generators:
        append(t, made, put_as_object(t, value_in_each_kind(t, node.elt)))
        return
    with stepped(t, generators[0].iter) as steps:
        _fill_from(t, node, generators, made, steps)


def _fill_from(
    t: Tracer,
    node: ast.ListComp | ast.GeneratorExp,
    generators: list[ast.comprehension],
    made: Instance,
    steps: Steps,
) -> None:
    one, *rest = generators

    def run(item: Value) -> None:
        assign(t, one.target, item)
        _tested(t, one.ifs, lambda: _fill(t, node, rest, made))

    with own_names(t, one.target):
        if (known := steps.known) is not None:
            for item in known:
                run(item)
            return
        at, now = steps.at, list[Scalar]()
        assert at is not None
        t.frame.roots.append(steps.root)
        loop = Loop(
            body=lambda: run(at(now[0])), assigned=_NONE, written=_NONE, trips=steps.trips,
            bind=lambda index: now.__setitem__(slice(None), [index]),
        )  # fmt: skip
        run_loop(t, loop)
        t.frame.roots.pop()


def _tested(t: Tracer, tests: list[ast.expr], run: Callable[[], None]) -> None:
    """Runs a part of the program where all tests hold, each asked if those before it do."""
    if not tests:
        run()
        return
    cond = test_in_each_kind(t, tests[0])

    def held() -> None:
        assume(t, tests[0], True)
        assume_kinds(t, cond, True)
        _tested(t, tests[1:], run)

    branch(t, cond, held, lambda: None)


def _certain(t: Tracer, generator: ast.comprehension, items: tuple[Value, ...]) -> bool:
    """Whether the tests of a comprehension over known items are known as well."""
    if not generator.ifs:
        return True
    arm = start(t)
    found: list[bool] = []

    def probe() -> None:
        for item in items:
            assign(t, generator.target, item)
            found.extend(t.test(test) in (true, false) for test in generator.ifs)

    trace_arm(t, arm, probe)
    return all(found)


_LAZY_TAKERS: tuple[object, ...] = (max, min)
_TAKERS: tuple[object, ...] = (
    np.array, np.asarray, np.stack, np.sum, np.max, np.min, np.mean, max, min,
)  # fmt: skip


@contextmanager
def own_names(t: Tracer, target: ast.expr) -> Generator[None]:
    """The names of a comprehension are its own."""
    saved = dict(t.frame.locals)
    for name in stored_names([target]):
        t.frame.locals[name] = t.ctx.fresh()
    try:
        yield
    finally:
        for name in stored_names([target]):
            t.state.cells.pop(t.frame.locals[name], None)
        t.frame.locals.clear()
        t.frame.locals.update(saved)


def _unrolled(
    t: Tracer,
    node: ast.ListComp | ast.GeneratorExp,
    generator: ast.comprehension,
    items: tuple[Value, ...],
) -> Value:
    found: list[Value] = []
    for item in items:
        assign(t, generator.target, item)
        keep = [t.test(test) for test in generator.ifs]
        if false not in keep:
            found.append(t.eval(node.elt))
    made = TupleValue(tuple(found), list)
    return thawed(t, made) if isinstance(node, ast.ListComp) else made


Fold = Callable[[Tracer, Value, Callable[[], Value]], Value]


def _add(t: Tracer, total: Value, item: Callable[[], Value]) -> Value:
    return binary(t, "add", total, item())


def _until(disjunction: bool, every: bool) -> Fold:
    def fold(t: Tracer, found: Value, item: Callable[[], Value]) -> Value:
        def known() -> Value:
            return found

        made = Scalar(truth(t, item())) if every else None

        def test() -> Value:
            return Scalar(truth(t, item())) if made is None else made

        sides = (known, test) if disjunction else (test, known)
        return choose(t, truth(t, found), *sides)

    return fold


def _until_known(
    t: Tracer, node: ast.GeneratorExp, generator: ast.comprehension, items: tuple[Value, ...],
    disjunction: bool,
) -> Value:  # fmt: skip
    """`any` or `all` of items that are known one by one; those after the answer are not made."""
    fold, found = _until(disjunction, False), Scalar(false if disjunction else true)
    for item in items:
        assign(t, generator.target, item)
        if false not in [t.test(test) for test in generator.ifs]:
            found = fold(t, found, lambda: t.eval(node.elt))
    return found


def _accumulated(
    t: Tracer,
    node: ast.ListComp | ast.GeneratorExp,
    generator: ast.comprehension,
    steps: Steps,
    fold: Fold,
    first: Value,
) -> Value:
    """The items folded in a loop, in Python's order."""
    at, cell = steps.at, t.ctx.fresh()
    assert at is not None
    t.state.cells[cell] = first

    def bind(index: Scalar) -> None:
        assign(t, generator.target, at(index))

    def body() -> None:
        t.state.cells[cell] = fold(t, t.state.cells[cell], lambda: value_in_each_kind(t, node.elt))

    t.frame.roots.append(steps.root)
    run_loop(t, Loop(body=body, assigned=_NONE, written=_NONE, trips=steps.trips, bind=bind))
    t.frame.roots.pop()
    return t.state.cells.pop(cell, UNBOUND)


def _total(
    t: Tracer, node: ast.ListComp | ast.GeneratorExp, generator: ast.comprehension, steps: Steps
) -> Value:
    """The sum of the items; of arrays and objects it starts with the first, which has to be."""
    made: list[Value] = []
    zero, at = Scalar(ilit(0)), steps.at
    assert at is not None

    def from_zero() -> None:
        made.append(_accumulated(t, node, generator, steps, _add, zero))

    error = tried(t, from_zero, ("RG0104",))
    if error is None:
        return made[0]
    some = t.prim("lt", ilit(0), steps.trips)
    t.check(some, "ValueError", "a sum of no arrays, which is the number 0 in Python")
    assign(t, generator.target, at(Scalar(ilit(0), True)))
    first = binary(t, "add", zero, t.eval(node.elt))
    later = Steps(
        None, t.prim("sub", steps.trips, ilit(1)),
        lambda k: at(Scalar(t.prim("add", k.atom, ilit(1)), True)), steps.root,
    )  # fmt: skip
    return _accumulated(t, node, generator, later, _add, first)


def _array(
    t: Tracer, node: ast.ListComp | ast.GeneratorExp, generator: ast.comprehension, steps: Steps,
    deep: bool,
) -> Value:  # fmt: skip
    """The array of all items; `deep`: of arrays, lists and comprehensions as items, too."""
    at = steps.at
    assert at is not None

    def item(index: Scalar) -> Value:
        assign(t, generator.target, at(index))
        if deep and isinstance(node.elt, ast.ListComp):
            value = comprehend(t, node.elt, Static(np.array))
        else:
            value = value_in_each_kind(t, node.elt)
        if isinstance(value, Instance) and value.cls is list and deep:
            return as_array(t, value)
        if isinstance(value, Scalar) or (deep and isinstance(value, ArrayRef)):
            return value
        if deep and isinstance(value, TupleValue):
            return t.call(Static(np.array), [value], {})
        raise t.error("RG0101", f"a comprehension of {describe(value)}", "fill an array in a loop")

    return rows(t, t.prim("imax", steps.trips, ilit(0)), item, steps.root)
