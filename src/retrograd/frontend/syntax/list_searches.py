"""What is looked for in lists: which items are equal to a value."""

from __future__ import annotations

import numpy as np

from retrograd.frontend.identity.buffers import ListItems, ListKinds, ListText
from retrograd.frontend.library.operators import compare_values
from retrograd.frontend.syntax import lists
from retrograd.frontend.syntax.rows import rows
from retrograd.frontend.values.item_forms import form_of
from retrograd.frontend.values.item_kinds import ids_of, is_kinds, number_of_kind
from retrograd.frontend.values.kinds import (
    LOST,
    NONE,
    ArrayRef,
    Instance,
    OneOf,
    Option,
    Scalar,
    Static,
    Text,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.list_texts import (
    is_of_texts,
    number_of,
    text_form,
    texts_in,
)
from retrograd.frontend.values.lists import as_array, content_of, parts_of, whole
from retrograd.frontend.values.object_rows import row_in, same_rows
from retrograd.frontend.values.scalars import truth
from retrograd.frontend.values.text_choices import is_text, not_kept
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, false, ilit, true

__all__ = ["contains", "equal_items"]


def equal_items(t: Tracer, owner: Instance, value: Value) -> list[Atom] | Value:
    """Which items are equal to a value: one by one, or as an array."""
    content = content_of(t, owner)
    if content.cls is ListItems:
        return [truth(t, compare_values(t, "eq", item, value)) for item in content.items]
    buffers, length = parts_of(content)
    if isinstance(value, Option) and row_in(buffers) is None:
        return _equal_option(t, owner, value)
    if isinstance(buffers, TupleValue) and issubclass(buffers.cls, tuple | ListText | ListKinds):
        return _equal_rows(t, buffers, length, value)
    if row_in(buffers) is not None:
        return _equal_objects(t, owner, length, value)
    if value == NONE:
        return []
    if isinstance(value, Instance | TupleValue):
        if isinstance(buffers, TupleValue) and value.cls is list:
            raise t.error(
                "RG0110", "a list is looked for in a list of lists of run-time length",
                "compare each of them: any(row == x for row in rows)",
            )  # fmt: skip
        return []
    return compare_values(t, "eq", as_array(t, owner), value)


def _equal_option(t: Tracer, owner: Instance, value: Option) -> list[Atom] | Value:
    """Which items are equal to what may be None: then those that are None."""
    found: Value | None = None
    for one, flag in ((value.value, value.flag), (NONE, t.prim("not_", value.flag))):
        equal = equal_items(t, owner, one)
        if not isinstance(equal, list):
            such = t.call(Static(np.logical_and), [equal, Scalar(flag)], {})
            found = such if found is None else t.call(Static(np.logical_or), [found, such], {})
    return [] if found is None else found


def _equal_objects(t: Tracer, owner: Instance, length: Scalar, value: Value) -> Value:
    """Which of the objects in buffers are a value, or equal to it as their class says."""

    def equal(at: Scalar) -> Value:
        item = lists.get(t, owner, at)
        found, same = truth(t, compare_values(t, "eq", item, value)), same_rows(t, item, value)
        return Scalar(found if same is None else t.prim("or_", same, found))

    return rows(t, length.atom, equal, owner)


def _equal_rows(t: Tracer, buffers: Value, length: Scalar, value: Value) -> list[Atom] | Value:
    """Which of the tuples in buffers are equal to a value."""
    if isinstance(buffers, TupleValue) and is_kinds(buffers):
        return _equal_kinds(t, buffers, length, value)
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
    if LOST in texts_in(buffers) or (isinstance(value, Text) and value.is_lost):
        raise not_kept(t)
    if form is None or not isinstance(ref, ArrayRef) or not isinstance(value, Static | Text):
        raise _not_compared(t, value)
    number = Scalar(number_of(t, value, form), True)
    return compare_values(t, "eq", whole(t, ref, length), number)


def _equal_kinds(
    t: Tracer, buffers: TupleValue, length: Scalar, value: Value
) -> list[Atom] | Value:
    """Which of the items that may be None, or of several kinds, are equal to a value."""
    which = buffers.items[0]
    assert isinstance(which, ArrayRef)
    if isinstance(value, Option | OneOf):
        raise _not_compared(t, value)
    number = -1 if value == NONE else number_of_kind(t, form_of(t, value, t.content))
    if number >= 0 and number not in ids_of(buffers):
        return []
    kind = compare_values(t, "eq", whole(t, which, length), Scalar(ilit(number)))
    if number < 0:
        return kind
    column = buffers.items[1 + ids_of(buffers).index(number)]
    equal = _equal_rows(t, column, length, value)
    return equal if isinstance(equal, list) else t.call(Static(np.logical_and), [kind, equal], {})


def _is_column(buffers: Value) -> bool:
    """Whether it holds numbers."""
    return isinstance(buffers, ArrayRef) and buffers.type.rank == 1


def _not_compared(t: Tracer, value: Value) -> Exception:
    return t.error(
        "RG0110", f"{describe(value)} is looked for in a list of tuples",
        "look for a tuple of numbers",
    )  # fmt: skip


def contains(t: Tracer, owner: Instance, value: Value) -> Atom:
    """`value in owner`."""
    equal = equal_items(t, owner, value)
    if not isinstance(equal, list):
        return truth(t, t.call(Static(np.any), [equal], {}))
    if true in equal:
        return true
    found: Atom = false
    for one in equal:
        if one != false:
            found = one if found == false else t.prim("or_", found, one)
    return found
