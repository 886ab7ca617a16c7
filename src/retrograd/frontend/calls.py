"""Calls: which kind of function value is called, and by what it is translated."""

from __future__ import annotations

import ast
import collections
import copy
import functools
import operator
import sys
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import Any, cast

import numpy as np

from retrograd.errors import UserError
from retrograd.frontend.derivatives.intrinsics import apply_transform, normal
from retrograd.frontend.derivatives.jacobians import apply_jacobian
from retrograd.frontend.derivatives.pullback import apply_linear, apply_pullback
from retrograd.frontend.derivatives.rerun import call_checkpointed
from retrograd.frontend.derivatives.reversing import apply_adjoint
from retrograd.frontend.derivatives.ruled import call_ruled
from retrograd.frontend.derivatives.trees import unravelled
from retrograd.frontend.derivatives.undone_calls import call_reversible
from retrograd.frontend.derivatives.vectorised import apply_vmap
from retrograd.frontend.identity import attribute_dicts
from retrograd.frontend.identity.containers import STAND_INS, Deque
from retrograd.frontend.identity.lists_by_key import PUTTING, DictOfLists, ListsByKey, Row
from retrograd.frontend.identity.objects import receiver_of
from retrograd.frontend.identity.programs import is_program
from retrograd.frontend.identity.source import LIBRARY
from retrograd.frontend.identity.specs import (
    SAME_METHODS,
)  # fmt: skip
from retrograd.frontend.identity.standard_library import function_for
from retrograd.frontend.identity.structure import Unravel
from retrograd.frontend.identity.transformed import Reversible, Ruled
from retrograd.frontend.library.complex_calls import complex_call
from retrograd.frontend.library.conversions import converted
from retrograd.frontend.library.domains import check_domain
from retrograd.frontend.library.methods import attribute_of, call_method
from retrograd.frontend.library.out_arguments import call_with_out
from retrograd.frontend.library.partials import call_applied, call_partial, made_again
from retrograd.frontend.library.python import REFUSED
from retrograd.frontend.library.random import is_stateful, seeded
from retrograd.frontend.library.stats_objects import freeze, is_distribution, method_of, thawed_of
from retrograd.frontend.library.transforms import Transforming
from retrograd.frontend.library.ufunc_calls import call_ufunc
from retrograd.frontend.library.ways_out import of_masked_arrays
from retrograd.frontend.library.wrapped import function_inside
from retrograd.frontend.syntax.bending import note_bending
from retrograd.frontend.syntax.class_calls import FUNCTIONS as OF_CLASSES
from retrograd.frontend.syntax.class_calls import called_class
from retrograd.frontend.syntax.delayed import in_turns
from retrograd.frontend.syntax.dicts import call_dict_method, function_of
from retrograd.frontend.syntax.escapes import call_in_region
from retrograd.frontend.syntax.functions import Callee, bind_arguments, callee_of, is_ours
from retrograd.frontend.syntax.generators import call_generator
from retrograd.frontend.syntax.inline import INLINED, inline, inline_call
from retrograd.frontend.syntax.interleaving import generator_of
from retrograd.frontend.syntax.iterators import lending
from retrograd.frontend.syntax.keyed import keyed
from retrograd.frontend.syntax.list_methods import FUNCTIONS, call_list_method
from retrograd.frontend.syntax.object_rows import attribute_of_row
from retrograd.frontend.syntax.own_iterators import items_taken
from retrograd.frontend.syntax.signatures import FUNCTIONS as OF_FUNCTIONS
from retrograd.frontend.syntax.specialise import call_function
from retrograd.frontend.values.freezing import frozen, thawed
from retrograd.frontend.values.iterators import eager, seen_in
from retrograd.frontend.values.kinds import (
    Applied,
    Bound,
    Closure,
    Instance,
    Option,
    Scalar,
    Static,
    Transform,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.numbers import (
    gives_numpy,
    gives_python,
    of_numpy,
    of_python,
)
from retrograd.frontend.values.object_rows import ROW, is_growing
from retrograd.frontend.values.objects import instances
from retrograd.frontend.values.optional import by_presence, sure, sure_operands
from retrograd.frontend.values.scopes import lift
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.frontend.values.zero_dimensional import with_array
from retrograd.ir.terms import Lit

__all__ = ["call"]


_LOOKING: tuple[object, ...] = (
    enumerate, zip, iter, reversed, isinstance, len, bool, type, hasattr, getattr, setattr,
    functools.partial, copy.copy, copy.deepcopy, operator.eq, operator.ne, vars,
    attribute_dicts.put, attribute_dicts.value_of, attribute_dicts.names_of,
)  # fmt: skip
"""Functions that are given lists themselves."""

_DEFAULT = Static(collections.defaultdict)

_FUNCTIONS = {**FUNCTIONS, **OF_FUNCTIONS, **OF_CLASSES}
"""The handlers of functions that make lists, or say what functions and classes are."""

_ITERATING: tuple[object, ...] = (sum, any, all, sorted, list, tuple, min, max, reversed)


def call(t: Tracer, fun: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The value of `fun(*args, **kwargs)`."""
    match fun:
        case Closure():
            return _call_user(t, fun, args, kwargs)
        case Instance() | TupleValue():
            return _call_instance(t, fun, args, kwargs)
        case Bound(receiver=Instance() | TupleValue() as receiver) if receiver.cls is list:
            return call_list_method(t, fun, args, kwargs)
        case Bound(receiver=Instance() as receiver) if receiver.cls is dict:
            return call_dict_method(t, fun, args, kwargs)
        case Bound(receiver=Instance() | TupleValue() as receiver):
            if isinstance(receiver, Instance) and fun.name == ROW:
                return attribute_of_row(t, receiver, args)
            return _call_own_method(t, fun, args, kwargs)
        case Bound():
            given = (args, kwargs) if fun.name == "join" else _frozen(t, args, kwargs)
            made = call_method(t, fun, *given)
            return thawed(t, with_array(t, fun.name, (fun.receiver,), made))
        case Applied():
            return call_applied(t, fun, args, kwargs)
        case Transform(kind="pullback" | "linear" | "adjoint"):
            return _map_applied(t, fun, _frozen(t, args, kwargs)[0])
        case Transform():
            return _transformed(t, fun, args, kwargs)
        case Static():
            return _call_static(t, fun, args, kwargs)
        case _:
            raise t.error("RG0107", f"{describe(fun)} is called", "call a function")


def _call_own_method(
    t: Tracer, fun: Bound, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of a method of an object, a tuple or a record."""
    if (made := generator_of(t, fun)) is not None:
        return call_generator(t, made, (args, kwargs), None)
    _has_no_other_name(t, fun, args)
    return call_method(t, fun, args, kwargs)


def _has_no_other_name(t: Tracer, fun: Bound, args: Sequence[Value]) -> None:
    """Refuses a list with a name that is put into a dict of lists, where it is a copy."""
    receiver = fun.receiver
    if not isinstance(receiver, Instance) or receiver.cls not in (ListsByKey, DictOfLists):
        return
    if fun.name not in PUTTING or t.frame.source.place is not None:
        return
    given = {one.place for one in args if isinstance(one, Instance) and one.cls in (list, Row)}
    if any(one.place in given for held in t.state.cells.values() for one in instances(held)):
        raise t.error(
            "RG0106", "a list that has another name is put into a dict of lists",
            "put a copy in: list(l)",
        )  # fmt: skip


def _map_applied(t: Tracer, fun: Transform, args: Sequence[Value]) -> Value:
    """A call of what `vjp`, `linearize` or `adjoint` has made."""
    apply = {"pullback": apply_pullback, "linear": apply_linear, "adjoint": apply_adjoint}
    return thawed(t, apply[fun.kind](t, fun, args))


def _frozen(
    t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """Arguments with lists as what they hold now."""
    named = {k: _decided(t, k, frozen(t, arg)) for k, arg in kwargs.items()}
    return [sure_operands(t, frozen(t, arg)) for arg in args], named


def _decided(t: Tracer, name: str, value: Value) -> Value:
    """A keyword argument of a library function, where None often has a meaning of its own."""
    if isinstance(value, Option):
        raise t.error(
            "RG0110", f"the argument {name!r} of a library function may be None",
            f"decide before the call: `if {name} is None:`",
        )  # fmt: skip
    return value


def _call_instance(
    t: Tracer, obj: Instance | TupleValue, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if not any("__call__" in vars(base) for base in obj.cls.__mro__):
        plain = obj.cls in (tuple, list, dict)
        way_out = "call a function" if plain else "give its class a __call__"
        raise t.error("RG0107", f"{describe(obj)} is called", way_out)
    return t.call(Bound(obj, "__call__"), args, kwargs)


def _transformed(
    t: Tracer, fun: Transform, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    if fun.kind == "jit":
        return t.call(fun.fun, args, kwargs)
    if fun.kind == "checkpoint":
        return call_checkpointed(t, fun, args, kwargs)
    args, kwargs = _frozen(t, args, kwargs)
    if fun.kind == "vmap":
        return thawed(t, apply_vmap(t, fun, args, kwargs))
    if fun.kind in ("jacfwd", "jacrev", "hessian"):
        return thawed(t, apply_jacobian(t, fun, args, kwargs))
    return thawed(t, apply_transform(t, fun, args, kwargs))


def _call_user(t: Tracer, fun: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    callee = callee_of(t, fun)
    bound = bind_arguments(t, callee, args, kwargs)
    note_bending(t, callee.source, bound)
    with lending(t, bound.values()):
        if t.regions:
            return call_in_region(t, callee, bound)
        if _is_constant(t, callee, bound.values()):
            return inline_call(t, callee, bound)
        return call_function(t, callee, list(bound), list(bound.values()))


def _is_constant(t: Tracer, callee: Callee, values: Collection[Value]) -> bool:
    """Whether it is an expression of what is known: a `lambda` that is given constants only."""
    alone = isinstance(callee.source.node, ast.Lambda) and callee.source not in t.inlined
    return alone and len(values) > 0 and all(map(_is_known, values))


def _is_known(value: Value) -> bool:
    match value:
        case Scalar():
            return isinstance(value.atom, Lit)
        case TupleValue():
            return all(map(_is_known, value.items))
        case _:
            return isinstance(value, Static | Closure)


def _public_name(obj: object) -> str:
    """The qualified name under which an object is found in its module; "" if under none."""
    module, name = getattr(obj, "__module__", None), getattr(obj, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return ""
    return f"{module}.{name}" if getattr(sys.modules.get(module), name, None) is obj else ""


def _call_static(
    t: Tracer, fun: Static, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    obj, engine = fun.obj, t.ctx.engine
    module = obj.__module__ or "" if isinstance(obj, FunctionType) else ""
    if module.startswith(LIBRARY) and id(obj) not in engine.library:
        args, kwargs = _frozen(t, args, kwargs)
        return (inline if module.startswith(INLINED) else _call_user)(t, fun, args, kwargs)
    if not module.startswith(LIBRARY):
        t.recorder.require(obj)
    args = items_taken(t, obj, args)
    handler = engine.intrinsics.get(_public_name(obj)) or engine.library.get(id(obj))
    own = keyed(t, obj, args, kwargs) or _FUNCTIONS.get(id(obj)) or function_of(obj)
    own = in_turns(t, obj, args) or own
    if handler is not None or own is not None:
        return _handled(t, obj, own, handler, args, kwargs)
    if (inner := function_inside(t, obj)) is not None:
        return t.call(inner, args, kwargs)
    if t.span in t.ctx.way.tables and fun == _DEFAULT and args and args[0] == Static(list):
        return t.call(Static(ListsByKey), args[1:], kwargs)
    if (stand_in := STAND_INS.get(id(obj)) or function_for(obj)) is not None:
        known = isinstance(stand_in, FunctionType) and all(map(_is_known, args)) and not kwargs
        made = (partial(inline, t) if known else t.call)(Static(stand_in), args, kwargs)
        return eager(t, made, seen_in(t, (*args, *kwargs.values())))
    if isinstance(obj, FunctionType) and (not is_ours(obj) or is_program(obj)):
        return (inline if module.startswith(INLINED) else _call_user)(t, fun, args, kwargs)
    if isinstance(obj, MethodType) and (found := _method(t, obj)) is not None:
        function, first = found
        return t.call(function, [*first, *args], kwargs)
    if isinstance(obj, Unravel | Ruled):
        return _call_record(t, obj, args, kwargs)
    if isinstance(obj, functools.partial):
        return call_partial(t, cast("functools.partial[Any]", obj), args, kwargs)
    if isinstance(obj, operator.itemgetter | operator.attrgetter | operator.methodcaller):
        return t.call(made_again(t, cast("Any", obj)), args, kwargs)
    return _of_no_function(t, fun, args, kwargs)


def _of_no_function(
    t: Tracer, fun: Static, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of a transformed function, a class or a distribution."""
    obj, transformed = fun.obj, normal(t, fun)
    if isinstance(transformed, Transform):
        return _transformed(t, transformed, args, kwargs)
    if isinstance(obj, type) and (made := called_class(t, obj, args, kwargs)) is not None:
        return made
    if is_distribution(obj):
        return freeze(t, obj, args, kwargs)
    if (made := seeded(t, obj, args, kwargs)) is not None:
        return made
    raise _unknown(t, fun)


def _call_record(
    t: Tracer, obj: Unravel | Ruled, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of what one of retrograd's own functions has made."""
    if isinstance(obj, Reversible):
        return call_reversible(t, obj, args, kwargs)
    if isinstance(obj, Ruled):
        return call_ruled(t, obj, args, kwargs)
    return thawed(t, unravelled(t, obj, *_frozen(t, args, kwargs)))


def _method(t: Tracer, obj: MethodType) -> tuple[Value, list[Value]] | None:
    """The function of a bound method from outside, with its first argument."""
    if isinstance(obj.__self__, type):
        return Static(obj.__func__), [Static(obj.__self__)]
    if (receiver := receiver_of(obj)) is not None:
        return Static(obj.__func__), [lift(t, receiver, "object", receiver, "self")]
    if (made := thawed_of(t, obj.__self__)) is not None:
        return attribute_of(t, made, obj.__name__), []
    if is_distribution(obj.__self__):
        return method_of(t, obj.__self__, obj.__name__), []
    return None


def _unknown(t: Tracer, fun: Static) -> UserError:
    """The error of a call of what is no function here."""
    if is_stateful(fun.obj):
        return t.error("RG0134", f"{describe(fun)} draws from a state", SAME_METHODS)
    if (way_out := of_masked_arrays(fun.obj)) is not None:
        return t.error("RG0107", f"{describe(fun)} is one of masked arrays", way_out)
    for refused, way_out in REFUSED.items():
        if fun.obj is refused:
            return t.error("RG0107", f"{describe(fun)} is not accepted", way_out)
    return t.error(
        "RG0107",
        f"{describe(fun)} is not known to retrograd",
        "call a function of your own that does this with functions that docs/language.md lists, or "
        "call it before and pass its result",
    )


def _handled(
    t: Tracer,
    obj: object,
    own: Handler | None,
    handler: Handler | None,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
) -> Value:
    """A call of what the library knows; lists go in as what they hold, but where they are meant.

    `own` is the handler of a function that makes lists or dicts.
    """
    if own is not None:
        return own(t, args, kwargs)
    assert handler is not None
    match converted(t, obj, args, kwargs):
        case None:
            pass
        case [*given]:
            args = given
        case made:
            return made
    if t.regions:
        check_domain(t, obj, args)
    if obj is len and args:
        args = [sure(t, args[0], "object of type 'NoneType' has no len()"), *args[1:]]
    if len(args) == 1 and any(obj is one for one in _ITERATING):
        args = [sure(t, args[0], "'NoneType' object is not iterable")]
    if obj is isinstance and args and isinstance(args[0], Option):
        return by_presence(t, args[0], lambda one: handler(t, (one, *args[1:]), kwargs))
    if any(obj is one for one in _LOOKING):
        made = handler(t, args, kwargs)
        return of_python(made) if gives_python(obj, args) else made
    given = _frozen(t, _as_lists(t, args), kwargs)
    if isinstance(handler, Transforming):
        return thawed(t, handler(t, *given))
    found = complex_call(t, obj, *given)
    if found is None:
        return thawed(t, _of_numbers(t, obj, handler, *given))
    return thawed(t, with_array(t, obj, given[0], found))


def _of_numbers(
    t: Tracer, obj: object, handler: Handler, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of a function that is given real numbers and arrays."""
    if isinstance(obj, np.ufunc):
        return of_numpy(call_ufunc(t, obj, handler, args, kwargs))
    made = call_with_out(t, obj, handler, args, kwargs)
    made = with_array(t, obj, args, made)
    if gives_python(obj, args):
        return of_python(made)
    return of_numpy(made) if gives_numpy(obj, args) else made


def _as_lists(t: Tracer, args: Sequence[Value]) -> list[Value]:
    """Arguments with deques, and lists of a key, as lists of their items."""
    return [_as_list(t, arg) if isinstance(arg, Instance) else arg for arg in args]


def _as_list(t: Tracer, value: Instance) -> Value:
    if value.cls is Row or is_growing(value):
        return t.call(Bound(value, "listed"), (), {})
    return t.content(value.cell("items")) if value.cls is Deque else value
