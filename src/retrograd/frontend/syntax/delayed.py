"""Generators that have a name or are arguments, and run in turns with what takes their items.

Such a generator is an iterator whose items are a call that has not begun: the generator function
with its arguments. A loop over it is a loop over that call (`interleaving`), wherever it stands. A
generator expression is a call of a generator function, too, and so are `enumerate`, `zip` and what
`itertools` makes of a generator. What takes all items at once calls `gathered`, which is a loop.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType, GeneratorType

from retrograd.frontend.identity.lazily import CONSUMING, ENDLESS, GENERATORS, zipped
from retrograd.frontend.syntax.functions import Callee, bind_arguments, closure_of, is_ours
from retrograd.frontend.syntax.interleaving import Generator, generator_called, generator_of
from retrograd.frontend.syntax.specialise import call_function
from retrograd.frontend.values.iterators import begun, is_delayed, iterator_of
from retrograd.frontend.values.kinds import (
    Applied,
    ArrayRef,
    Bound,
    Closure,
    Instance,
    Static,
    TupleValue,
    Value,
)
from retrograd.frontend.values.lists import is_list
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["as_generator", "begin", "delayed", "in_turns"]


def delayed(
    t: Tracer, generator: Generator, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Instance:
    """A generator that has not begun; of one without an end the function of its steps is made."""
    callee, first = generator
    given = (*first, *args, *kwargs.values())
    ours = _is_ours(callee.fun)
    if (source := t.ctx.sources.stepping(callee.source, ours)) is not None:
        fun = replace(callee.fun, source=source) if isinstance(callee.fun, Closure) else callee.fun
        maker = Callee(source, callee.origin, fun)
        bound = bind_arguments(t, maker, [*first, *args], kwargs)
        step = call_function(t, maker, list(bound), list(bound.values()))
        return iterator_of(t, GeneratorType, step)
    return _of_call(t, Applied("generator", callee.fun, given, tuple(kwargs)))


def _is_ours(fun: Value) -> bool:
    function = fun.obj if isinstance(fun, Static) else None
    return isinstance(function, FunctionType) and is_ours(function)


def _of_call(t: Tracer, call: Applied) -> Instance:
    return iterator_of(t, GeneratorType, call)


Begun = tuple[Generator, tuple[Sequence[Value], Mapping[str, Value]]]
"""A generator function, with its arguments."""


def begin(t: Tracer, value: Value) -> Begun | None:
    """The call that a generator is which begins now; None of what has no generator."""
    call = begun(t, value) if isinstance(value, Instance) and is_delayed(t, value) else None
    if call is None:
        return None
    count = len(call.args) - len(call.names)
    named = dict(zip(call.names, call.args[count:], strict=True))
    return generator_called(t, call.fun), (call.args[:count], named)


def _generator_in(t: Tracer, value: Value) -> Generator | None:
    """The method that is the iterator of an object, where it is a generator."""
    if not isinstance(value, Instance | TupleValue) or is_delayed(t, value):
        return None
    return generator_of(t, Bound(value, "__iter__"))


def in_turns(t: Tracer, obj: object, args: Sequence[Value]) -> Handler | None:
    """What stands for a lazy function of Python's that is given a generator; None of all else."""
    made = ENDLESS.get(id(obj))
    if made is not None and (obj is not itertools.repeat or len(args) == 1):
        t.ctx.kept = True
        return partial(_endless, made) if t.ctx.way.delays else None
    if not t.ctx.way.delays or (obj is not zip and id(obj) not in {**GENERATORS, **CONSUMING}):
        return None
    if not any(is_delayed(t, arg) or _generator_in(t, arg) is not None for arg in args):
        return None
    if (taking := CONSUMING.get(id(obj))) is not None:
        return partial(_consumed, taking)
    return _zipped if obj is zip else partial(_lazy, obj)


def _endless(
    made: Callable[..., object], t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    return delayed(t, generator_called(t, Static(made)), args, kwargs)


def _consumed(
    taking: Callable[..., object], t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    return t.call(Static(taking), args, kwargs)


def _lazy(obj: object, t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """A generator of ours that is not called yet."""
    if obj is map and len(args) > 2:
        obj, args = itertools.starmap, [args[0], _zipped(t, args[1:], {})]
    fun = Static(GENERATORS[id(obj)])
    return _of_call(t, Applied("generator", fun, (*args, *kwargs.values()), tuple(kwargs)))


def _zipped(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    args = [
        arg if (made := _generator_in(t, arg)) is None else delayed(t, made, (), {}) for arg in args
    ]
    places = [k for k, arg in enumerate(args) if is_delayed(t, arg)]
    if len(places) > 1 or kwargs not in ({}, {"strict": literal(False)}):
        raise t.error(
            "RG0101", "`zip` of several generators that run in turns, or with strict=True",
            "make lists of all but one: list(..)",
        )  # fmt: skip
    (at,) = places
    sides = [
        TupleValue(tuple(_placed(t, one) for one in side)) for side in (args[:at], args[at + 1 :])
    ]
    return _of_call(t, Applied("generator", Static(zipped), (sides[0], args[at], sides[1])))


def _placed(t: Tracer, value: Value) -> Value:
    """What has items by position: a range or view as the list of what is in it."""
    if isinstance(value, ArrayRef | TupleValue) or is_list(value):
        return value
    return t.call(Static(list), [value], {})


def as_generator(t: Tracer, node: ast.ListComp | ast.GeneratorExp, first: Value) -> Value:
    """A comprehension as the generator that it is; `first` is what its first `for` runs over."""
    made = closure_of(t, t.ctx.sources.expression(node))
    return _of_call(t, Applied("generator", made, (first,)))
