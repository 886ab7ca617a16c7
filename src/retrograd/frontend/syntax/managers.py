"""Context managers of the user: objects with `__enter__` and `__exit__`, functions with a yield.

What is done at the end is done on every path that leaves the block but by an exception, which
leaves the program, too, or is caught further out.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from types import FunctionType
from typing import Any

from retrograd.errors import UserError
from retrograd.frontend.identity.source import FunctionSource
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.library.instances import special
from retrograd.frontend.syntax.catching import afterwards
from retrograd.frontend.syntax.functions import Callee, bind_arguments
from retrograd.frontend.syntax.specialise import call_function
from retrograd.frontend.values.kinds import NONE, Bound, Instance, Static, TupleValue, Value
from retrograd.frontend.values.liveness import stored_names
from retrograd.frontend.values.tracer import Tracer

__all__ = ["Manager", "managed", "of_object", "run_managed"]

Manager = tuple[Value, Value, Callable[[], None]]
"""What is alive meanwhile, what the block is given, and what is done at its end."""


def managed(
    t: Tracer, function: Value, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Manager | None:
    """The context that a call gives; None where it is nothing of the user's."""
    match function:
        case Static(obj=obj):
            if (generator := _generator(obj)) is not None:
                return _of_generator(t, generator, (args, kwargs))
            own = isinstance(obj, FunctionType) and package_of(obj) is None
            if not own and not (isinstance(obj, type) and _has_both(obj)):
                return None
        case Bound(receiver=Instance(cls=cls) as receiver, name=name, of=None):
            method = _generator(inspect.getattr_static(cls, name, None))
            if method is not None:
                return _of_generator(t, method, ((receiver, *args), kwargs))
        case _:
            pass
    return of_object(t, t.call(function, args, kwargs))


def of_object(t: Tracer, manager: Value) -> Manager | None:
    """An object as a context; None where its class has not what makes it one."""
    if not isinstance(manager, Instance) or not _has_both(manager.cls):
        return None
    _must_ignore_exceptions(t, manager.cls)
    value = special(t, "__enter__", manager)

    def leave() -> None:
        special(t, "__exit__", manager, NONE, NONE, NONE)

    return manager, NONE if value is None else value, leave


def run_managed(t: Tracer, manager: Manager, body: Callable[[Value], None]) -> None:
    """The block, which is given a value, and what is done at its end."""
    held, value, leave = manager
    t.frame.roots.append(held)
    afterwards(t, lambda: body(value), leave, calls=True)
    t.frame.roots.remove(held)


def _has_both(cls: type) -> bool:
    names = ("__enter__", "__exit__")
    return all(isinstance(getattr(cls, name, None), FunctionType) for name in names)


def _must_ignore_exceptions(t: Tracer, cls: type) -> None:
    """Refuses an `__exit__` that may swallow an exception, or raise another one.

    What it does of an exception that leaves the program is seen by nobody; it may not look at one
    that is caught.
    """
    method: Any = inspect.getattr_static(cls, "__exit__")
    source = t.ctx.sources.of(method, t.span)
    args = source.node.args
    every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    names = {one.arg for one in every[1:] if one is not None} if t.regions else set[str]()
    for node in ast.walk(source.node):
        match node:
            case ast.Return(value=None | ast.Constant(value=None | False)):
                continue
            case ast.Return() | ast.Raise():
                pass
            case ast.Name(id=name) if name in names:
                pass
            case _:
                continue
        raise t.error(
            "RG0127", f"`__exit__` of {cls.__name__!r} may look at, swallow or raise exceptions",
            "do it around the call",
        )  # fmt: skip


def _nothing() -> Generator[None]:
    yield


_HELPER = contextlib.contextmanager(_nothing).__code__


def _generator(function: object) -> FunctionType | None:
    """The function that `contextlib.contextmanager` has made a context of."""
    if not isinstance(function, FunctionType) or function.__code__ is not _HELPER:
        return None
    found: object = getattr(function, "__wrapped__", None)
    return found if isinstance(found, FunctionType) and package_of(found) is None else None


def _of_generator(
    t: Tracer, function: FunctionType, given: tuple[Sequence[Value], Mapping[str, Value]]
) -> Manager:
    sources = t.ctx.sources
    t.guard(function)
    if t.regions:
        raise t.error(
            "RG0127", f"the generator {function.__name__!r} as a context inside of a `try`",
            "write a class with __enter__ and __exit__, or do it around the call",
        )  # fmt: skip
    written = sources.managed(function, t.span, _split)
    callee = Callee(written, sources.home(function), Static(function))
    bound = bind_arguments(t, callee, *given)
    both = call_function(t, callee, list(bound), list(bound.values()))
    assert isinstance(both, TupleValue)
    value, rest = both.items

    def leave() -> None:
        t.call(rest, (), {})

    return rest, value, leave


_REST = "rest of the context"


def _split(source: FunctionSource) -> ast.FunctionDef:
    """The function up to its `yield`; it returns its value, and what comes after as a function."""
    node = copy.deepcopy(source.node)
    assert isinstance(node, ast.FunctionDef)
    before, value, after = _parts(source, node.body)
    body: list[ast.stmt] = [*after, ast.Return(ast.Constant(None))]
    shared = {n for one in ast.walk(node) if isinstance(one, ast.Global) for n in one.names}
    changed = stored_names(after)
    if changed - shared:
        body.insert(0, ast.Nonlocal(sorted(changed - shared)))
    if shared:
        body.insert(0, ast.Global(sorted(shared)))
    empty = ast.arguments([], [], None, [], [], None, [])
    rest = ast.FunctionDef(_REST, empty, body, [], None, None)
    params = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
    both = ast.Tuple([value, ast.Name(_REST, ast.Load())], ast.Load())
    unset = [
        ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None))
        for name in sorted(changed - shared - stored_names(before) - params)
    ]
    made: list[ast.stmt] = [*before, *unset, rest, ast.Return(both)]
    place = node.body[0]
    node.body = [*before, *(_at(place, one) for one in made[len(before) :])]
    node.decorator_list = []
    return node


def _at(place: ast.stmt, node: ast.stmt) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(node, place))


def _parts(
    source: FunctionSource, body: list[ast.stmt]
) -> tuple[list[ast.stmt], ast.expr, list[ast.stmt]]:
    """What comes before the only `yield`, its value, and what comes after."""
    every = [n for stm in body for n in ast.walk(stm) if isinstance(n, ast.Yield | ast.YieldFrom)]
    for k, stm in enumerate(body):
        match stm:
            case ast.Expr(value=ast.Yield(value=value)) if len(every) == 1:
                return body[:k], value or ast.Constant(None), body[k + 1 :]
            case ast.Try(handlers=[], orelse=[], body=inner, finalbody=final) if len(every) == 1:
                match inner[-1]:
                    case ast.Expr(value=ast.Yield(value=value)):
                        first = [*body[:k], *inner[:-1]]
                        return first, value or ast.Constant(None), [*final, *body[k + 1 :]]
                    case _:
                        pass
            case _:
                pass
    raise UserError(
        "RG0127", "a context whose `yield` is not a statement of its own, once",
        source.span(source.node), "do it around the call",
    )  # fmt: skip
