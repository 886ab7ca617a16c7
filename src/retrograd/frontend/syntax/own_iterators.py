"""Loops over objects of the user's whose class has `__next__`: items are asked for one by one.

`for x in it: body` is a `while` that is left where `__next__` raises StopIteration.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from retrograd.frontend.identity.one_by_one import given_by_next
from retrograd.frontend.library.instances import special
from retrograd.frontend.syntax.exits import exits
from retrograd.frontend.syntax.keyed import names_for, place_of
from retrograd.frontend.syntax.targets import assign
from retrograd.frontend.values.iterate import gives_next
from retrograd.frontend.values.kinds import Instance, Static, Value
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Tracer

__all__ = ["as_growing", "as_while", "items_taken"]


_TAKING: tuple[object, ...] = (
    sum, any, all, sorted, list, tuple, min, max, reversed, zip, enumerate, set, frozenset,
)  # fmt: skip


def items_taken(t: Tracer, fun: object, args: Sequence[Value]) -> Sequence[Value]:
    """Arguments, with lists of the items of such iterators where the function takes them all."""
    own = [arg for arg in args if gives_next(arg)]
    if not own or not any(fun is one for one in _TAKING):
        return args
    if any(own.count(one) > 1 for one in own):
        raise t.error(
            "RG0101", "one iterator is taken from twice at once", "make a list of it: list(..)"
        )
    return [t.call(Static(given_by_next), [arg], {}) if arg in own else arg for arg in args]


def as_while(t: Tracer, stm: ast.For, value: Value) -> ast.While | None:
    """A loop over an object as a `while`; None where its class has not both methods."""
    if not isinstance(value, Instance) or not gives_next(value):
        return None
    held = special(t, "__iter__", value)
    if held is None or not gives_next(held):
        return None
    name, going = names_for(t, 2)
    t.frame.locals |= {name: t.ctx.fresh(), going: t.ctx.fresh()}
    place = place_of(stm.iter)
    assign(t, ast.Name(name, ast.Store(), **place), held)
    assign(t, ast.Name(going, ast.Store(), **place), literal(True))
    step = ast.Call(ast.Attribute(ast.Name(name, ast.Load()), "__next__", ast.Load()), [], [])
    take = ast.Assign([stm.target], step)
    stop = ast.Assign([ast.Name(going, ast.Store())], ast.Constant(False))
    handler = ast.ExceptHandler(ast.Name("StopIteration", ast.Load()), None, [stop])
    body = ast.Try([take], [handler], stm.body, [])
    for node in (take, handler, body):
        ast.fix_missing_locations(ast.copy_location(node, stm.iter))
    loop = ast.While(ast.Name(going, ast.Load(), **place), [body], stm.orelse)
    return ast.copy_location(loop, stm)


def as_growing(t: Tracer, stm: ast.For, value: Value) -> ast.While | None:
    """A loop over a list that its body appends to as a `while` over places; None of others.

    Python asks before each iteration whether there is a next place, and so does this.
    """
    if not isinstance(value, Instance) or value.cls is not list or not _grows(stm):
        return None
    name, at = names_for(t, 2)
    t.frame.locals |= {name: t.ctx.fresh(), at: t.ctx.fresh()}
    place = place_of(stm.iter)
    assign(t, ast.Name(name, ast.Store(), **place), value)
    assign(t, ast.Name(at, ast.Store(), **place), literal(0))
    count = ast.Call(ast.Attribute(ast.Name(name, ast.Load()), "__len__", ast.Load()), [], [])
    test = ast.Compare(ast.Name(at, ast.Load()), [ast.Lt()], [count])
    item = ast.Subscript(ast.Name(name, ast.Load()), ast.Name(at, ast.Load()), ast.Load())
    take = ast.Assign([stm.target], item)
    step = ast.AugAssign(ast.Name(at, ast.Store()), ast.Add(), ast.Constant(1))
    for node in (test, take, step):
        ast.fix_missing_locations(ast.copy_location(node, stm.iter))
    return ast.copy_location(ast.While(test, [take, step, *stm.body], stm.orelse), stm)


def _grows(stm: ast.For) -> bool:
    """Whether a loop that only its end leaves appends to the list with a name that it is over."""
    if not isinstance(stm.iter, ast.Name) or any(exits(stm.body)):
        return False
    for part in stm.body:
        for node in ast.walk(part):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend")
                ) if name == stm.iter.id:
                    return True
                case _:
                    pass
    return False
