"""`functools`: arguments that are given before a call, and functions that remember results."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from enum import Enum
from types import EllipsisType
from typing import Any, cast

from retrograd.frontend.identity.lookups import STATIC, VALUE
from retrograd.frontend.library.args import bind, no_more
from retrograd.frontend.values.kinds import Applied, Closure, Static, Value
from retrograd.frontend.values.outside import baked
from retrograd.frontend.values.scopes import lift, literal
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["TABLE", "call_applied", "call_partial", "made_again", "remembered"]


def _partial(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if not args:
        raise t.error("RG0108", "functools.partial of nothing", "give it a function first")
    return Applied("partial", args[0], (*args[1:], *kwargs.values()), tuple(kwargs))


def call_applied(
    t: Tracer, made: Applied, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of a `partial` that the program has made."""
    count = len(made.args) - len(made.names)
    named = dict(zip(made.names, made.args[count:], strict=True))
    return t.call(made.fun, [*made.args[:count], *args], {**named, **kwargs})


def call_partial(
    t: Tracer, made: functools.partial[Any], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of a `partial` from outside: numbers in it are literals, arrays hidden arguments."""
    given = [_held(t, made.args, str(k), value) for k, value in enumerate(made.args)]
    named = {key: _held(t, made.keywords, key, value) for key, value in made.keywords.items()}
    return t.call(Static(made.func), [*given, *args], {**named, **kwargs})


def made_again(t: Tracer, obj: Any) -> Value:
    """A function that `operator` has made outside, as the program makes it.

    Raises UserError where it was made from what may change, which is nowhere else to be found.
    """
    cls, args = obj.__reduce__()
    named: dict[str, object] = {}
    if isinstance(cls, functools.partial):  # of a call with keywords
        made = cast("functools.partial[Any]", cls)
        cls, args, named = made.func, made.args, made.keywords
    if not all(map(_lasting, (*args, *named.values()))):
        kind = type(obj).__name__
        raise t.error(
            "RG0103", f"an operator.{kind} from outside that holds an array, a list or an object",
            "write a function: lambda obj: obj.method(value)",
        )  # fmt: skip
    given = [baked(t.ctx, one) for one in cast("tuple[object, ...]", args)]
    return t.call(Static(cls), given, {key: baked(t.ctx, one) for key, one in named.items()})


def _lasting(value: object) -> bool:
    """Whether a value never changes."""
    if isinstance(value, slice):
        part = cast("slice[object, object, object]", value)
        value = (part.start, part.stop, part.step)
    if isinstance(value, tuple):
        return all(map(_lasting, cast("tuple[object, ...]", value)))
    return value is None or isinstance(value, bool | int | float | str | EllipsisType)


def _held(t: Tracer, holder: Any, name: str, value: object) -> Value:
    if isinstance(value, bool | int | float) and not isinstance(value, Enum):
        t.recorder.ask("item", holder, name, VALUE)
        if isinstance(holder, dict):  # a tuple does not change
            t.guard(value, "item", holder, name)
        return literal(value)
    return lift(t, value, "item", holder, name, guarded=isinstance(holder, dict))


def remembered(t: Tracer, made: Any) -> Value:
    """The function inside of what `functools.cache` has made: it is calculated anew."""
    inner: object = made.__wrapped__
    t.recorder.ask("attribute", made, "__wrapped__", STATIC)
    t.guard(inner, "attribute", made, "__wrapped__")
    return Static(inner)


def _folded(function: Any, iterable: Any, first: Any) -> Any:
    for item in iterable:
        first = function(first, item)
    return first


def _folded_alone(function: Any, iterable: Any) -> Any:
    if len(iterable) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    return _folded(function, iterable[1:], iterable[0])


def _reduce(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    no_more(t, "functools.reduce", kwargs)
    if len(args) not in (2, 3):
        takes = "it takes a function, an iterable and, if there is one, an initial value"
        raise t.error("RG0108", f"functools.reduce with {len(args)} arguments", takes)
    return t.call(Static(_folded if len(args) == 3 else _folded_alone), args, {})


def unchanged(function: Any) -> Any:
    """A decorator that leaves a function as it is."""
    return function


def _decorated(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """What `functools.cache` makes of a function of the program: it is calculated anew."""
    (function,) = bind(t, "cache", args, kwargs, "user_function", 1)
    assert function is not None
    return function


def _decorator(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`lru_cache`, with a function or with how many results it remembers; and `wraps`."""
    given = args[0] if args else None
    if isinstance(given, Closure) and not kwargs:
        return given
    return Static(unchanged)


def _wraps(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """What gives a function the name of another one."""
    return Static(unchanged)


TABLE: Mapping[object, Handler] = {
    functools.partial: _partial, functools.reduce: _reduce, functools.cache: _decorated,
    unchanged: _decorated, functools.lru_cache: _decorator, functools.wraps: _wraps,
}  # fmt: skip
