"""Loops over `itertools.product`, `np.ndindex` and their like, as loops inside one another."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from retrograd.frontend.syntax.keyed import names_for, place_of
from retrograd.frontend.syntax.lists import listed
from retrograd.frontend.syntax.targets import assign
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.freezing import frozen
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.kinds import ArrayRef, RangeValue, Scalar, Static, TupleValue, Value
from retrograd.frontend.values.lists import current
from retrograd.frontend.values.liveness import stored_names
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Lit, ilit
from retrograd.ir.types import Type

__all__ = ["as_generators", "as_list", "as_nested"]

_POOLED: tuple[Callable[[Sequence[Value], int], Iterable[tuple[Value, ...]]], ...] = (
    itertools.combinations, itertools.combinations_with_replacement, itertools.permutations,
)  # fmt: skip
_PLACES = (np.ndindex, np.ndenumerate)
_KINDS = (itertools.product, *_POOLED, *_PLACES)
_ITEM = " item"
Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class _Loops:
    """Names of the loops with what they run over; a test; and the tuple that is the item."""

    names: list[str]
    ranges: list[ast.expr]
    test: ast.expr | None
    item: ast.expr


def as_nested(t: Tracer, stm: ast.For) -> ast.For | None:
    """A loop over one of these as loops inside one another; None for all else."""
    found = _loops(t, stm.iter)
    if found is None:
        return None
    inner = [node for part in stm.body for node in _of_this_loop(part)]
    if stm.orelse or any(isinstance(node, ast.Break) for node in inner):
        return _over_list(found, stm)
    _unchanged(t, found, stm.body)
    body: list[ast.stmt] = [_at(ast.Assign([stm.target], found.item), stm.iter), *stm.body]
    if found.test is not None:
        body = [_at(ast.If(found.test, body, []), stm.iter)]
    t.frame.locals.update((name, t.ctx.fresh()) for name in found.names)
    for name, indices in zip(reversed(found.names), reversed(found.ranges), strict=True):
        target = ast.Name(name, ast.Store(), **place_of(stm.iter))
        body = [ast.copy_location(ast.For(target, indices, body, []), stm)]
    (loop,) = body
    assert isinstance(loop, ast.For)
    return loop


def _over_list(found: _Loops, stm: ast.For) -> ast.For:
    """A loop that may be left, over the list of what there is to run over."""
    generators = [
        ast.comprehension(ast.Name(name, ast.Store()), indices, [], 0)
        for name, indices in zip(found.names, found.ranges, strict=True)
    ]
    if found.test is not None:
        generators[-1].ifs.append(found.test)
    items = _at(ast.ListComp(found.item, generators), stm.iter)
    return ast.copy_location(ast.For(stm.target, items, stm.body, stm.orelse), stm)


def as_generators(t: Tracer, generators: list[ast.comprehension]) -> list[ast.comprehension]:
    """The generators of a comprehension, those over one of these as several."""
    made: list[ast.comprehension] = []
    for one in generators:
        found = _loops(t, one.iter)
        if found is None:
            made.append(one)
            continue
        place = place_of(one.iter)
        for name, indices in zip(found.names, found.ranges, strict=True):
            made.append(ast.comprehension(ast.Name(name, ast.Store(), **place), indices, [], 0))
        if found.test is not None:
            made[-1].ifs.append(found.test)
        single = ast.Tuple([found.item], ast.Load(), **place)
        made.append(ast.comprehension(one.target, single, one.ifs, 0))
    return made


def as_list(node: ast.Call, fun: Value) -> ast.ListComp | None:
    """The items of a call of one of `itertools` that stands elsewhere; None for all else."""
    obj = fun.obj if isinstance(fun, Static) else None
    if not any(obj is kind for kind in (itertools.product, *_POOLED)):
        return None
    item = ast.comprehension(ast.Name(_ITEM, ast.Store()), node, [], 0)
    return _at(ast.ListComp(ast.Name(_ITEM, ast.Load()), [item]), node)


def _loops(t: Tracer, node: ast.expr) -> _Loops | None:
    match node:
        case ast.Call(func=ast.Name() | ast.Attribute() as func, args=args, keywords=keywords):
            pass
        case _:
            return None
    if not _may_be_known(func):
        return None
    found = t.eval(func)
    obj = found.obj if isinstance(found, Static) else None
    if not any(obj is kind for kind in _KINDS):
        return None
    if any(obj is kind for kind in _PLACES):
        if keywords:
            raise t.error("RG0108", f"a keyword of np.{_name_of(func)}", "leave it out")
        return _places(t, args, node) if obj is np.ndindex else _enumerated(t, args, node)
    if any(isinstance(arg, ast.Starred) for arg in args):
        raise t.error("RG0101", "`*` in a call of itertools", "write the arguments out")
    if obj is itertools.product:
        return _product(t, args, keywords, node)
    return _pooled(t, obj, args, keywords, node)


def _may_be_known(func: ast.expr) -> bool:
    """Whether a name could be that of one of these, or of a module that has them."""
    names = {kind.__name__ for kind in _KINDS}
    return isinstance(func, ast.Name) or (isinstance(func, ast.Attribute) and func.attr in names)


def _name_of(func: ast.Name | ast.Attribute) -> str:
    """The last part of a name."""
    return func.id if isinstance(func, ast.Name) else func.attr


def _places(t: Tracer, args: list[ast.expr], node: ast.expr) -> _Loops:
    """`np.ndindex(2, n)`, `np.ndindex(*shape)` and `np.ndindex(shape)`."""
    extents: list[Value] = []
    for arg in args:
        value = frozen(t, t.eval(arg.value if isinstance(arg, ast.Starred) else arg))
        several = isinstance(arg, ast.Starred) or len(args) == 1
        extents += value.items if several and isinstance(value, TupleValue) else [value]
    if not extents:
        raise t.error("RG0108", "np.ndindex of nothing", "give it the extents to run over")
    ends = [_kept(t, extent, node) for extent in extents]
    names = names_for(t, len(ends))
    ranges = [_call(t, "range", range, [end], node) for end in ends]
    return _Loops(names, ranges, None, _tuple([_name(n, node) for n in names], node))


def _enumerated(t: Tracer, args: list[ast.expr], node: ast.expr) -> _Loops:
    """`np.ndenumerate(x)`: places and elements, as they are when the loop comes to them."""
    array = t.eval(args[0]) if len(args) == 1 and not isinstance(args[0], ast.Starred) else None
    if not isinstance(array, ArrayRef) or array.type.rank == 0:
        raise t.error("RG0108", "np.ndenumerate of this", "give it an array")
    held = _kept(t, array, node)
    shape = ast.Attribute(held, "shape", ast.Load())
    every = range(array.type.rank)
    ends = [_at(ast.Subscript(shape, ast.Constant(k), ast.Load()), node) for k in every]
    names = names_for(t, len(ends))
    ranges = [_call(t, "range", range, [end], node) for end in ends]
    place = _tuple([_name(n, node) for n in names], node)
    element = ast.Subscript(held, place, ast.Load())
    return _Loops(names, ranges, None, _tuple([place, element], node))


def _kept(t: Tracer, value: Value, node: ast.expr) -> ast.expr:
    """A name for a value."""
    (name,) = names_for(t, 1)
    t.frame.locals[name] = t.ctx.fresh()
    assign(t, ast.Name(name, ast.Store(), **place_of(node)), value)
    return _name(name, node)


def _product(
    t: Tracer, args: list[ast.expr], keywords: list[ast.keyword], node: ast.expr
) -> _Loops:
    times = 1
    for keyword in keywords:
        known = known_int(t, t.eval(keyword.value)) if keyword.arg == "repeat" else None
        if known is None:
            raise t.error("RG0108", "a keyword of itertools.product", "write repeat=2")
        times = known
    pools = [arg if _is_range(t, arg) else _taken(t, arg) for arg in args] * times
    if not pools:
        raise t.error("RG0108", "itertools.product of nothing", "give it what to run over")
    every = [_objects(t, pool) for pool in pools]
    if (known := [one for one in every if one is not None]) and len(known) == len(every):
        return _one_by_one(t, itertools.product(*known), node)
    names = names_for(t, len(pools))
    return _Loops(names, pools, None, _tuple([_name(n, node) for n in names], node))


def _pooled(
    t: Tracer, obj: object, args: list[ast.expr], keywords: list[ast.keyword], node: ast.expr
) -> _Loops:
    counted = _end_of_range(t, args[0]) if args else None
    pool = args[0] if counted or not args else _taken(t, args[0])
    end = counted or _call(t, "len", len, [pool], node)
    number = args[1] if len(args) == 2 else end if obj is itertools.permutations else None
    size = None if number is None or keywords else known_int(t, t.eval(number))
    (taken_from,) = (kind for kind in _POOLED if kind is obj)
    if size is None:
        raise t.error(
            "RG0113", f"{taken_from.__name__} of a number of items that is known at run time only",
            "name it in static_argnames",
        )  # fmt: skip
    if not 1 <= size <= 7:
        raise t.error(
            "RG0108", f"{taken_from.__name__} of {size} items", "take from 1 to 7 of them"
        )
    if counted is None and (known := _objects(t, pool)) is not None:
        return _one_by_one(t, taken_from(known, size), node)
    names = names_for(t, size)
    ranges: list[ast.expr] = []
    for k in range(size):
        low: list[ast.expr] = []
        if k and obj is not itertools.permutations:
            one = 0 if obj is itertools.combinations_with_replacement else 1
            before = _name(names[k - 1], node)
            low = [_at(ast.BinOp(before, ast.Add(), ast.Constant(one)), node)]
        ranges.append(_call(t, "range", range, [*low, end], node))
    test: ast.expr | None = None
    if obj is itertools.permutations and size > 1:
        pairs = itertools.combinations(names, 2)
        compared: list[ast.expr] = [
            ast.Compare(_name(a, node), [ast.NotEq()], [_name(b, node)]) for a, b in pairs
        ]
        test = _at(ast.BoolOp(ast.And(), compared) if len(compared) > 1 else compared[0], node)
    indices: list[ast.expr] = [_name(n, node) for n in names]
    taken: list[ast.expr] = [ast.Subscript(pool, i, ast.Load()) for i in indices]
    return _Loops(names, ranges, test, _tuple(indices if counted else taken, node))


_MOST = 64
"""So many items are known one by one."""


def _objects(t: Tracer, pool: ast.expr) -> list[Value] | None:
    """Items that are known one by one, where some of them are no numbers: a loop over places in
    them would have to choose among objects. None of all else."""
    if not isinstance(pool, ast.Name):
        return None
    known = steps_of(t, t.eval(pool)).known
    items = None if known is None else [current(t, item) for item in known]
    if not items or all(isinstance(item, Scalar | ArrayRef) for item in items):
        return None
    return items


def _one_by_one(t: Tracer, every: Iterable[tuple[Value, ...]], node: ast.expr) -> _Loops:
    """A loop over tuples that are known one by one."""
    found = list(itertools.islice(every, _MOST + 1))
    if len(found) > _MOST:
        raise t.error(
            "RG0108", f"more than {_MOST} combinations of objects", "write loops in one another"
        )
    held = _kept(t, TupleValue(tuple(TupleValue(one) for one in found)), node)
    (name,) = names_for(t, 1)
    return _Loops([name], [held], None, _name(name, node))


def _end_of_range(t: Tracer, node: ast.expr) -> ast.expr | None:
    """n of `range(n)`."""
    match node:
        case ast.Call(func=ast.Name(id="range") as func, args=[end], keywords=[]):
            return end if t.eval(func) == Static(range) else None
        case _:
            return None


def _is_range(t: Tracer, node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="range") as func, keywords=[]):
            return t.eval(func) == Static(range)
        case _:
            return False


def _taken(t: Tracer, node: ast.expr) -> ast.expr:
    """A name for what itertools takes out of an iterable before the loop begins.

    Rows of an array are views, so they are taken one by one as well as all at once.
    """
    value = t.eval(node)
    match value:
        case ArrayRef(type=Type(rank=1)):
            value = t.call(Static(np.array), [value], {})
        case ArrayRef() | TupleValue():
            pass
        case RangeValue() if (known := _few(t, value)) is not None:
            value = TupleValue(known)
        case _:
            value = listed(t, value)
    return _kept(t, value, node)


def _few(t: Tracer, numbers: RangeValue) -> tuple[Value, ...] | None:
    """The numbers of a literal range, if these are few."""
    steps = steps_of(t, numbers)
    if steps.at is None or not isinstance(steps.trips, Lit) or steps.trips.value > _MOST:
        return None
    return tuple(steps.at(Scalar(ilit(k), True)) for k in range(int(steps.trips.value)))


def _unchanged(t: Tracer, found: _Loops, body: list[ast.stmt]) -> None:
    """Refuses a body that assigns a number which a range inside would read again."""
    read = {n.id for node in found.ranges for n in ast.walk(node) if isinstance(n, ast.Name)}
    if both := sorted(read & set(stored_names(body))):
        raise t.error(
            "RG0101", f"a loop over combinations changes {both[0]!r}, which it runs over",
            "take another name in the loop",
        )  # fmt: skip


def _of_this_loop(node: ast.AST) -> list[ast.AST]:
    """A statement and what is in it, without the loops and functions inside."""
    inside = (ast.For, ast.While, ast.FunctionDef, ast.Lambda, ast.ClassDef)
    if isinstance(node, inside):
        return []
    return [
        node,
        *(found for child in ast.iter_child_nodes(node) for found in _of_this_loop(child)),
    ]


def _name(name: str, at: ast.expr) -> ast.expr:
    return ast.Name(name, ast.Load(), **place_of(at))


def _tuple(items: list[ast.expr], at: ast.expr) -> ast.expr:
    return _at(ast.Tuple(items, ast.Load()), at)


def _call(t: Tracer, name: str, obj: object, args: list[ast.expr], at: ast.expr) -> ast.expr:
    function = _name(name, at)
    if t.eval(function) != Static(obj):
        raise t.error("RG0107", f"{name!r} is not Python's here", "use another name")
    return _at(ast.Call(function, args, []), at)


def _at(node: Node, at: ast.AST) -> Node:
    return ast.fix_missing_locations(ast.copy_location(node, at))
