"""`match` as the `if` and `elif` that it stands for, before anything else reads the syntax.

A pattern is a test of the subject and of its parts; the names that it binds are assigned at the
start of the body, or in the test where there is a guard to read them. A part is looked up wherever
it is read, which is seen where a property has effects only.

Source: PEP 634, "Structural Pattern Matching: Specification".
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["without_matches"]

_SEQUENCES = (tuple, list, range, deque)
"""The classes of `collections.abc.Sequence` that programs have; arrays are none."""


def without_matches(tree: ast.Module) -> ast.Module:
    """The syntax of a file; a copy of it."""
    return _Chains().visit(copy.deepcopy(tree))


class _Chains(ast.NodeTransformer):
    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        """The statements that stand in the place of a `match`."""
        self.generic_visit(node)
        bound = {name for case in node.cases for name in _bound(case.pattern)}
        subject, first = node.subject, list[ast.stmt]()
        if not isinstance(subject, ast.Name) or subject.id in bound:
            name = f"_match_subject_{node.lineno}_{node.col_offset}"
            first = [_at(node.subject, ast.Assign([ast.Name(name, ast.Store())], subject))]
            subject = ast.Name(name, ast.Load())
        chain = list[ast.stmt]()
        for case in reversed(node.cases):
            chain = _arm(case, subject, chain)
        return [*first, *chain] or [_at(node, ast.Pass())]


def _arm(case: ast.match_case, subject: ast.expr, rest: list[ast.stmt]) -> list[ast.stmt]:
    """One case; `rest` are those after it."""
    found = _test(case.pattern, subject)
    tests, body = list(found.tests), list(case.body)
    if case.guard is None:
        body = [*(_assigned(case.pattern, *pair) for pair in found.names), *body]
    else:
        tests.append(_with_names(found.names, case.guard))
    if not tests:
        return body
    return [_at(case.pattern, ast.If(_every(tests), body, rest))]


def _assigned(pattern: ast.pattern, name: str, value: ast.expr) -> ast.stmt:
    return _at(pattern, ast.Assign([ast.Name(name, ast.Store())], value))


def _with_names(names: Sequence[tuple[str, ast.expr]], guard: ast.expr) -> ast.expr:
    """A guard after the names that it may read have their values."""
    if not names:
        return guard
    given = [ast.NamedExpr(ast.Name(name, ast.Store()), value) for name, value in names]
    return ast.Subscript(ast.Tuple([*given, guard], ast.Load()), ast.Constant(-1), ast.Load())


@dataclass(frozen=True, slots=True)
class _Test:
    """All of `tests` hold where a pattern fits, and `names` get their values then."""

    tests: tuple[ast.expr, ...] = ()
    names: tuple[tuple[str, ast.expr], ...] = ()

    def __add__(self, other: _Test) -> _Test:
        return _Test((*self.tests, *other.tests), (*self.names, *other.names))


def _test(pattern: ast.pattern, subject: ast.expr) -> _Test:
    match pattern:
        case ast.MatchValue(value=value):
            return _Test((ast.Compare(subject, [ast.Eq()], [value]),))
        case ast.MatchSingleton(value=value):
            return _Test((ast.Compare(subject, [ast.Is()], [ast.Constant(value)]),))
        case ast.MatchAs(pattern=inner, name=name):
            found = _Test() if inner is None else _test(inner, subject)
            return found if name is None else found + _Test(names=((name, subject),))
        case ast.MatchOr(patterns=patterns):
            return _either([_test(inner, subject) for inner in patterns])
        case ast.MatchSequence(patterns=patterns):
            return _sequence(patterns, subject)
        case ast.MatchMapping():
            return _mapping(pattern, subject)
        case ast.MatchClass():
            return _class(pattern, subject)
        case _:  # the grammar has a star inside of sequences only
            return _Test()


def _either(ways: Sequence[_Test]) -> _Test:
    """Alternatives, which bind the same names."""
    whole = [_every(way.tests) for way in ways]
    names = dict(ways[-1].names)
    for way, test in reversed(list(zip(ways[:-1], whole[:-1], strict=True))):
        names = {name: ast.IfExp(test, value, names[name]) for name, value in way.names}
    tests = () if any(not way.tests for way in ways) else (ast.BoolOp(ast.Or(), whole),)
    return _Test(tests, tuple(names.items()))


def _sequence(patterns: Sequence[ast.pattern], subject: ast.expr) -> _Test:
    stars = [k for k, inner in enumerate(patterns) if isinstance(inner, ast.MatchStar)]
    star = stars[0] if stars else len(patterns)
    least = len(patterns) - len(stars)
    order = ast.GtE() if stars else ast.Eq()
    length = ast.Compare(_call(builtins.len, subject), [order], [ast.Constant(least)])
    classes = ast.Tuple([_object(cls) for cls in _SEQUENCES], ast.Load())
    found = _Test((_call(builtins.isinstance, subject, classes), length))
    for k, inner in enumerate(patterns):
        after = len(patterns) - k - 1
        if not isinstance(inner, ast.MatchStar):
            found += _test(inner, _item(subject, ast.Constant(k if k < star else -after - 1)))
        elif inner.name is not None:
            last = ast.Constant(-after) if after else None
            rest = _item(subject, ast.Slice(ast.Constant(k) if k else None, last))
            found += _Test(names=((inner.name, _call(builtins.list, rest)),))
    return found


def _mapping(pattern: ast.MatchMapping, subject: ast.expr) -> _Test:
    found = _Test((_call(builtins.isinstance, subject, _object(dict)),))
    for key, inner in zip(pattern.keys, pattern.patterns, strict=True):
        found += _Test((ast.Compare(key, [ast.In()], [subject]),))
        found += _test(inner, _item(subject, key))
    if pattern.rest is None:
        return found
    names = [ast.Name(f"_match_{part}", ast.Store()) for part in ("key", "value")]
    key, value = (ast.Name(name.id, ast.Load()) for name in names)
    other = ast.Compare(key, [ast.NotIn()], [ast.Tuple(list(pattern.keys), ast.Load())])
    items = ast.Call(ast.Attribute(subject, "items", ast.Load()), [], [])
    target = ast.Tuple([*names], ast.Store())
    rest = ast.DictComp(key, value, [ast.comprehension(target, items, [other], 0)])
    return found + _Test(names=((pattern.rest, rest),))


def _class(pattern: ast.MatchClass, subject: ast.expr) -> _Test:
    """Of a class without `__match_args__`, such as `float`, the one position is the object."""
    found = _Test((_call(builtins.isinstance, subject, pattern.cls),))
    listed = ast.Constant("__match_args__")
    for k, inner in enumerate(pattern.patterns):
        names = ast.Attribute(pattern.cls, "__match_args__", ast.Load())
        part = _call(builtins.getattr, subject, _item(names, ast.Constant(k)))
        if k == 0:
            part = ast.IfExp(_call(builtins.hasattr, pattern.cls, listed), part, subject)
        found += _test(inner, part)
    for name, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
        found += _Test((_call(builtins.hasattr, subject, ast.Constant(name)),))
        found += _test(inner, ast.Attribute(subject, name, ast.Load()))
    return found


def _bound(pattern: ast.pattern) -> list[str]:
    """The names that a pattern binds."""
    named = (
        getattr(node, "name", None) or getattr(node, "rest", None) for node in ast.walk(pattern)
    )
    return [name for name in named if isinstance(name, str)]


def _every(tests: Sequence[ast.expr]) -> ast.expr:
    match list(tests):
        case []:
            return ast.Constant(True)
        case [one]:
            return one
        case several:
            return ast.BoolOp(ast.And(), several)


def _item(owner: ast.expr, index: ast.expr) -> ast.expr:
    return ast.Subscript(owner, index, ast.Load())


def _call(function: Any, *args: ast.expr) -> ast.expr:
    return ast.Call(_object(function), list(args), [])


def _object(value: Any) -> ast.expr:
    """An object itself, whatever its name is in the user's program."""
    return ast.Constant(value)


def _at(place: ast.AST, node: ast.stmt) -> ast.stmt:
    """A new statement, with copies of what it is made of, at a place of the user's."""
    made = copy.deepcopy(node)
    return ast.fix_missing_locations(ast.copy_location(made, place))
