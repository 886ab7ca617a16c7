"""Loops over generators of the user's: the generator calls the loop's body where it yields.

So both run in turns, as in Python, and `break` and `return` leave both.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, cast

from retrograd.frontend.identity.interleaved import BODY, Flags, forwarded, own_yields
from retrograd.frontend.identity.source import is_generator
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.library.instances import method_of
from retrograd.frontend.syntax.escapes import call_in_region
from retrograd.frontend.syntax.functions import Callee, bind_arguments, closure_of, is_ours
from retrograd.frontend.syntax.specialise import call_function
from retrograd.frontend.values.kinds import (
    Bound,
    Closure,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
)
from retrograd.frontend.values.liveness import stored_names
from retrograd.frontend.values.records import own_method
from retrograd.frontend.values.scopes import assign_name, literal, read_name
from retrograd.frontend.values.tracer import Tracer

__all__ = ["Generator", "generator_called", "generator_of", "run_interleaved"]

Generator = tuple[Callee, tuple[Value, ...]]
"""A generator function, and the object that it is a method of."""


def generator_of(t: Tracer, fun: Value) -> Generator | None:
    """The generator function of the user's that a value is; None of all else."""
    match fun:
        case Closure(source=source):
            node = source.node
            if isinstance(node, ast.FunctionDef) and any(True for _ in own_yields(node)):
                return Callee(source, fun.origin, fun), ()
        case Static(obj=FunctionType() as function):
            if is_generator(function) and package_of(function) is None:
                return _of_function(t, function), ()
        case Bound(receiver=Instance(cls=cls), name=name) if any(
            _is_generator(vars(base).get(name)) for base in cls.__mro__
        ):
            function, first = method_of(t, fun)
            found = generator_of(t, function)
            return None if found is None else (found[0], (first,))
        case Bound(receiver=TupleValue(cls=cls) as first, name=name) if own_method(first, name):
            found = generator_of(t, Static(getattr(cls, name)))
            return None if found is None else (found[0], (first,))
        case _:
            pass
    return None


def _is_generator(member: object) -> bool:
    found = cast("Any", member).__func__ if isinstance(member, classmethod) else member
    return isinstance(found, FunctionType) and is_generator(found)


def _of_function(t: Tracer, function: FunctionType) -> Callee:
    sources = t.ctx.sources
    t.guard(function)
    return Callee(sources.as_written(function, t.span), sources.home(function), Static(function))


def generator_called(t: Tracer, fun: Value) -> Generator:
    """A generator function that is known to be one, the user's or one of ours."""
    if isinstance(fun, Static) and isinstance(fun.obj, FunctionType) and is_ours(fun.obj):
        written = t.ctx.sources.as_written(fun.obj, t.span)
        return Callee(replace(written, place=t.span), t.ctx.sources.home(fun.obj), fun), ()
    found = generator_of(t, fun)
    assert found is not None
    return found


def run_interleaved(
    t: Tracer,
    stm: ast.For,
    generator: Generator,
    given: tuple[Sequence[Value], Mapping[str, Value]],
) -> None:
    """The loop, with what the generator is called with."""
    callee, first = generator
    source = t.ctx.sources.interleaved(callee.source)
    fun = replace(callee.fun, source=source) if isinstance(callee.fun, Closure) else callee.fun
    callee = Callee(source, callee.origin, fun)
    args, kwargs = given
    flags = Flags.of(stm)
    if forwarded(stm):
        body = read_name(t, BODY)
    else:
        for name in flags.names:
            t.frame.locals.setdefault(name, t.ctx.fresh())
        assign_name(t, flags.left, literal(False))
        assign_name(t, flags.returned, literal(False))
        _refuse_super(t, stm)
        body = closure_of(t, _body(t, stm))
    bound = bind_arguments(t, callee, [*first, *args], {**kwargs, BODY: body})
    call = call_in_region if t.regions else _called
    left = call(t, callee, bound)
    with t.at(stm):
        _leave(t, stm, flags, left)


def _refuse_super(t: Tracer, stm: ast.For) -> None:
    """Refuses `super()` in the body, whose first parameter is no longer the object."""
    for node in (inner for one in stm.body for inner in ast.walk(one)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args:
            with t.at(node):
                if node.func.id == "super":
                    raise t.error(
                        "RG0101", "`super()` in a loop over a generator",
                        "take the method before the loop: m = super().m",
                    )  # fmt: skip


def _called(t: Tracer, callee: Callee, bound: dict[str, Value]) -> Value:
    return call_function(t, callee, list(bound), list(bound.values()))


def _body(t: Tracer, stm: ast.For) -> ast.FunctionDef:
    """The loop's body, which shares the names that may be read after it or in another iteration."""
    scope = t.frame.scope
    stored = stored_names([stm.target, *stm.body])
    live = scope.header.get(id(stm), stored) | scope.captured | scope.nonlocals
    shown = frozenset(t.frame.module_names) & stored
    shared = (stored & live) - shown
    return t.ctx.sources.body_of(stm, tuple(sorted(shared)), tuple(sorted(shown)))


def _leave(t: Tracer, stm: ast.For, flags: Flags, left: Value) -> None:
    """What follows the loop: a `return` of its body, the rest of a generator's, or `else`."""
    assert isinstance(left, Scalar)
    rest: list[ast.stmt] = []
    if forwarded(stm):
        t.frame.locals.setdefault(flags.left, t.ctx.fresh())
        assign_name(t, flags.left, left)
        rest.append(ast.If(_read(flags.left), [ast.Return(ast.Constant(True))], []))
    else:
        if any(isinstance(node, ast.Return) for one in stm.body for node in ast.walk(one)):
            rest.append(ast.If(_read(flags.returned), [ast.Return(_read(flags.result))], []))
        if stm.orelse:
            rest.append(ast.If(_read(flags.left), [ast.Pass()], stm.orelse))
    for one in rest:
        ast.fix_missing_locations(ast.copy_location(one, stm))
    t.ctx.engine.block(t, rest)
    for name in flags.names:
        if name in t.frame.locals:
            t.state.cells.pop(t.frame.locals[name], None)


def _read(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())
