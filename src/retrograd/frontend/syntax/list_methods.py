"""The methods of lists, and the built-in functions that make lists or look at them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from retrograd.frontend.identity import growing_lists
from retrograd.frontend.identity.buffers import ListItems
from retrograd.frontend.library.args import bind
from retrograd.frontend.syntax import lists
from retrograd.frontend.syntax.dict_objects import put_as_object
from retrograd.frontend.syntax.list_growth import make_place
from retrograd.frontend.syntax.list_searches import contains, equal_items
from retrograd.frontend.syntax.object_rows import row_of_list
from retrograd.frontend.syntax.sorting import sorted_list
from retrograd.frontend.values.arrays import Slice
from retrograd.frontend.values.kinds import (
    NONE,
    Bound,
    Instance,
    Scalar,
    Static,
    TupleValue,
    Value,
)  # fmt: skip
from retrograd.frontend.values.lists import (
    content_of,
    list_of,
    set_items,
)
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, ilit

__all__ = ["FUNCTIONS", "METHODS", "call_list_method", "contains"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]
Method = Callable[[Tracer, Instance, Args, Kwargs], Value]


def call_list_method(t: Tracer, method: Bound, args: Args, kwargs: Kwargs) -> Value:
    """`owner.name(...)` of a list."""
    return METHODS[method.name](t, lists.changeable(t, method.receiver), args, kwargs)


def _append(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "append", args, kwargs, "object", 1)
    assert value is not None
    lists.append(t, owner, put_as_object(t, value))
    return NONE


def _extend(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "extend", args, kwargs, "iterable", 1)
    assert value is not None
    lists.extend(t, owner, value)
    return NONE


def _pop(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    (index,) = bind(t, "pop", args, kwargs, "index", 0)
    return lists.pop(t, owner, index)


def _insert(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    index, value = bind(t, "insert", args, kwargs, "index object", 2)
    assert index is not None
    assert value is not None
    lists.insert(t, owner, index, value)
    return NONE


def _clear(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    bind(t, "clear", args, kwargs, "", 0)
    set_items(t, owner, TupleValue((), ListItems))
    return NONE


def _copy(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    bind(t, "copy", args, kwargs, "", 0)
    return lists.copied(t, owner)


def _reverse(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    bind(t, "reverse", args, kwargs, "", 0)
    backwards = Slice(None, None, Scalar(ilit(-1)))
    made = lists.get_slice(t, owner, backwards)
    set_items(t, owner, content_of(t, made))
    return NONE


def _sort(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    made = sorted_list(t, (owner, *args), kwargs)
    set_items(t, owner, content_of(t, made))
    return NONE


def _count(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "count", args, kwargs, "value", 1)
    assert value is not None
    equal = equal_items(t, owner, value)
    if not isinstance(equal, list):
        return t.call(Static(np.sum), [equal], {})
    total: Atom = ilit(0)
    for one in equal:
        total = t.prim("add", total, t.prim("select", one, ilit(1), ilit(0)))
    return Scalar(total, True)


def _index(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "index", args, kwargs, "value", 1)
    assert value is not None
    found = contains(t, owner, value)
    t.check(found, "ValueError", "list.index(x): x not in list")
    equal = equal_items(t, owner, value)
    if not isinstance(equal, list):
        return t.call(Static(np.argmax), [equal], {})
    at: Atom = ilit(0)
    for k in range(len(equal) - 1, -1, -1):
        at = t.prim("select", equal[k], ilit(k), at)
    return Scalar(at, True)


def _remove(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    lists.pop(t, owner, _index(t, owner, args, kwargs))
    return NONE


METHODS: Mapping[str, Method] = {
    "append": _append, "extend": _extend, "pop": _pop, "insert": _insert, "clear": _clear,
    "copy": _copy, "reverse": _reverse, "sort": _sort, "count": _count, "index": _index,
    "remove": _remove,
}  # fmt: skip


# Functions.


def _list(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "list", args, kwargs, "iterable", 0)
    if value is None:
        return row_of_list(t, list_of(t, ())) if t.ctx.way.lists else TupleValue((), list)
    return lists.listed(t, value)


def _pad(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    flat, count, value = bind(t, "pad", args, kwargs, "flat count x", 3)
    assert isinstance(flat, Instance)
    assert isinstance(count, Scalar)
    assert value is not None
    make_place(t, flat, count, value)
    return NONE


FUNCTIONS: Mapping[int, Callable[[Tracer, Args, Kwargs], Value]] = {
    id(builtins.list): _list,
    id(builtins.sorted): sorted_list,
    id(growing_lists.pad): _pad,
}
"""Functions that make lists of what may have run-time length, by identity."""
