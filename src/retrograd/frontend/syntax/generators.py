"""Generators of the user's, by what consumes them.

`list`, `tuple` and the like run a generator to its end before anything else happens, so a list of
what it yields is the same. A `for` loop and its generator take turns (`interleaving`). All else is
given an iterator over a list, where it cannot be seen that the generator has run before.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FunctionType, GeneratorType

import numpy as np

from retrograd.frontend.identity.buffers import ListItems
from retrograd.frontend.identity.source import FunctionSource, Home, is_generator
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.syntax.delayed import begin, delayed
from retrograd.frontend.syntax.escapes import call_in_region
from retrograd.frontend.syntax.functions import Callee, bind_arguments
from retrograd.frontend.syntax.interleaving import Generator, run_interleaved
from retrograd.frontend.syntax.specialise import call_function
from retrograd.frontend.values.iterators import iterator_of, must_stay, seen_in
from retrograd.frontend.values.kinds import (
    ArrayRef,
    Closure,
    ComplexValue,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
    parts,
)
from retrograd.frontend.values.lists import content_of, is_list, parts_of
from retrograd.frontend.values.liveness import scope_of
from retrograd.frontend.values.tracer import Tracer

__all__ = ["Consumed", "call_generator", "mark_loop", "mark_whole", "settle"]

_LISTS: tuple[object, ...] = (list, tuple)
_FOLDS: tuple[object, ...] = (sum, max, min)
_OUT = "return a list, or consume it at once: list(...), tuple(...), sum(...), `for`"
_HIDING = ast.Raise | ast.Assert | ast.Try | ast.With | ast.Lambda | ast.FunctionDef
_PLAIN = frozenset(
    "abs bool divmod enumerate float int len list max min pow range round sum tuple zip".split()
)


class Consumed(Exception):
    """The loop over a generator has been translated, where the generator was called."""


def mark_whole(t: Tracer, node: ast.Call, fun: Value) -> None:
    """Notes a call's only argument as consumed at once, if `fun` does that."""
    if not isinstance(fun, Static) or len(node.args) != 1 or node.keywords:
        return
    if any(fun.obj is one for one in (*_LISTS, *_FOLDS)):
        t.consumed = node.args[0], fun.obj


def mark_loop(t: Tracer, stm: ast.For) -> None:
    """Notes the iterable of a loop as consumed by it."""
    t.consumed = stm.iter, stm


def call_generator(
    t: Tracer,
    generator: Generator,
    given: tuple[Sequence[Value], Mapping[str, Value]],
    consumer: object,
) -> Value:
    """What a generator function gives to its `consumer`; UserError where laziness could be seen.

    `given` are its arguments and keyword arguments. `list` and the like run it to its end at once,
    so a list is the same. A loop runs it between its own iterations, and raises `Consumed`. All
    else is given an iterator over a list, if the generator does nothing that others see.
    """
    if isinstance(consumer, ast.For):
        run_interleaved(t, consumer, generator, given)
        raise Consumed
    if consumer is None:
        t.ctx.kept = True
        if t.ctx.way.delays:
            return delayed(t, generator, *given)
    return _at_once(t, generator, given, consumer)


def settle(t: Tracer, owner: Instance) -> None:
    """Makes a generator that has not begun one over a list; UserError where that could be seen."""
    begun = begin(t, owner)
    assert begun is not None
    made = _at_once(t, *begun, None)
    assert isinstance(made, Instance)
    for cell, own in zip(owner.cells, made.cells, strict=True):
        t.set_content(cell, t.content(own))
    t.ctx.seen[owner.cells[0]] = t.ctx.seen[made.cells[0]]


def _at_once(
    t: Tracer,
    generator: Generator,
    given: tuple[Sequence[Value], Mapping[str, Value]],
    consumer: object,
) -> Value:
    """A list of what a generator yields, which runs to its end; without a consumer an iterator."""
    callee, first = generator
    args, kwargs = given
    source = t.ctx.sources.eager(callee.source)
    fun = replace(callee.fun, source=source) if isinstance(callee.fun, Closure) else callee.fun
    callee = Callee(source, callee.origin, fun)
    bound = bind_arguments(t, callee, [*first, *args], kwargs)
    before = seen_in(t, (*bound.values(), callee.fun))
    if consumer is None:
        _refuse_seen(t, generator[0], bound)
    if t.regions:
        made = call_in_region(t, callee, bound)
    else:
        made = call_function(t, callee, list(bound), list(bound.values()))
    if consumer is None:
        must_stay(t, before)
        return iterator_of(t, GeneratorType, made, before)
    if not any(consumer is one for one in _LISTS) and not _of_numbers(t, made):
        raise t.error(
            "RG0101", f"{source.name!r} yields something else than numbers, and is not made a list",
            "write list(...) around the call, which runs it to its end first",
        )  # fmt: skip
    return made


def _of_numbers(t: Tracer, made: Value) -> bool:
    """Whether a list holds numbers and tuples of numbers only, which nothing can change."""
    if not is_list(made):  # nothing is ever yielded
        return True
    content = content_of(t, made)
    if content.cls is ListItems:
        return all(isinstance(one, Scalar) for one in _leaves(content))
    buffers, _ = parts_of(content)
    return all(isinstance(one, ArrayRef) and one.type.rank == 1 for one in _leaves(buffers))


def _leaves(value: Value) -> list[Value]:
    if not isinstance(value, TupleValue | ComplexValue):
        return [value]
    return [leaf for item in parts(value) for leaf in _leaves(item)]


def _refuse_seen(t: Tracer, callee: Callee, bound: Mapping[str, Value]) -> None:
    """Refuses what would show that the generator has run before its items are used."""
    name = callee.source.name
    given = [leaf for value in bound.values() for leaf in _leaves(value)]
    if t.regions or not all(isinstance(one, Scalar | ArrayRef | Instance) for one in given):
        raise t.error("RG0101", f"the generator of {name!r} is kept, or consumed in parts", _OUT)
    if (reason := _seen(t, callee, set())) is not None:
        raise t.error(
            "RG0101", f"the generator of {name!r}, which {reason}, is kept or consumed in parts",
            _OUT,
        )  # fmt: skip


def _seen(t: Tracer, callee: Callee, known: set[FunctionSource]) -> str | None:
    """What a function does, or calls for, that others can see; None if nothing."""
    source, origin = callee.source, callee.origin
    if source in known:
        return None
    known.add(source)
    for node in ast.walk(source.node):
        if isinstance(node, _HIDING) and node is not source.node:
            return "raises, catches or makes functions"
        if isinstance(node, ast.Call) and not _of_module(node.func):
            return "calls a method"
        if isinstance(node, ast.While):
            return "has a `while` loop, which may go on after the last item that is used"
    if not all(map(_fixed, (*origin.defaults, *origin.kwdefaults.values()))):
        return "has defaults that are not numbers"
    own = dict(callee.fun.cells) if isinstance(callee.fun, Closure) else {}
    held = {name: t.state.cells.get(cell) for name, cell in own.items()}
    numbers = {name for name, value in held.items() if isinstance(value, Scalar | ArrayRef)}
    names = sorted(scope_of(source).free - numbers)
    found = (_seen_by(t, name, origin, known) for name in names)
    return next((reason for reason in found if reason is not None), None)


def _of_module(function: ast.expr) -> bool:
    """Whether a function has a name of its own, or stands in a module such as NumPy."""
    while isinstance(function, ast.Attribute):
        function = function.value
        if isinstance(function, ast.Name) and function.id in ("np", "numpy", "math"):
            return True
    return isinstance(function, ast.Name)


def _seen_by(t: Tracer, name: str, origin: Home, known: set[FunctionSource]) -> str | None:
    """What others can see of the use of a name from outside of a function."""
    if name in origin.cells:
        return f"takes {name!r} from a function around it"
    if name not in origin.globals:
        return None if name in _PLAIN else f"uses {name!r}"
    value = origin.globals[name]
    if not isinstance(value, FunctionType) or package_of(value) is not None:
        return None if _fixed(value) else f"uses {name!r} of its module"
    if is_generator(value):
        return f"uses the generator {name!r}"
    sources = t.ctx.sources
    callee = Callee(sources.of(value, t.span), sources.home(value), Static(value))
    inner = _seen(t, callee, known)
    return None if inner is None else f"calls {name!r}, which {inner}"


def _fixed(value: object) -> bool:
    """Whether a global or default is a number, NumPy, `math` or one of their functions."""
    return (
        isinstance(value, bool | int | float | np.ufunc) or value is np or value is math
        or any(value is one for one in vars(math).values())
    )  # fmt: skip
