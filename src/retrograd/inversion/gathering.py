"""Adjoints of sums and of arrays that loops build up, without a function for all of it.

`s = 0.0` and then `s += e` in loops, where no e reads s: the cotangent of s goes through each e by
itself, to the elements that e reads. The pullback of the whole would give arrays of zeros with a
few cotangents for every array that it reads a part of.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from retrograd.inversion.places import bound_by, names_read, root_of
from retrograd.inversion.prepare import call, like, load, store

__all__ = ["Gatherer", "gathered"]


class Gatherer(Protocol):
    """What writes the cotangents of single expressions: `AdjointWriter`."""

    def accumulated(self, expr: ast.expr, bar: ast.expr, node: ast.AST) -> list[ast.stmt]:
        """Adds the cotangents of what an expression reads."""
        ...

    def part(
        self, place: ast.expr, op: ast.operator, value: ast.expr, node: ast.AST
    ) -> list[ast.stmt]:
        """Adds the cotangents of what a part of a place reads."""
        ...

    def bar_of(self, node: ast.expr, ctx: ast.expr_context) -> ast.expr:
        """The part of a variable's cotangent that belongs to a place."""
        ...

    def zeros(self, name: str, of: ast.expr) -> ast.stmt:
        """A cotangent that begins with zeros."""
        ...

    def counts(self, name: str) -> None:
        """A variable is that of a loop over a range."""
        ...


@dataclass(frozen=True, slots=True)
class _Begin:
    """`name = value`, where a sum or an array begins, or a local of one iteration."""

    node: ast.Assign
    name: str
    value: ast.expr


@dataclass(frozen=True, slots=True)
class _Part:
    """`place += value`, `place -= value`, or `place = value` of an element."""

    node: ast.stmt
    place: ast.expr
    value: ast.expr
    op: ast.operator | None


@dataclass(frozen=True, slots=True)
class _Within:
    """A loop over a range, or one side of a branch."""

    node: ast.For | ast.If
    body: tuple[_Item, ...]
    orelse: tuple[_Item, ...] = ()


_Item = _Begin | _Part | _Within


def gathered(
    body: Sequence[ast.stmt], live: frozenset[str], local: frozenset[str],
    resolve: Callable[[ast.AST], object], writer: Gatherer,
) -> list[ast.stmt] | None:  # fmt: skip
    """The adjoint of a group of statements; None where it is not of that kind.

    Args:
        body: the statements.
        live: the locals that it defines and that have cotangents.
        local: all variables of the function.
        resolve: says what global names stand for.
        writer: writes the cotangents of expressions.
    """
    loops = [node for stm in body for node in ast.walk(stm) if isinstance(node, ast.For)]
    sums = frozenset(name for stm in body for node in ast.walk(stm) for name in _changes(node))
    begun = frozenset(name for stm in body for name in _begins(stm))
    if not loops or not sums <= begun or not live <= begun or not _scoped(body, local):
        return None
    found = _Items(sums, local, resolve).all(body)
    if found is None:
        return None
    for loop in loops:
        if isinstance(loop.target, ast.Name):
            writer.counts(loop.target.id)
    return _Written(sums, live, writer).block(found)


def _changes(node: ast.AST) -> list[str]:
    """The local that a statement adds to, or writes an element of."""
    match node:
        case ast.AugAssign(target=place) | ast.Assign(targets=[ast.Subscript() as place]):
            name = root_of(place)
            return [] if name is None else [name]
        case _:
            return []


def _begins(stm: ast.AST) -> list[str]:
    match stm:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return [name]
        case _:
            return []


def _scoped(body: Sequence[ast.stmt], local: frozenset[str]) -> bool:
    """Whether what the statements define is defined once, and read below that in its own block.

    Then the value that a read has met is there when its block has been gone through again.
    """
    nodes = [node for stm in body for node in ast.walk(stm)]
    targets = frozenset(n for node in nodes if isinstance(node, ast.For) for n in _target(node))
    own = targets.union(*(_begins(node) for node in nodes))

    def holds(block: Sequence[ast.stmt], known: frozenset[str]) -> bool:
        for stm in block:
            inner = ()
            match stm:
                case ast.For(iter=head) | ast.If(test=head):
                    inner, new = (stm.body, stm.orelse), _target(stm)
                case _:
                    head, new = stm, _begins(stm)
            if (names_read(head, local) & own) - known or known.intersection(new):
                return False
            below = known.union(new)
            if not all(holds(part, below) for part in inner):
                return False
            known = known if inner else below
        return True

    return holds(body, frozenset())


def _target(stm: ast.For | ast.If) -> frozenset[str]:
    return bound_by(stm.target) if isinstance(stm, ast.For) else frozenset()


@dataclass(frozen=True, slots=True)
class _Items:
    """Reads statements; None of those that are not of the kind."""

    sums: frozenset[str]
    local: frozenset[str]
    resolve: Callable[[ast.AST], object]

    def all(self, body: Sequence[ast.stmt]) -> tuple[_Item, ...] | None:
        found: list[_Item] = []
        for stm in body:
            item = self.item(stm)
            if item is None:
                return None
            found.append(item)
        return tuple(found)

    def item(self, stm: ast.stmt) -> _Item | None:
        match stm:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self.free(value):
                return _Begin(stm, name, value)
            case ast.Assign(targets=[ast.Subscript() as place], value=value):
                return self.part(stm, place, value, None)
            case ast.AugAssign(target=place, op=ast.Add() | ast.Sub() as op, value=value):
                return self.part(stm, place, value, op)
            case ast.For(target=ast.Name(), iter=ast.Call(func=func) as indices, orelse=[]) if (
                self.resolve(func) is range and self.free(indices)
            ):
                inner = self.inner(stm.body)
                return None if inner is None else _Within(stm, inner)
            case ast.If(test=test) if self.free(test):
                then, orelse = self.inner(stm.body), self.inner(stm.orelse)
                return None if then is None or orelse is None else _Within(stm, then, orelse)
            case _:
                return None

    def part(
        self, stm: ast.stmt, place: ast.expr, value: ast.expr, op: ast.operator | None
    ) -> _Part | None:
        keys: list[ast.expr] = []
        inner = place
        while isinstance(inner, ast.Subscript):
            keys.append(inner.slice)
            inner = inner.value
        known = isinstance(inner, ast.Name) and inner.id in self.sums
        return _Part(stm, place, value, op) if known and self.free(value, *keys) else None

    def inner(self, body: Sequence[ast.stmt]) -> tuple[_Item, ...] | None:
        """The statements of a block inside, in which no sum begins."""
        found = self.all(body)
        if found is None or any(i.name in self.sums for i in found if isinstance(i, _Begin)):
            return None
        return found

    def free(self, *nodes: ast.expr) -> bool:
        """Whether expressions read no sum."""
        return not any(names_read(node, self.local) & self.sums for node in nodes)


@dataclass(frozen=True, slots=True)
class _Written:
    """Writes adjoints; values of sums are not needed, nor those of what has no cotangent."""

    sums: frozenset[str]
    live: frozenset[str]
    writer: Gatherer

    def item(self, item: _Item) -> Iterator[ast.stmt]:
        match item:
            case _Begin(node=node, name=name, value=value):
                if name in self.live or name not in self.sums:
                    bar = self.writer.bar_of(load(name, node), ast.Load())
                    yield from self.writer.accumulated(value, bar, node)
            case _Part(node=node, place=place, value=value, op=op):
                if root_of(place) in self.live:
                    yield from self.writer.part(place, op or ast.Add(), value, node)
                    if op is None:  # what the element was before is not used
                        bar = self.writer.bar_of(place, ast.Store())
                        yield like(ast.Assign([bar], ast.Constant(0.0)), node)
            case _Within(node=ast.For(target=ast.Name(id=name), iter=indices) as node):
                if body := self.block(item.body):
                    turned = call("reversed", node, copy.deepcopy(indices))
                    yield like(ast.For(store(name, node), turned, body, []), node)
            case _Within(node=node):
                then, orelse = self.block(item.body), self.block(item.orelse)
                if then or orelse:
                    test = copy.deepcopy(node.test) if isinstance(node, ast.If) else ast.Constant(1)
                    yield like(ast.If(test, then or [ast.Pass()], orelse), node)

    def block(self, items: Sequence[_Item]) -> list[ast.stmt]:
        """Locals again, and then cotangents from the last statement to the first."""
        begun = [i for i in items if isinstance(i, _Begin) and i.name not in self.sums]
        back = [made for item in reversed(items) for made in self.item(item)]
        if not back:
            return []
        again = [like(ast.Assign([store(i.name, i.node)], copy.deepcopy(i.value)), i.node)
                 for i in begun]  # fmt: skip
        new = (i for i in begun if i.name not in self.live)
        return [*again, *(self.writer.zeros(i.name, load(i.name, i.node)) for i in new), *back]
