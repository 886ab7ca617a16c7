"""Iterators that are given a name, returned, or handed to a function."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from types import FunctionType, GeneratorType
from typing import Any, cast

from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.values.iterate import Steps, steps_of
from retrograd.frontend.values.iterators import is_iterator, iterator_of, must_stay, seen_in
from retrograd.frontend.values.kinds import (
    Closure,
    Enumerate,
    Instance,
    Static,
    TupleValue,
    Value,
    Zip,
)
from retrograd.frontend.values.seen import NOTHING_SEEN, Seen
from retrograd.frontend.values.tracer import Tracer

__all__ = ["given", "kept", "lending", "seen_by", "stepped"]


def kept(t: Tracer, node: ast.expr, value: Value, stm: ast.stmt | None = None) -> Value:
    """The value of an expression that is used later: an iterator gives its items once.

    `stm` is the assignment that gives it a name.
    """
    if isinstance(stm, ast.Return) and t.ctx.seen.get(_cell(value), NOTHING_SEEN) != NOTHING_SEEN:
        raise t.error("RG0101", "an iterator that has read its items is returned", "list(..)")
    match node, value:
        case _ if is_iterator(value):
            return value
        case (_, Zip()):
            return iterator_of(t, zip, value)
        case (_, Enumerate()):
            return iterator_of(t, enumerate, value)
        case (ast.GeneratorExp() as generator, _):
            if stm is None or not _used_at_once(t, stm):
                raise t.error(
                    "RG0101", "a generator expression that is kept",
                    "write a list, [...], or use the generator in the next statement, once",
                )  # fmt: skip
            return iterator_of(t, GeneratorType, value, seen_by(t, generator))
        case (ast.Call(func=ast.Name(id="reversed") as name), _) if t.eval(name) == Static(
            builtins.reversed
        ):
            return iterator_of(t, reversed, value)
        case _:
            return value


def given(t: Tracer, node: ast.expr, value: Value, fun: Value) -> Value:
    """An argument of a function: one of the user's may iterate over it twice."""
    match fun:
        case Closure():
            pass
        case Static(obj=FunctionType() as function):
            if package_of(function) is not None or id(function) in t.ctx.engine.library:
                return value
        case _:
            return value
    if isinstance(node, ast.GeneratorExp) and not is_iterator(value):
        t.ctx.kept = True
        return iterator_of(t, GeneratorType, value, seen_by(t, node))
    return kept(t, node, value)


def _cell(value: Value) -> int:
    return value.cells[0] if isinstance(value, Instance) and is_iterator(value) else -1


# What has been read before the items are used.


def seen_by(t: Tracer, node: ast.expr) -> Seen:
    """What an expression may have read."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    known = {**t.frame.outer, **t.frame.locals}
    return seen_in(t, (), [known[name] for name in names & known.keys()])


@contextmanager
def stepped(
    t: Tracer, node: ast.expr, look: Callable[[Value], None] = lambda value: None
) -> Generator[Steps]:
    """The iterations over an expression, for as long as they are gone through.

    `look` is given its value first.
    Some of it may have been read for all of them by now, which Python reads in between: so that
    must not change.
    """
    with t.at(node):
        value = t.eval(node)
        look(value)
        ahead = [seen_by(t, one) for one in _generators(t, node)]
        outer, t.ahead = t.ahead, ahead
        try:
            steps = steps_of(t, value)
        finally:
            t.ahead = outer
    t.frame.roots.append(TupleValue(tuple(root for seen in ahead for root in seen.roots)))
    yield steps
    with t.at(node):
        for seen in ahead:
            must_stay(t, seen)
    t.frame.roots.pop()


def _generators(t: Tracer, node: ast.expr) -> Iterator[ast.expr]:
    """Generator expressions that a loop runs over, as they are or in a function that hands on."""
    match node:
        case ast.GeneratorExp():
            yield node
        case ast.Call(func=ast.Name() as name, args=args) if t.eval(name) in _HANDING_ON:
            for arg in args:
                yield from _generators(t, arg)
        case _:
            return


_HANDING_ON = tuple(map(Static, (zip, enumerate, iter)))


@contextmanager
def lending(t: Tracer, args: Iterable[Value]) -> Generator[None]:
    """A call of a function that is given iterators: what they have read stays as it is in it."""
    cells = [_cell(arg) for arg in args if is_iterator(arg)]
    seen = {cell: t.ctx.seen.pop(cell, NOTHING_SEEN) for cell in cells}
    for one in seen.values():
        must_stay(t, one)
    try:
        yield
    finally:
        t.ctx.seen |= seen
    for one in seen.values():
        must_stay(t, one)


def _used_at_once(t: Tracer, stm: ast.stmt) -> bool:
    """Whether the next statement, and nothing else, uses the name that is assigned."""
    match stm:
        case ast.Assign(targets=[ast.Name(id=name)]):
            pass
        case _:
            return False
    loads = [
        node for node in ast.walk(t.frame.source.node)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]  # fmt: skip
    for body in _blocks(t.frame.source.node):
        for one, following in pairwise(body):
            if one is stm and not isinstance(following, ast.For | ast.While | ast.If | ast.Try):
                return len(loads) == 1 and any(node is loads[0] for node in ast.walk(following))
    return False


def _blocks(root: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    for node in ast.walk(root):
        for name in ("body", "orelse", "finalbody"):
            block: Any = getattr(node, name, None)
            if isinstance(block, list):
                yield cast("list[ast.stmt]", block)
