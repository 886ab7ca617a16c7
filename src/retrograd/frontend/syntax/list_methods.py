"""The methods of lists, and the built-in functions that make lists or look at them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from retrograd.frontend.identity.buffers import ListItems, ListText
from retrograd.frontend.library.args import bind
from retrograd.frontend.library.operators import compare_values
from retrograd.frontend.syntax import lists
from retrograd.frontend.syntax.sorting import sorted_list
from retrograd.frontend.values.arrays import Slice
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Bound,
    Instance,
    Scalar,
    Static,
    Text,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.list_texts import is_of_texts, number_of, text_form
from retrograd.frontend.values.lists import (
    as_array,
    content_of,
    list_of,
    parts_of,
    set_items,
    whole,
)
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.scalars import truth
from retrograd.frontend.values.text_choices import is_text
from retrograd.frontend.values.tracer import NeedLists, Tracer
from retrograd.ir.terms import Atom, false, ilit, true

__all__ = [
    "FUNCTIONS", "METHODS", "call_list_method", "contains", "list_binary", "list_in_place",
]  # fmt: skip

Args = Sequence[Value]
Kwargs = Mapping[str, Value]
Method = Callable[[Tracer, Instance, Args, Kwargs], Value]


def call_list_method(t: Tracer, method: Bound, args: Args, kwargs: Kwargs) -> Value:
    """`owner.name(...)` of a list."""
    owner = method.receiver
    if not isinstance(owner, Instance):
        if not t.ctx.lists:
            raise NeedLists
        raise t.error(
            "RG0101", "a list from outside of the program is changed here",
            "change a copy: list(l)",
        )  # fmt: skip
    return METHODS[method.name](t, owner, args, kwargs)


def _append(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "append", args, kwargs, "object", 1)
    assert value is not None
    lists.append(t, owner, value)
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


def _equal_items(t: Tracer, owner: Instance, value: Value) -> list[Atom] | Value:
    """Which items are equal to a value: one by one, or as an array."""
    content = content_of(t, owner)
    if content.cls is ListItems:
        return [truth(t, compare_values(t, "eq", item, value)) for item in content.items]
    buffers, length = parts_of(content)
    if isinstance(buffers, TupleValue) and issubclass(buffers.cls, tuple | ListText):
        return _equal_rows(t, buffers, length, value)
    return compare_values(t, "eq", as_array(t, owner), value)


def _equal_rows(t: Tracer, buffers: Value, length: Scalar, value: Value) -> list[Atom] | Value:
    """Which of the tuples in buffers are equal to a value."""
    if isinstance(buffers, ArrayRef) and buffers.type.rank == 1 and isinstance(value, Scalar):
        return compare_values(t, "eq", whole(t, buffers, length), value)
    if is_of_texts(buffers) and isinstance(buffers, TupleValue):
        return _equal_texts(t, buffers, length, value)
    sides = buffers, value
    if any(isinstance(one, Scalar | Static) for one in sides) or _is_column(buffers):
        return []
    if not isinstance(buffers, TupleValue) or not isinstance(value, TupleValue):
        raise _not_compared(t, value)
    if not all(issubclass(one.cls, tuple) for one in (buffers, value)):
        raise _not_compared(t, value)
    if len(buffers.items) != len(value.items):
        return []
    found: Value | None = None
    for column, part in zip(buffers.items, value.items, strict=True):
        equal = _equal_rows(t, column, length, part)
        if isinstance(equal, list):
            return equal
        found = equal if found is None else t.call(Static(np.logical_and), [found, equal], {})
    return [] if found is None else found


def _equal_texts(
    t: Tracer, buffers: TupleValue, length: Scalar, value: Value
) -> list[Atom] | Value:
    """Which of the texts in a buffer are equal to a value."""
    if not is_text(value):
        return []
    (ref,) = buffers.items
    form = text_form(t, value)
    if form is None or not isinstance(ref, ArrayRef) or not isinstance(value, Static | Text):
        raise _not_compared(t, value)
    number = Scalar(number_of(t, value, form), True)
    return compare_values(t, "eq", whole(t, ref, length), number)


def _is_column(buffers: Value) -> bool:
    """Whether it holds numbers."""
    return isinstance(buffers, ArrayRef) and buffers.type.rank == 1


def _not_compared(t: Tracer, value: Value) -> Exception:
    return t.error(
        "RG0110", f"{describe(value)} is looked for in a list of tuples",
        "look for a tuple of numbers",
    )  # fmt: skip


def _count(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "count", args, kwargs, "value", 1)
    assert value is not None
    equal = _equal_items(t, owner, value)
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
    equal = _equal_items(t, owner, value)
    if not isinstance(equal, list):
        return t.call(Static(np.argmax), [equal], {})
    at: Atom = ilit(0)
    for k in range(len(equal) - 1, -1, -1):
        at = t.prim("select", equal[k], ilit(k), at)
    return Scalar(at, True)


def _remove(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    lists.pop(t, owner, _index(t, owner, args, kwargs))
    return NONE


def contains(t: Tracer, owner: Instance, value: Value) -> Atom:
    """`value in owner`."""
    equal = _equal_items(t, owner, value)
    if not isinstance(equal, list):
        return truth(t, t.call(Static(np.any), [equal], {}))
    if true in equal:
        return true
    found: Atom = false
    for one in equal:
        if one != false:
            found = one if found == false else t.prim("or_", found, one)
    return found


METHODS: Mapping[str, Method] = {
    "append": _append, "extend": _extend, "pop": _pop, "insert": _insert, "clear": _clear,
    "copy": _copy, "reverse": _reverse, "sort": _sort, "count": _count, "index": _index,
    "remove": _remove,
}  # fmt: skip


# Functions.


def _list(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "list", args, kwargs, "iterable", 0)
    if value is None:
        return list_of(t, ()) if t.ctx.lists else TupleValue((), list)
    return lists.listed(t, value)


FUNCTIONS: Mapping[int, Callable[[Tracer, Args, Kwargs], Value]] = {
    id(builtins.list): _list,
    id(builtins.sorted): sorted_list,
}
"""Functions that make lists of what may have run-time length, by identity."""


_LONGEST_TUPLE = 64


def list_binary(t: Tracer, op: str, a: Value, b: Value) -> Value | None:
    """`a + b` and `a * n` of lists; None for all else."""
    if op == "add" and _listy(a) and _listy(b) and (_object(a) or _object(b)):
        return lists.concatenated(t, _thaw(t, a), _thaw(t, b))
    for one, count in ((a, b), (b, a)):
        if op != "mul" or not _listy(one) or not isinstance(count, Scalar):
            continue
        if _object(one):
            return lists.repeated(t, one, count)
        assert isinstance(one, TupleValue)
        known = static_int(count)
        if known is None or known * len(one.items) > _LONGEST_TUPLE:
            if not t.ctx.lists:
                raise NeedLists
            return lists.repeated(t, _thaw(t, one), count)
    return None


def list_in_place(t: Tracer, op: str, owner: Value, other: Value) -> Value | None:
    """`owner += other` and `owner *= n` of a list, and what the name is then; None for all else."""
    if not _listy(owner) or op not in ("add", "mul"):
        return None
    if not isinstance(owner, Instance):
        if not t.ctx.lists:
            raise NeedLists
        raise t.error(
            "RG0101", "a list from outside of the program is changed here",
            "change a copy: list(l)",
        )  # fmt: skip
    if op == "add":
        lists.extend(t, owner, other)
    else:
        set_items(t, owner, content_of(t, lists.repeated(t, owner, other)))
    return owner


def _listy(value: Value) -> bool:
    return isinstance(value, TupleValue | Instance) and value.cls is list


def _object(value: Value) -> bool:
    return isinstance(value, Instance)


def _thaw(t: Tracer, value: Value) -> Value:
    return list_of(t, value.items) if isinstance(value, TupleValue) else value
