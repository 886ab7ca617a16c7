"""What functions say of themselves: their parameters, with defaults, and how many there are."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any, cast

from retrograd.frontend.identity.signatures import FunctionCode, Signature, said
from retrograd.frontend.library.args import bind
from retrograd.frontend.library.instances import method_of
from retrograd.frontend.syntax.functions import Callee, callee_of, defaults_in
from retrograd.frontend.values.dicts import dict_of
from retrograd.frontend.values.freezing import thawed
from retrograd.frontend.values.kinds import (
    NONE,
    Bound,
    Closure,
    Instance,
    Static,
    TupleValue,
    Value,
    describe,
)
from retrograd.frontend.values.scopes import literal, module_attribute
from retrograd.frontend.values.tracer import Tracer

__all__ = ["FUNCTIONS"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]
_EMPTY = Static(inspect.Parameter.empty)
_P = inspect.Parameter


def _innermost(t: Tracer, fun: Value) -> Value:
    """The function that decorators say they wrap."""
    for _ in range(16):
        if not isinstance(fun, Static) or not isinstance(fun.obj, FunctionType):
            return fun
        if "__signature__" in vars(fun.obj):
            raise t.error(
                "RG0107", f"{describe(fun)} has a `__signature__` of its own",
                "ask the function that it wraps",
            )  # fmt: skip
        if "__wrapped__" not in vars(fun.obj):
            return fun
        fun = module_attribute(t, fun.obj, "__wrapped__")
    return fun


def _callee(t: Tracer, fun: Value | None) -> tuple[Callee, int]:
    """The function that is asked, and how many of its parameters are given already."""
    given = 0
    if isinstance(fun, Bound) and isinstance(fun.receiver, Instance):
        fun, given = method_of(t, fun)[0], 1
    fun = NONE if fun is None else _innermost(t, fun)
    decorated = isinstance(fun, Closure) and not isinstance(fun.source.node, ast.Lambda)
    if decorated and cast("ast.FunctionDef", cast("Closure", fun).source.node).decorator_list:
        raise t.error(
            "RG0107", "the parameters of a function that is decorated inside of the program",
            "define and decorate it at module level",
        )  # fmt: skip
    outside = isinstance(fun, Static) and isinstance(fun.obj, FunctionType)
    if not outside and not isinstance(fun, Closure):
        raise t.error(
            "RG0107",
            f"the parameters of {describe(fun)}",
            "ask a function that is defined by `def`",
        )
    return callee_of(t, fun), given


def _parameters(callee: Callee) -> Iterator[tuple[str, Any]]:
    """The names and kinds of a function's parameters, in order."""
    spec = callee.source.node.args
    yield from ((one.arg, _P.POSITIONAL_ONLY) for one in spec.posonlyargs)
    yield from ((one.arg, _P.POSITIONAL_OR_KEYWORD) for one in spec.args)
    if spec.vararg is not None:
        yield spec.vararg.arg, _P.VAR_POSITIONAL
    yield from ((one.arg, _P.KEYWORD_ONLY) for one in spec.kwonlyargs)
    if spec.kwarg is not None:
        yield spec.kwarg.arg, _P.VAR_KEYWORD


def _annotation(t: Tracer, callee: Callee, name: str) -> Value:
    """What stands after the colon, which only a function from outside knows."""
    if not isinstance(callee.fun, Static):
        return _EMPTY
    function = cast("FunctionType", callee.fun.obj)
    found: object = function.__annotations__.get(name, _EMPTY.obj)
    if found is not _EMPTY.obj:
        t.recorder.require(found)
    return Static(found)


def _signature(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (fun,) = bind(t, "signature", args, kwargs, "obj")
    callee, given = _callee(t, fun)
    defaults = defaults_in(t, callee)
    described = [
        TupleValue((
            Static(name), Static(kind), defaults.get(name, _EMPTY), _annotation(t, callee, name)
        ))
        for name, kind in _parameters(callee)
    ]  # fmt: skip
    return t.call(Static(Signature), (TupleValue(tuple(described[given:])),), {})


def _full_spec(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (fun,) = bind(t, "getfullargspec", args, kwargs, "func")
    callee, _ = _callee(t, fun)
    defaults, every = defaults_in(t, callee), list(_parameters(callee))
    by_kind = {kind: [name for name, own in every if own is kind] for _, kind in every}
    names = [*by_kind.get(_P.POSITIONAL_ONLY, ()), *by_kind.get(_P.POSITIONAL_OR_KEYWORD, ())]
    others = by_kind.get(_P.KEYWORD_ONLY, [])
    own = tuple(defaults[name] for name in names if name in defaults)
    rest = [name for name in others if name in defaults]
    items: tuple[Value, ...] = (
        _texts(t, names),
        *(Static(next(iter(by_kind.get(kind, ())), None))
          for kind in (_P.VAR_POSITIONAL, _P.VAR_KEYWORD)),
        TupleValue(own) if own else NONE,
        _texts(t, others),
        dict_of(t, rest, [defaults[name] for name in rest]) if rest else NONE,
        dict_of(t, (), ()),
    )  # fmt: skip
    annotated = isinstance(callee.fun, Static) and cast("Any", callee.fun.obj).__annotations__
    if annotated:
        raise t.error(
            "RG0107", "`getfullargspec` of a function with annotations",
            "write inspect.signature(f).parameters",
        )  # fmt: skip
    return TupleValue(items, inspect.FullArgSpec)


def _texts(t: Tracer, names: Sequence[str]) -> Value:
    return thawed(t, TupleValue(tuple(map(Static, names)), list))


def _said(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`f.__code__`, `f.__defaults__` and the like of a function from outside."""
    fun, asked = args
    name = asked.obj if isinstance(asked, Static) else None
    function = fun.obj if isinstance(fun, Static) else None
    assert isinstance(name, str)
    assert isinstance(function, FunctionType)
    if name in ("__doc__", "__module__", "__qualname__"):
        return module_attribute(t, function, name)
    callee = callee_of(t, fun)
    if name == "__code__":
        code = function.__code__
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        names = TupleValue(tuple(map(Static, code.co_varnames)))
        return TupleValue((*map(literal, counts), names, Static(code.co_name)), FunctionCode)
    defaults = defaults_in(t, callee)
    others = [arg.arg for arg in callee.source.node.args.kwonlyargs if arg.arg in defaults]
    if name == "__defaults__":
        own = tuple(value for key, value in defaults.items() if key not in others)
        return TupleValue(own) if own else NONE
    return dict_of(t, others, [defaults[key] for key in others]) if others else NONE


FUNCTIONS: Mapping[int, Callable[[Tracer, Args, Kwargs], Value]] = {
    id(inspect.signature): _signature, id(inspect.getfullargspec): _full_spec, id(said): _said,
}  # fmt: skip
"""By the `id` of the function."""
