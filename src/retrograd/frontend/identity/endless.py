"""The syntax of an endless generator, made that of a function that makes its steps.

Where a generator is an endless loop with one `yield`, each item is one call of a function: what
follows the `yield`, then what is before it. The variables are those of the function around it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence

from retrograd.frontend.identity.interleaved import own_yields

__all__ = ["stepping"]

_BEGUN, _STEP = ".begun", ".step"
_HARMLESS = frozenset("abs bool float int max min round".split())


def stepping(node: ast.FunctionDef, ours: bool) -> ast.FunctionDef | None:
    """A function of the generator's arguments that returns the function of its steps.

    None of a generator of another form, or where it could be seen that what is before its loop is
    run when it is called, not when its first item is asked for; in functions of `ours` it cannot.
    """
    *first, last = node.body
    match last:
        case ast.While(test=ast.Constant(value=True), body=body):
            pass
        case _:
            return None
    found = [k for k, one in enumerate(body) if _is_yield(one)]
    yields = sum(1 for _ in own_yields(node))
    if len(found) != 1 or yields != 1 or any(True for one in body for _ in _ways_out(one)):
        return None
    if not ours and not all(map(_is_harmless, first)):
        return None
    made = copy.deepcopy(node)
    *first, loop = made.body
    assert isinstance(loop, ast.While)
    (place,) = found
    stored = sorted({name for one in made.body for name in _stored(one)})
    made.body = [
        *first,
        *(
            ast.AnnAssign(ast.Name(name, ast.Store()), ast.Constant(None), None, 1)
            for name in stored
        ),
        _assigned(False),
        _step(loop, place, stored),
        ast.Return(ast.Name(_STEP, ast.Load())),
    ]
    made.decorator_list = []
    for one in made.body:
        ast.copy_location(one, last)
    return ast.fix_missing_locations(made)


def _step(loop: ast.While, place: int, stored: Sequence[str]) -> ast.FunctionDef:
    """The function that gives one item."""
    given = loop.body[place]
    assert isinstance(given, ast.Expr)
    assert isinstance(given.value, ast.Yield)
    later: list[ast.stmt] = []
    if after := loop.body[place + 1 :]:
        later.append(ast.copy_location(ast.If(ast.Name(_BEGUN, ast.Load()), after, []), after[0]))
    value = given.value.value or ast.Constant(None)
    body: list[ast.stmt] = [
        ast.Nonlocal([*stored, _BEGUN]),
        *later, _assigned(True), *loop.body[:place],
        ast.copy_location(ast.Return(value), given),
    ]  # fmt: skip
    args = ast.arguments([], [], None, [], [], None, [])
    return ast.FunctionDef(_STEP, args, body, [], None, None)


def _assigned(value: bool) -> ast.stmt:
    return ast.Assign([ast.Name(_BEGUN, ast.Store())], ast.Constant(value))


def _is_yield(stm: ast.stmt) -> bool:
    return isinstance(stm, ast.Expr) and isinstance(stm.value, ast.Yield)


def _ways_out(stm: ast.AST, inner: bool = False) -> Iterator[ast.AST]:
    """What may leave the loop, or have names of its own: `break`, `return`, functions."""
    match stm:
        case ast.Return() | ast.FunctionDef() | ast.Lambda() | ast.ClassDef() | ast.Nonlocal():
            yield stm
        case ast.Global() | ast.ListComp() | ast.GeneratorExp() | ast.DictComp() | ast.SetComp():
            yield stm
        case ast.Break() | ast.Continue() if not inner:
            yield stm
        case _:
            inner = inner or isinstance(stm, ast.For | ast.While)
            for one in ast.iter_child_nodes(stm):
                yield from _ways_out(one, inner)


def _stored(stm: ast.stmt) -> Iterator[str]:
    for node in ast.walk(stm):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _is_harmless(stm: ast.stmt) -> bool:
    """Whether a statement may as well run before: it assigns what it makes of numbers."""
    if isinstance(stm, ast.Expr) and isinstance(stm.value, ast.Constant):
        return True
    if not isinstance(stm, ast.Assign | ast.AugAssign | ast.AnnAssign):
        return False
    for node in ast.walk(stm):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _HARMLESS:
                pass
            case ast.Subscript() | ast.Attribute() | ast.Call() | ast.Lambda() | ast.Starred():
                return False
            case _:
                pass
    return True
