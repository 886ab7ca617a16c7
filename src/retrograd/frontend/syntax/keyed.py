"""`max` and `min` by a key, and `map` and `filter`, which become comprehensions and loops."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count

import numpy as np

from retrograd.frontend.identity.buffers import ListBuffer, ListObject, ListRow
from retrograd.frontend.identity.standard_library import greatest, joined, least, max_or, min_or
from retrograd.frontend.identity.uneven_arrays import concatenated
from retrograd.frontend.library.args import bind
from retrograd.frontend.library.operators import compare_values
from retrograd.frontend.syntax.branches import choose
from retrograd.frontend.syntax.loops import Loop, run_loop
from retrograd.frontend.values.item_forms import content_form
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.kinds import (
    UNBOUND,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
    parts,
)  # fmt: skip
from retrograd.frontend.values.lists import content_of, current, is_list
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.liveness import stored_names
from retrograd.frontend.values.scalars import truth
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.frontend.values.uneven_arrays import uneven_in
from retrograd.ir.terms import ilit

__all__ = ["as_comprehension", "as_loop", "keyed", "names_for", "place_of"]

_NONE: frozenset[str] = frozenset()


def keyed(
    t: Tracer, obj: object, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Handler | None:
    """What stands for `max` or `min` with a key or a default, and for these and `sum` of a list of
    lists or tuples whose length is not known; None for all else."""
    if obj is sum and args and _has_rows(t, args[0]):
        return _joined
    if args and _is_joined(t, obj, args, kwargs):
        return lambda t, args, kwargs: t.call(Static(concatenated), args[:1], {})
    if obj is not max and obj is not min:
        return None
    if "default" in kwargs:
        return partial(_called, max_or if obj is max else min_or)
    if "key" not in kwargs:
        rows = len(args) == 1 and _has_rows(t, args[0], objects=True)
        return partial(_called, greatest if obj is max else least) if rows else None
    return _largest if obj is max else _smallest


def _has_rows(t: Tracer, value: Value, objects: bool = False) -> bool:
    """Whether it is a list with buffers, whose items are lists, tuples or, if wanted, objects."""
    if not is_list(value):
        return False
    assert isinstance(value, Instance)
    content = t.content(value.cells[0])
    if not isinstance(content, TupleValue) or content.cls is not ListBuffer:
        return False
    form = content_form(t, content, t.content)
    if not isinstance(form, TupleValue):
        return False
    return form.cls in (tuple, ListRow) or (objects and issubclass(form.cls, ListObject))


def _is_joined(t: Tracer, obj: object, args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    """Whether arrays of different lengths, in a list, are put behind one another."""
    if obj not in (np.concatenate, np.hstack, np.vstack) or not is_list(args[0]):
        return False
    content = content_of(t, args[0])
    cls = uneven_in(content.items[0]) if content.cls is ListBuffer else None
    if cls is None:
        return False
    if obj is not np.concatenate:
        return (cls.lists.rank == 1) is (obj is np.hstack)
    axes = [*args[1:], *kwargs.values()]
    known = [static_int(axis) for axis in axes if isinstance(axis, Scalar)]
    return len(known) == len(axes) <= 1 and all(axis in (0, -cls.lists.rank) for axis in known)


def _joined(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`sum` of a list of lists or tuples."""
    rows, start = bind(t, "sum", args, kwargs, "iterable start")
    assert rows is not None
    if isinstance(start, TupleValue) and start.cls is tuple:
        raise t.error(
            "RG0110", "a tuple whose length is known at run time only",
            "begin with a list: sum(rows, [])",
        )  # fmt: skip
    return t.call(Static(joined), (rows,) if start is None else (rows, start), {})


def _called(
    fun: Callable[..., object], t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    return t.call(Static(fun), args, kwargs)


def _largest(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    return _extreme(t, "max", "gt", args, kwargs)


def _smallest(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    return _extreme(t, "min", "lt", args, kwargs)


def _extreme(
    t: Tracer, name: str, test: str, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """The first item whose key is the largest (smallest); each key is asked for once."""
    given = [TupleValue(tuple(args))] if len(args) > 1 else list(args)
    items, key = bind(t, name, given, kwargs, "iterable key", 2)
    assert items is not None
    assert key is not None
    fun = key

    def pair(item: Value) -> Value:
        one = current(t, item)
        return TupleValue((one, t.call(fun, [one], {})))

    def better(best: Value, item: Value) -> Value:
        other = pair(item)
        ahead = truth(t, compare_values(t, test, parts(other)[1], parts(best)[1]))
        return choose(t, ahead, lambda: other, lambda: best)

    steps = steps_of(t, items)
    if (found := steps.known) is not None:
        if not found:
            raise t.error("RG0108", f"{name} of nothing", "test first whether there are items")
        best = pair(found[0])
        for item in found[1:]:
            best = better(best, item)
        return parts(best)[0]
    at, cell = steps.at, t.ctx.fresh()
    assert at is not None
    some = t.prim("gt", steps.trips, ilit(0))
    t.check(some, "ValueError", f"{name}() iterable argument is empty")
    t.state.cells[cell] = pair(at(Scalar(ilit(0), True)))
    now = list[Scalar]()

    def body() -> None:
        index = Scalar(t.prim("add", now[0].atom, ilit(1)), True)
        t.state.cells[cell] = better(t.state.cells[cell], at(index))

    t.frame.roots.append(steps.root)
    run_loop(t, Loop(
        body=body, assigned=_NONE, written=_NONE, trips=t.prim("sub", steps.trips, ilit(1)),
        bind=lambda index: now.__setitem__(slice(None), [index]),
    ))  # fmt: skip
    t.frame.roots.pop()
    return parts(t.state.cells.pop(cell, UNBOUND))[0]


_CONSUMERS: tuple[object, ...] = (sum, list, tuple, max, min, any, all, sorted, next)
"""Functions that take items at once, so nothing else happens between two of them."""


def _parts(t: Tracer, node: ast.expr) -> tuple[object, ast.expr, list[ast.expr]] | None:
    """Of `map(f, a, ..)` and `filter(f, a)` which of them it is, the function and the rest."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[function, *rest], keywords=[]) if (
            name in ("map", "filter") and name not in t.frame.locals and rest
        ):
            pass
        case _:
            return None
    found = t.eval(node.func)
    obj = found.obj if isinstance(found, Static) else None
    if obj is not builtins.map and obj is not builtins.filter:
        return None
    if obj is builtins.filter and len(rest) > 1:
        raise t.error("RG0108", "filter of several", "give it one iterable")
    match function:
        case ast.Name() | ast.Attribute() | ast.Constant(value=None):
            pass
        case ast.Lambda(args=ast.arguments(defaults=[], kw_defaults=[])):
            pass
        case _:
            function = _named(t, function)
    return obj, function, rest


def _named(t: Tracer, function: ast.expr) -> ast.Name:
    """A function that is made there, as `partial(f, a)`, under a name: it is made once."""
    (name,) = names_for(t, 1)
    made, cell = t.eval(function), t.ctx.fresh()
    t.frame.locals[name], t.state.cells[cell] = cell, made
    return ast.Name(name, ast.Load(), **place_of(function))


def names_for(t: Tracer, number: int) -> list[str]:
    """Names that the program has not."""
    free = (f"item {k}" for k in count() if f"item {k}" not in t.frame.locals)
    return [next(free) for _ in range(number)]


def _iterable(t: Tracer, rest: list[ast.expr], at: ast.expr) -> ast.expr:
    """What is iterated over: several iterables as `zip` of them."""
    if len(rest) == 1:
        return rest[0]
    if t.eval(zipped := ast.Name("zip", ast.Load(), **place_of(at))) != Static(zip):
        raise t.error("RG0107", "`zip` is not Python's here", "use another name")
    return ast.Call(zipped, rest, [], **place_of(at))


def place_of(node: ast.expr) -> dict[str, int]:
    """The place of an expression, for others that stand for it."""
    return {
        "lineno": node.lineno, "col_offset": node.col_offset,
        "end_lineno": node.end_lineno or node.lineno,
        "end_col_offset": node.end_col_offset or node.col_offset,
    }  # fmt: skip


def _item(names: list[str], at: ast.expr, ctx: ast.expr_context) -> ast.expr:
    found: list[ast.expr] = [ast.Name(name, ctx, **place_of(at)) for name in names]
    return found[0] if len(found) == 1 else ast.Tuple(found, ctx, **place_of(at))


def _applied(function: ast.expr, names: list[str], at: ast.expr) -> ast.expr:
    given: list[ast.expr] = [ast.Name(name, ast.Load(), **place_of(at)) for name in names]
    if isinstance(function, ast.Constant):
        return given[0]
    return ast.Call(function, given, [], **place_of(at))


def as_comprehension(t: Tracer, node: ast.expr, fun: Value) -> ast.GeneratorExp | None:
    """`map` or `filter` as the argument of a function that takes all items; None for all else."""
    obj = fun.obj if isinstance(fun, Static) else None
    if not any(obj is one for one in _CONSUMERS) or (found := _parts(t, node)) is None:
        return None
    kind, function, rest = found
    names = names_for(t, len(rest))
    applied, target = _applied(function, names, node), _item(names, node, ast.Store())
    tests = [applied] if kind is builtins.filter else []
    value = applied if kind is builtins.map else _item(names, node, ast.Load())
    one = ast.comprehension(target, _iterable(t, rest, node), tests, 0)
    return ast.GeneratorExp(value, [one], **place_of(node))


def as_loop(t: Tracer, stm: ast.For) -> ast.For | None:
    """A loop over `map` or `filter` as one over what they take; None for all else."""
    if (found := _parts(t, stm.iter)) is None:
        return None
    kind, function, rest = found
    if isinstance(function, ast.Name) and function.id in stored_names(stm.body):
        raise t.error("RG0107", "the loop assigns the function of its `map`", "name it before")
    names = names_for(t, len(rest))
    t.frame.locals.update((name, t.ctx.fresh()) for name in names)
    applied, target = _applied(function, names, stm.iter), _item(names, stm.iter, ast.Store())
    value = applied if kind is builtins.map else _item(names, stm.iter, ast.Load())
    assigned = ast.copy_location(ast.Assign([stm.target], value), stm.iter)
    body: list[ast.stmt] = [assigned, *stm.body]
    if kind is builtins.filter:
        body = [ast.copy_location(ast.If(applied, body, []), stm.iter)]
    loop = ast.For(target, _iterable(t, rest, stm.iter), body, stm.orelse)
    return ast.copy_location(loop, stm)
