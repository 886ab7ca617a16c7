"""The syntax of a generator function and of a loop over it, made that of two functions.

The generator calls the loop's body where it yields, and is left where the body says so. The body
changes the variables of the function that the loop stands in.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from retrograd.errors import Span, UserError

__all__ = [
    "BODY", "Flags", "calling", "forwarded", "generating", "looped_body", "own_yields",
]  # fmt: skip

BODY = ".body"
"""The generator's parameter; no name of a program's."""

_ITEM, _ITEMS = ".item", ".items"
_NESTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Flags:
    """The variables that say how a loop was left: by `break` or `return`, and with which result."""

    left: str
    returned: str
    result: str

    @classmethod
    def of(cls, stm: ast.For) -> Flags:
        """Those of a loop, by its place."""
        place = f"{stm.lineno}:{stm.col_offset}"
        return cls(f".left {place}", f".returned {place}", f".result {place}")

    @property
    def names(self) -> tuple[str, str, str]:
        return self.left, self.returned, self.result


def own_yields(node: ast.AST) -> Iterator[ast.Yield | ast.YieldFrom]:
    """The `yield` of a function itself, not those of functions in it."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.Yield | ast.YieldFrom):
            yield inner
        if not isinstance(inner, _NESTED):
            yield from own_yields(inner)


def calling(node: ast.FunctionDef, span: Callable[[ast.AST], Span]) -> ast.FunctionDef:
    """A generator function that is given a loop's body; it returns whether the loop was left."""
    made = copy.deepcopy(node)
    for inner in ast.walk(made):
        if isinstance(inner, ast.Try) and inner.handlers:
            for part in inner.body:
                for one in (part, *ast.walk(part)):
                    if isinstance(one, ast.Yield | ast.YieldFrom):
                        raise UserError(
                            "RG0101", "a `yield` in a `try` with a handler", span(one),
                            "yield after it: the handler must not see what the loop raises",
                        )  # fmt: skip
    change = _Calling(span, Counter(n.id for n in ast.walk(made) if isinstance(n, ast.Name)))
    body = [one for old in made.body for one in change.statements(old)]
    made.body = [*body, _at(made.body[-1], _answer(False))]
    made.args.kwonlyargs = [*made.args.kwonlyargs, ast.arg(BODY)]
    made.args.kw_defaults = [*made.args.kw_defaults, None]
    made.decorator_list = []
    return ast.fix_missing_locations(made)


def looped_body(stm: ast.For, shared: Sequence[str], shown: Sequence[str]) -> ast.FunctionDef:
    """A loop's body as a function of an item; it returns whether the loop is left.

    `shared` are the names that it assigns in the function around it, `shown` those of its module.
    """
    flags = Flags.of(stm)
    change = _Leaving(flags)
    body = [one for old in copy.deepcopy(stm.body) for one in change.statements(old)]
    names: list[ast.stmt] = [ast.Nonlocal([*shared, *flags.names])]
    if shown:
        names.append(ast.Global(list(shown)))
    item = ast.Assign([copy.deepcopy(stm.target)], ast.Name(_ITEM, ast.Load()))
    args = ast.arguments([], [ast.arg(_ITEM)], None, [], [], None, [])
    made = ast.FunctionDef(
        BODY, args,
        [*(_at(stm, one) for one in (*names, item)), *body, _at(stm.body[-1], _answer(False))],
        [], None, None,
    )  # fmt: skip
    return ast.fix_missing_locations(ast.copy_location(made, stm))


def generating(node: ast.ListComp | ast.GeneratorExp) -> ast.FunctionDef:
    """A comprehension as a generator function of what its first `for` runs over."""
    body: list[ast.stmt] = [_at(node.elt, ast.Expr(ast.Yield(copy.deepcopy(node.elt))))]
    for one in reversed(copy.deepcopy(node.generators)):
        for test in reversed(one.ifs):
            body = [_at(test, ast.If(test, body, []))]
        body = [_at(one.iter, ast.For(one.target, one.iter, body, []))]
    (loop,) = body
    assert isinstance(loop, ast.For)
    loop.iter = ast.copy_location(ast.Name(_ITEMS, ast.Load()), loop.iter)
    args = ast.arguments([], [ast.arg(_ITEMS)], None, [], [], None, [])
    made = ast.FunctionDef("items", args, body, [], None, None)
    return ast.fix_missing_locations(ast.copy_location(made, node))


def forwarded(stm: ast.For) -> bool:
    """Whether all that a loop does is to hand its items on to the body of another loop."""
    return isinstance(stm.target, ast.Name) and stm.target.id == _ITEM


def _answer(value: bool) -> ast.stmt:
    return ast.Return(ast.Constant(value))


def _at(place: ast.AST, node: ast.stmt) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(node, place))


def _assigned(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


@dataclass(slots=True)
class _Changing:
    """Replaces statements of one function, and not of those in it."""

    def statements(self, stm: ast.stmt) -> list[ast.stmt]:
        """What stands in the place of a statement."""
        if isinstance(stm, _NESTED):
            return [stm]
        for name in ("body", "orelse", "finalbody"):
            block: list[ast.stmt] | None = getattr(stm, name, None)
            if block:
                setattr(stm, name, [n for one in block for n in self.inside(stm, name, one)])
        for handler in getattr(stm, "handlers", ()):
            handler.body = [n for one in handler.body for n in self.inside(stm, "handlers", one)]
        return [stm]

    def inside(self, owner: ast.stmt, block: str, stm: ast.stmt) -> list[ast.stmt]:
        """What stands in the place of a statement in a block of another one."""
        return self.statements(stm)


@dataclass(slots=True)
class _Leaving(_Changing):
    """Makes the ways out of a loop's body returns of a function."""

    flags: Flags
    deep: int = 0

    def statements(self, stm: ast.stmt) -> list[ast.stmt]:
        """What stands in the place of a statement."""
        left = _assigned(self.flags.left, ast.Constant(True))
        match stm:
            case ast.Break() if not self.deep:
                return [_at(stm, left), _at(stm, _answer(True))]
            case ast.Continue() if not self.deep:
                return [_at(stm, _answer(False))]
            case ast.Return(value=value):
                result = _assigned(self.flags.result, value or ast.Constant(None))
                returned = _assigned(self.flags.returned, ast.Constant(True))
                return [_at(stm, one) for one in (result, returned, left, _answer(True))]
            case _:
                return super(_Leaving, self).statements(stm)

    def inside(self, owner: ast.stmt, block: str, stm: ast.stmt) -> list[ast.stmt]:
        """The `break` of an inner loop's body is its own."""
        inner = isinstance(owner, ast.For | ast.While) and block == "body"
        self.deep += inner
        made = self.statements(stm)
        self.deep -= inner
        return made


@dataclass(slots=True)
class _Calling(_Changing):
    """Makes each `yield` a call of the loop's body."""

    span: Callable[[ast.AST], Span]
    uses: Counter[str]
    """How often each name stands in the function."""

    def statements(self, stm: ast.stmt) -> list[ast.stmt]:
        """What stands in the place of a statement."""
        match stm:
            case ast.Expr(value=ast.Yield(value=value)):
                item = value or ast.Constant(None)
                self.refuse_inside(item)
                return [_at(stm, self.call(item))]
            case ast.Expr(value=ast.YieldFrom(value=value)):
                self.refuse_inside(value)
                return [_at(stm, self.forward(value))]
            case ast.For(
                target=ast.Name(id=name), orelse=[], iter=items,
                body=[ast.Expr(value=ast.Yield(value=ast.Name(id=same)))],
            ) if name == same and self.uses[name] == 2:  # fmt: skip
                self.refuse_inside(items)
                return [_at(stm, self.forward(items))]
            case ast.Return(value=value):
                kept = [] if value is None else [_at(stm, ast.Expr(value))]
                return [*kept, _at(stm, _answer(False))]
            case _:
                self.refuse_parts(stm)
                return super(_Calling, self).statements(stm)

    def call(self, item: ast.expr) -> ast.stmt:
        """`if body(item): return True`."""
        called = ast.Call(ast.Name(BODY, ast.Load()), [item], [])
        return ast.If(called, [_answer(True)], [])

    def forward(self, items: ast.expr) -> ast.stmt:
        """`for item in items: yield item`."""
        item = ast.Name(_ITEM, ast.Load())
        return ast.For(ast.Name(_ITEM, ast.Store()), items, [self.call(item)], [])

    def refuse_parts(self, stm: ast.stmt) -> None:
        """Refuses `yield` in the expressions of a statement."""
        for part in ast.iter_child_nodes(stm):
            if isinstance(part, ast.expr):
                self.refuse_inside(part)

    def refuse_inside(self, value: ast.expr) -> None:
        """Refuses `yield` in an expression."""
        if isinstance(value, ast.Yield | ast.YieldFrom) or any(True for _ in own_yields(value)):
            raise UserError(
                "RG0101", "`yield` as an expression", self.span(value),
                "write `yield value` as a statement",
            )  # fmt: skip
