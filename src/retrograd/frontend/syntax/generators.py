"""Generator functions that are consumed where they are called: functions that return a list.

`list`, `tuple` and the like run a generator to its end before anything else happens, so a list of
what it yields is the same. A `for` loop runs it between its own iterations. There it is a list only
where neither can see what the other does.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from types import FunctionType

import numpy as np

from retrograd.frontend.identity.buffers import ListItems
from retrograd.frontend.identity.source import FunctionSource, Home, is_generator
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.syntax.escapes import call_in_region
from retrograd.frontend.syntax.functions import Callee, bind_arguments
from retrograd.frontend.syntax.specialise import call_function
from retrograd.frontend.values.kinds import ArrayRef, Scalar, Static, TupleValue, Value
from retrograd.frontend.values.lists import content_of, is_list, parts_of
from retrograd.frontend.values.liveness import scope_of
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom

__all__ = ["call_generator", "mark_loop", "mark_whole", "must_be_apart", "yields"]

_LISTS: tuple[object, ...] = (list, tuple)
_FOLDS: tuple[object, ...] = (sum, max, min)
_SEEN = "(or write list(...) around the call, which runs it to its end first)"
_OUT = "return a list, or consume it at once: list(...), tuple(...), sum(...), `for`"
_LEAVING = ast.Break | ast.Return | ast.Raise | ast.Assert | ast.Try | ast.With
_HIDING = ast.Raise | ast.Assert | ast.Try | ast.With | ast.Lambda | ast.FunctionDef
_PLAIN = frozenset(
    "abs bool divmod enumerate float int len list max min pow range round sum tuple zip".split()
)


def yields(fun: Value) -> bool:
    """Whether a function value is a generator function of the user's."""
    return (
        isinstance(fun, Static) and isinstance(fun.obj, FunctionType) and is_generator(fun.obj)
        and package_of(fun.obj) is None
    )  # fmt: skip


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
    node: ast.Call,
    fun: Value,
    given: tuple[Sequence[Value], Mapping[str, Value]],
    consumed: tuple[ast.AST | None, object],
) -> Value:
    """The list of what a generator function yields; UserError where laziness could be seen.

    `given` are its arguments and keyword arguments, `consumed` the call that is run to its end at
    once, and by what.
    """
    assert isinstance(fun, Static)
    assert isinstance(fun.obj, FunctionType)
    where, consumer = consumed
    name = fun.obj.__name__
    if where is not node:
        raise t.error("RG0101", f"the generator of {name!r} is kept, or consumed in parts", _OUT)
    sources = t.ctx.sources
    t.guard(fun.obj)
    callee = Callee(sources.eager(fun.obj, t.span), sources.home(fun.obj), fun)
    bound = bind_arguments(t, callee, *given)
    if isinstance(consumer, ast.For):
        _refuse_seen(t, callee, consumer, bound)
        t.apart[id(consumer)] = _arrays(t, bound)
    if t.regions:
        made = call_in_region(t, callee, bound)
    else:
        made = call_function(t, callee, list(bound), list(bound.values()))
    if not any(consumer is one for one in _LISTS) and not _of_numbers(t, made):
        raise t.error(
            "RG0101", f"{name!r} yields something else than numbers, and is not made a list",
            "write list(...) around the call, which runs it to its end first",
        )  # fmt: skip
    return made


def must_be_apart(t: Tracer, stm: ast.For) -> None:
    """Refuses a loop where it or its generator has changed an array that both may see."""
    for loc, atom in t.apart.pop(id(stm), {}).items():
        if t.state.arrays.get(loc, atom) is not atom or loc in t.state.stale:
            raise t.error(
                "RG0101", "this loop, or its generator, changes an array that both may see",
                f"give the generator a copy {_SEEN}",
            )  # fmt: skip


def _arrays(t: Tracer, bound: Mapping[str, Value]) -> dict[int, Atom]:
    """What the arrays among the arguments hold now, by location."""
    leaves = [leaf for value in bound.values() for leaf in _leaves(value)]
    locs = [leaf.loc for leaf in leaves if isinstance(leaf, ArrayRef)]
    return {loc: t.state.arrays[loc] for loc in locs}


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
    if not isinstance(value, TupleValue):
        return [value]
    return [leaf for item in value.items for leaf in _leaves(item)]


def _refuse_seen(t: Tracer, callee: Callee, loop: ast.For, bound: Mapping[str, Value]) -> None:
    """Refuses what would show that the generator has run before the loop."""
    name = callee.source.name
    if t.regions or _leaves_early(loop.body):
        raise t.error(
            "RG0101", f"a loop over the generator of {name!r} that may leave early",
            f"write the loop of {name!r} here {_SEEN}",
        )  # fmt: skip
    args = [leaf for value in bound.values() for leaf in _leaves(value)]
    if not all(isinstance(arg, Scalar | ArrayRef) for arg in args):
        raise t.error(
            "RG0101", f"a loop over the generator of {name!r}, which is given an object, a list, "
            "a dict or a function", f"give it numbers and arrays {_SEEN}",
        )  # fmt: skip
    if (reason := _seen(t, callee.source, callee.origin, set())) is not None:
        raise t.error(
            "RG0101", f"a loop over the generator of {name!r}, which {reason}",
            f"keep the generator to numbers and arrays of its own {_SEEN}",
        )  # fmt: skip


def _leaves_early(body: Sequence[ast.stmt]) -> bool:
    """Whether a loop's body has a way out of the loop, but by an error of what it computes."""
    for stm in body:
        for node in ast.walk(stm):
            if isinstance(node, _LEAVING):
                return True
    return False


def _seen(
    t: Tracer, source: FunctionSource, origin: Home, known: set[FunctionSource]
) -> str | None:
    """What a function does, or calls for, that others can see; None if nothing."""
    if source in known:
        return None
    known.add(source)
    for node in ast.walk(source.node):
        if isinstance(node, _HIDING) and node is not source.node:
            return "raises, catches or makes functions"
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant):
            return "has a loop without a condition"
    if not all(map(_fixed, (*origin.defaults, *origin.kwdefaults.values()))):
        return "has defaults that are not numbers"
    found = (_seen_by(t, name, origin, known) for name in sorted(scope_of(source).free))
    return next((reason for reason in found if reason is not None), None)


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
    inner = _seen(t, t.ctx.sources.of(value, t.span), t.ctx.sources.home(value), known)
    return None if inner is None else f"calls {name!r}, which {inner}"


def _fixed(value: object) -> bool:
    """Whether a global or default is a number, NumPy, `math` or one of their functions."""
    return (
        isinstance(value, bool | int | float | np.ufunc) or value is np or value is math
        or any(value is one for one in vars(math).values())
    )  # fmt: skip
