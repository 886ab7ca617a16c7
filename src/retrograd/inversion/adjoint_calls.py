"""Calls in adjoints: undone by the adjoint of the function, which takes and gives cotangents."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from retrograd.errors import Limitation
from retrograd.frontend.identity.transformed import BARS
from retrograd.inversion import support
from retrograd.inversion.complaints import headline
from retrograd.inversion.keys import keys_of
from retrograd.inversion.places import root_of, same
from retrograd.inversion.prepare import like, load, store
from retrograd.inversion.statements import CallStep
from retrograd.inversion.write import Writer, place, value

__all__ = ["Cotangents", "call_undone"]


class Cotangents(Protocol):
    """What writes cotangents: `AdjointWriter`."""

    writer: Writer
    adjoint: object

    def bar(self, name: str) -> str: ...
    def bar_of(self, node: ast.expr, ctx: ast.expr_context) -> ast.expr: ...
    @property
    def varied(self) -> frozenset[str]: ...
    def added(self, leaf: ast.expr, k: int, name: str, node: ast.AST) -> ast.stmt: ...
    def accumulated(self, expr: ast.expr, bar: ast.expr, node: ast.AST) -> list[ast.stmt]: ...
    def some(self, what: ast.expr, then: list[ast.stmt], node: ast.AST) -> ast.stmt: ...
    def give(self, leaf: ast.expr, bar: ast.expr, node: ast.AST) -> ast.stmt: ...


@dataclass(frozen=True, slots=True)
class _Given:
    """An argument, and the parameter that takes it.

    `through`: the function changes it, so that its cotangent is another one as well. `put`: the
    result is put back to it. Of the arguments of `*args` it is the one at `place`.
    """

    arg: ast.expr
    position: int
    through: bool
    put: bool
    place: int | None = None

    @property
    def inner(self) -> ast.expr:
        """The argument without a star."""
        return self.arg.value if isinstance(self.arg, ast.Starred) else self.arg

    def of(self, name: str, node: ast.AST) -> ast.expr:
        """What a tuple of the parameters has for this argument; a tuple for one with a star."""
        found: ast.expr = ast.Subscript(load(name, node), ast.Constant(self.position), ast.Load())
        if self.place is not None:
            first = ast.Constant(self.place)
            starred = isinstance(self.arg, ast.Starred)
            found = ast.Subscript(found, ast.Slice(first) if starred else first, ast.Load())
        return like(found, node)


def call_undone(made: Cotangents, stm: CallStep) -> Iterator[ast.stmt]:
    """The statements that undo a call and take cotangents back through it.

    Raises:
        Limitation: arguments are put together in a dict, or spread from what is no variable.
    """
    node, writer = stm.node, made.writer
    function = value(stm.function)
    if stm.inverted:
        function = writer.helper(writer.inverse, "inverse", node, function)
    given = list(_given(made, stm))
    adjoint = writer.helper(made.adjoint, "adjoint_of", node, function)
    words = [ast.keyword(k.arg, value(k.value)) for k in stm.keywords]
    words.append(ast.keyword(BARS, ast.Tuple(_bars(made, stm, given), ast.Load())))
    called = ast.Call(adjoint, [value(arg) for arg in stm.args], words)
    before, after = writer.inserted.fresh.name("before"), writer.inserted.fresh.name("after")
    yield from writer.assumed(stm)
    yield from writer.pairs(stm.apart, node)
    both = ast.Tuple([store(before, node), store(after, node)], ast.Store())
    yield like(ast.Assign([both], called), node)
    for one in given:
        yield from _ended(made, one, before, after, node)


def _given(made: Cotangents, stm: CallStep) -> Iterator[_Given]:
    """The arguments, in order."""
    first = [] if stm.receiver is None else [stm.receiver]
    every = [*first, *stm.args, *(k.value for k in stm.keywords)]
    changed = [ast.dump(arg) for arg in stm.changed]
    local = stm.receiver is not None and root_of(stm.receiver) in made.writer.code.locals
    gathered = 0
    for k, (position, arg) in enumerate(zip(stm.positions, every, strict=True)):
        starred = isinstance(arg, ast.Starred)
        last = stm.positions[k + 1 : k + 2] != (position,)
        if position == stm.worded or (starred and (root_of(arg) is None or not last)):
            raise Limitation(
                "RG0510", f"the adjoint of `{headline(stm.node)}`, which gathers its arguments in "
                "a dict, or spreads what is no variable, or not the last",
                way_out="give it the arrays one by one",
            )  # fmt: skip
        through = local if k < len(first) else ast.dump(arg) in changed
        put = stm.targets is not None and any(same(arg, t) for t in keys_of(stm.targets))
        place_ = gathered if position == stm.gathered else None
        gathered += position == stm.gathered
        yield _Given(arg, position, through, put, place_)


def _bars(made: Cotangents, stm: CallStep, given: Sequence[_Given]) -> list[ast.expr]:
    """The cotangents of all parameters."""
    bars: list[ast.expr] = [ast.Constant(None) for _ in range(stm.count)]
    gathered: list[ast.expr] = []
    for one in given:
        if not one.through and one.arg is stm.receiver:
            continue
        bar = _begun(made, one, stm.node)
        if one.place is None:
            bars[one.position] = bar
        else:
            gathered.append(bar)
    if stm.gathered is not None:
        bars[stm.gathered] = ast.Tuple(gathered, ast.Load())
    return bars


def _begun(made: Cotangents, one: _Given, node: ast.AST) -> ast.expr:
    if one.through:
        bar = _bar_of(made, one.inner)
    else:
        bar = made.writer.helper(support.zeros_of, "zeros_of", node, value(one.inner))
    return ast.Starred(bar, ast.Load()) if isinstance(one.arg, ast.Starred) else bar


def _ended(
    made: Cotangents, one: _Given, before: str, after: str, node: ast.stmt
) -> Iterator[ast.stmt]:
    """An argument as it was before the call, and its cotangent then."""
    gain = one.of(after, node)
    if isinstance(one.arg, ast.Starred) and one.through:  # it holds arrays, which stay themselves
        bar = made.bar_of(one.inner, ast.Load())
        whole = made.writer.helper(support.like_parts, "like_parts", node, bar, gain)
        yield like(ast.Assign([made.bar_of(one.inner, ast.Store())], whole), node)
    elif one.through:
        if one.put:  # others are changed in place
            was = one.of(before, node)
            moved = like(ast.Assign([place(one.arg)], was), node)
            yield made.some(one.of(before, node), [moved], node)
        yield made.give(one.arg, gain, node)
    elif isinstance(one.arg, ast.Name) and one.place is None and one.arg.id in made.varied:
        yield made.added(one.arg, one.position, after, node)
    elif found := made.accumulated(value(one.inner), gain, node):
        yield made.some(one.of(after, node), found, node)


def _bar_of(made: Cotangents, arg: ast.expr) -> ast.expr:
    """The cotangent of an argument that changes; None of a part of what has none."""
    root = root_of(arg)
    if root is None or isinstance(arg, ast.Name):
        return made.bar_of(arg, ast.Load())
    test = ast.Compare(load(made.bar(root), arg), [ast.Is()], [ast.Constant(None)])
    return ast.IfExp(test, ast.Constant(None), made.bar_of(arg, ast.Load()))
