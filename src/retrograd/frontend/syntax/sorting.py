"""`sorted(values)` and `values.sort()`: of numbers, of tuples of numbers, and of what is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from types import FunctionType
from typing import Any

import numpy as np

from retrograd.frontend.identity import standard_library
from retrograd.frontend.identity.buffers import ListBuffer, ListItems, ListObject, ListRow
from retrograd.frontend.library.args import bind, flag
from retrograd.frontend.library.plain import sorting
from retrograd.frontend.syntax.lists import listed
from retrograd.frontend.syntax.ordering import MOST, in_order
from retrograd.frontend.values.arrays import Index, Slice, narrow, read
from retrograd.frontend.values.freezing import frozen, thawed
from retrograd.frontend.values.item_forms import content_form
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.iterators import unwrapped
from retrograd.frontend.values.kinds import (
    LOST,
    NONE,
    ArrayRef,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)
from retrograd.frontend.values.list_texts import is_of_texts, texts_in
from retrograd.frontend.values.lists import (
    arrays,
    buffered,
    content_of,
    current,
    is_list,
    item_at,
    like,
    of_buffers,
    parts_of,
    whole,
)
from retrograd.frontend.values.records import own_method
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.sets import inside_of
from retrograd.frontend.values.text_choices import is_text, not_kept, options_of
from retrograd.frontend.values.tracer import NeedLists, Tracer
from retrograd.ir.terms import Lit, ilit

__all__ = ["sorted_list"]


def sorted_list(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`sorted(values, key=..., reverse=...)`, a new list."""
    value, key, reverse = bind(t, "sorted", args, kwargs, "iterable key reverse", 1)
    assert value is not None
    value = inside_of(t, value) or value
    value, key = unwrapped(t, value), None if key == NONE else key
    backwards = flag(t, reverse, "reverse")
    known = _in_known_order(t, value, key, backwards)
    if known is not None:
        return thawed(t, TupleValue(known, list))
    if isinstance(value, ArrayRef):
        if value.type.rank != 1:
            raise _not_numbers(t, value)
        return _sorted_numbers(t, value, None, key, backwards)
    content = _content(t, value)
    count = len(content.items) if content.cls is ListItems else None
    if isinstance(key, TupleValue) and key.cls is standard_library.Comparison:
        return _sorted_by_comparison(t, value, content, key, backwards)
    first = content.items[0]
    if isinstance(first, Scalar) or (count is None and isinstance(first, ArrayRef)):
        array = value if isinstance(value, TupleValue) else frozen(t, listed(t, value))
        return _sorted_numbers(t, array, count, key, backwards)
    return _sorted_tuples(t, value, key, backwards)


def _sorted_by_comparison(
    t: Tracer, value: Value, content: TupleValue, key: TupleValue, backwards: bool
) -> Value:
    """By what `functools.cmp_to_key` has made."""
    if content.cls is ListItems and len(content.items) <= MOST:
        ranks = [t.call(key, (item,), {}) for item in content.items]
        return thawed(t, TupleValue(in_order(t, content.items, ranks, backwards), list))
    if not t.ctx.way.lists:
        raise NeedLists
    given = (listed(t, value), key.items[0], literal(backwards))
    return t.call(Static(standard_library.sorted_by), given, {})


def _content(t: Tracer, value: Value) -> TupleValue:
    """The items of what is sorted; there is one at least, or they are in buffers."""
    if isinstance(value, TupleValue):
        return TupleValue(tuple(current(t, item) for item in value.items), ListItems)
    made = value if is_list(value) else listed(t, value)
    if isinstance(made, TupleValue):
        return TupleValue(made.items, ListItems)
    return content_of(t, made)


def _not_numbers(t: Tracer, value: Value) -> Exception:
    return t.error(
        "RG0110", f"sorting items such as {describe(value)}",
        "sort numbers or tuples of numbers; np.argsort of the keys gives an order for all else",
    )  # fmt: skip


def _sorted_numbers(
    t: Tracer, value: Value, count: int | None, key: Value | None, backwards: bool
) -> Value:
    """`count`: how many there are, where they are known one by one."""
    array = t.call(Static(np.array), [value], {})
    if not isinstance(array, ArrayRef) or array.type.rank != 1:
        raise _not_numbers(t, array)
    if key is not None:
        by_key = sorting.by_key_reversed if backwards else sorting.by_key
        ordered = t.call(Static(by_key), [array, key], {})
    else:
        ordered = t.call(Static(np.sort), [array], {})
        if backwards:
            ordered = t.call(Static(np.array), [_reversed(t, ordered)], {})
    assert isinstance(ordered, ArrayRef)
    if count is not None:
        return thawed(t, TupleValue(tuple(_numbers(t, ordered, count)), list))
    return _of_array(t, ordered)


def _of_array(t: Tracer, ordered: ArrayRef) -> Value:
    if not t.ctx.way.lists:
        raise NeedLists
    length = t.call(Static(len), [ordered], {})
    assert isinstance(length, Scalar)
    return of_buffers(t, ordered, length)


def _numbers(t: Tracer, array: ArrayRef, count: int) -> Iterator[Scalar]:
    for k in range(count):
        yield Scalar(read(t, narrow(t, array, [Index(Scalar(ilit(k)), inside=True)])))


def _reversed(t: Tracer, array: Value) -> ArrayRef:
    assert isinstance(array, ArrayRef)
    return narrow(t, array, [Slice(None, None, Scalar(ilit(-1)))])


# Tuples of numbers.


def _sorted_tuples(t: Tracer, value: Value, key: Value | None, backwards: bool) -> Value:
    """Of tuples: an order of their places is found, and each part of them is put into it."""
    if not t.ctx.way.lists:
        raise NeedLists
    made = listed(t, value)
    content = content_of(t, made)
    known = content.cls is ListItems
    ranked = content
    if key is not None:
        ranked = _keys(t, made, content, key)
    if known and not (_are_rows(ranked, True) and _are_rows(content, False)):
        if len(content.items) > MOST:
            raise _not_numbers(t, content.items[0])
        found = in_order(t, content.items, ranked.items, backwards)
        return thawed(t, TupleValue(found, list))
    if not known and key is None and _has_order(t, content):
        given = (made, Static(standard_library.less), literal(backwards))
        return t.call(Static(standard_library.sorted_by), given, {})
    _, columns = _columns(t, ranked, ordered=True)
    find = sorting.order_of_rows_reversed if backwards else sorting.order_of_rows
    order = t.call(Static(find), [TupleValue(tuple(columns))], {})
    place = Static(sorting.placed)
    buffers, own = _columns(t, content, ordered=False)
    moved = like(buffers, (t.call(place, [column, order], {}) for column in own))
    for now, before in zip(arrays(moved), arrays(buffers), strict=True):
        if now.type.rank > 1:
            t.state.follow(now.loc, before.loc)
    length = t.call(Static(len), [order], {})
    assert isinstance(length, Scalar)
    if not known:
        return of_buffers(t, moved, length)
    ordered = TupleValue((moved, length), ListBuffer)
    places = (Scalar(ilit(k), True) for k in range(len(content.items)))
    return thawed(t, TupleValue(tuple(item_at(t, ordered, at) for at in places), list))


def _has_order(t: Tracer, content: TupleValue) -> bool:
    """Whether the items of a list in buffers are objects that compare by their `__lt__`."""
    form = content_form(t, content, t.content)
    if not isinstance(form, TupleValue) or not issubclass(form.cls, ListObject):
        return False
    return isinstance(getattr(form.cls.of, "__lt__", None), FunctionType)


def _keys(t: Tracer, made: Value, content: TupleValue, key: Value) -> TupleValue:
    """What the key of each item is."""
    if content.cls is ListItems:
        return TupleValue(tuple(t.call(key, (item,), {}) for item in content.items), ListItems)
    return content_of(t, listed(t, t.call(Static(standard_library.keys_of), [made, key], {})))


def _columns(t: Tracer, content: TupleValue, ordered: bool) -> tuple[Value, list[Value]]:
    """The buffers of items, and what counts of each; `ordered`: Python knows which is less."""
    if not _are_rows(content, ordered):
        raise _not_numbers(t, content.items[0])
    form = content_form(t, content, t.content)
    assert form is not None
    buffers, length = parts_of(buffered(t, content, form))
    ranks = _ranks(t, buffers) if ordered else repeat(None)
    every: list[Value] = []
    for array, table in zip(arrays(buffers), ranks, strict=False):
        own: Value = whole(t, array, length)
        if table is not None:
            own = t.call(Static(sorting.looked_up), [table, own], {})
        every.append(own)
    return buffers, every


def _ranks(t: Tracer, buffers: Value) -> Iterator[Value | None]:
    """For each buffer of numbers of texts the places of these texts in their order."""
    if is_of_texts(buffers):
        texts = texts_in(buffers)
        if LOST in texts:
            raise not_kept(t)
        order = sorted(texts)
        ranks = [ilit(order.index(text)) for text in texts]
        yield t.new(t.prim("array_of", *ranks, shape=(len(ranks),)))
    elif isinstance(buffers, TupleValue):
        for part in buffers.items:
            yield from _ranks(t, part)
    else:
        yield None


def _are_rows(content: TupleValue, ordered: bool) -> bool:
    """Whether all items are numbers, texts, or tuples of these, and alike."""
    known = content.cls is ListItems
    items = content.items if known else content.items[:1]
    leaf = Scalar if known else ArrayRef
    return all(
        _is_row(item, ordered, leaf) and _shape(item) == _shape(items[0]) for item in items
    )  # fmt: skip


def _is_row(item: Value, ordered: bool, leaf: type[Scalar | ArrayRef]) -> bool:
    """Whether it is a number, a text, or a tuple of these; `leaf`: what has numbers.

    What is in buffers and not compared may be anything.
    """
    if leaf is ArrayRef and not ordered:
        return True
    if is_of_texts(item) or (is_text(item) and options_of(item) is not None):
        return True
    if isinstance(item, TupleValue) and item.cls not in (list, ListRow):
        plain = issubclass(item.cls, tuple) and not own_method(item, "__lt__")
        compared = plain or not ordered
        return compared and all(_is_row(part, ordered, leaf) for part in item.items)
    alone = not isinstance(item, ArrayRef) or item.type.rank == 1
    return isinstance(item, leaf) and alone


def _shape(item: Value) -> Value:
    """An item without its numbers."""
    return like(item, repeat(NONE))


# What is known when the program is translated.


class _UndecidedError(Exception):
    """Whether one item is less than another is known at run time only."""


class _Unknown:
    """Stands for a number of the run among those that are known."""

    def __eq__(self, other: object) -> bool:
        raise _UndecidedError

    def __lt__(self, other: object) -> bool:
        raise _UndecidedError

    __gt__ = __lt__


def _in_known_order(
    t: Tracer, value: Value, key: Value | None, backwards: bool
) -> tuple[Value, ...] | None:
    """Items in an order that is known at compile time, such as the keys of a dict; else None."""
    found = None if isinstance(value, ArrayRef) else steps_of(t, value).known
    if found is None:
        return None
    items = [current(t, item) for item in found]
    ranked = items if key is None else [t.call(key, (item,), {}) for item in items]
    ranks = [_rank(frozen(t, item)) for item in ranked]
    try:
        order = sorted(range(len(items)), key=ranks.__getitem__, reverse=backwards)
    except _UndecidedError:
        return None
    except TypeError as error:
        raise t.error("RG0110", f"sorted: {error}", "sort what compares") from None
    return tuple(items[k] for k in order)


def _rank(value: Value) -> Any:
    """A value as Python compares it, as far as it is known."""
    match value:
        case Static(obj=str() as text):
            return text
        case Scalar(atom=Lit(value=number)):
            return number
        case TupleValue() if own_method(value, "__lt__"):
            return _Unknown()
        case TupleValue() if issubclass(value.cls, tuple):
            return tuple(map(_rank, value.items))
        case TupleValue() if value.cls is list:
            return [_rank(item) for item in value.items]
        case _:
            return _Unknown()
