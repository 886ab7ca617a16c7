"""Comprehensions: over a tuple a list; over a range or array an array, or what it is folded to."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Generator
from contextlib import contextmanager

import numpy as np

from retrograd.frontend.library.operators import binary
from retrograd.frontend.syntax.branches import choose
from retrograd.frontend.syntax.loops import Loop, run_loop
from retrograd.frontend.syntax.rows import rows
from retrograd.frontend.syntax.targets import assign
from retrograd.frontend.values.iterate import Steps, steps_of
from retrograd.frontend.values.kinds import (
    UNBOUND,
    ArrayRef,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.liveness import stored_names
from retrograd.frontend.values.scalars import truth
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import false, ilit, true

__all__ = ["comprehend"]

_NONE: frozenset[str] = frozenset()


def comprehend(t: Tracer, node: ast.ListComp | ast.GeneratorExp, fun: Value | None) -> Value:
    """The value of a comprehension that is the argument of `fun` (None: of nothing known)."""
    if len(node.generators) != 1 or node.generators[0].is_async:
        raise t.error("RG0101", "a comprehension with two `for`", "write nested loops")
    generator = node.generators[0]
    steps = steps_of(t, t.eval(generator.iter))
    with _own_names(t, generator.target):
        if steps.items is not None:
            return _unrolled(t, node, generator, steps.items)
        if generator.ifs:
            raise t.error("RG0101", "a comprehension with `if`", "write a loop")
        obj = fun.obj if isinstance(fun, Static) else None
        if obj is builtins.sum:
            zero = Scalar(ilit(0))
            return TupleValue((_accumulated(t, node, generator, steps, _add, zero),))
        if obj is builtins.any or obj is builtins.all:
            fold, first = _until(obj is any), Scalar(true if obj is all else false)
            return TupleValue((_accumulated(t, node, generator, steps, fold, first),))
        takers = _TAKERS if isinstance(node, ast.ListComp) else _LAZY_TAKERS
        if any(obj is taker for taker in takers):
            return _array(t, node, generator, steps, obj not in (max, min))
    way_out = "wrap it in np.array(...), or fill an array in a loop"
    raise t.error("RG0101", "a list whose length is known at run time only", way_out)


_LAZY_TAKERS: tuple[object, ...] = (max, min)
_TAKERS: tuple[object, ...] = (
    np.array, np.asarray, np.stack, np.sum, np.max, np.min, np.mean, max, min,
)  # fmt: skip


@contextmanager
def _own_names(t: Tracer, target: ast.expr) -> Generator[None]:
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
        keep = [truth(t, t.eval(test)) for test in generator.ifs]
        if any(k not in (true, false) for k in keep):
            raise t.error("RG0101", "a list whose length is known at run time only", "write a loop")
        if false not in keep:
            found.append(t.eval(node.elt))
    return TupleValue(tuple(found), list)


Fold = Callable[[Tracer, Value, Callable[[], Value]], Value]


def _add(t: Tracer, total: Value, item: Callable[[], Value]) -> Value:
    return binary(t, "add", total, item())


def _until(disjunction: bool) -> Fold:
    def fold(t: Tracer, found: Value, item: Callable[[], Value]) -> Value:
        def known() -> Value:
            return found

        def test() -> Value:
            return Scalar(truth(t, item()))

        sides = (known, test) if disjunction else (test, known)
        return choose(t, truth(t, found), *sides)

    return fold


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
        t.state.cells[cell] = fold(t, t.state.cells[cell], lambda: t.eval(node.elt))

    t.frame.roots.append(steps.root)
    run_loop(t, Loop(body=body, assigned=_NONE, written=_NONE, trips=steps.trips, bind=bind))
    t.frame.roots.pop()
    return t.state.cells.pop(cell, UNBOUND)


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
            value = t.eval(node.elt)
        if isinstance(value, Scalar) or (deep and isinstance(value, ArrayRef)):
            return value
        if deep and isinstance(value, TupleValue):
            return t.call(Static(np.array), [value], {})
        raise t.error("RG0101", f"a comprehension of {describe(value)}", "fill an array in a loop")

    return rows(t, t.prim("imax", steps.trips, ilit(0)), item, steps.root)
