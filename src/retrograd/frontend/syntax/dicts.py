"""What Python does with dicts: items read and changed, methods, `dict(...)` and `|`."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import BuiltinFunctionType, FunctionType

from retrograd.frontend.identity.containers import stands_for
from retrograd.frontend.identity.held_dicts import is_held
from retrograd.frontend.identity.keyed_by_run import Table, from_keys
from retrograd.frontend.identity.mappings import OfKeys
from retrograd.frontend.identity.sets import FrozenSet, Set, frozen_set, mixed
from retrograd.frontend.library.args import bind, no_more
from retrograd.frontend.library.instances import special
from retrograd.frontend.library.operators import augmented, in_place
from retrograd.frontend.syntax.branches import branch, choose
from retrograd.frontend.syntax.chosen_keys import (
    for_key,
    is_chosen,
    number_of_key,
    of_key,
    without_key,
)
from retrograd.frontend.syntax.dict_objects import as_object
from retrograd.frontend.syntax.list_operators import list_binary, list_in_place
from retrograd.frontend.values.dict_keys import together
from retrograd.frontend.values.dicts import (
    dict_of,
    found,
    is_dict,
    item_of,
    items_of,
    key_in,
    key_of,
    key_value,
    missing,
    note_site,
    position,
    possible_items,
    set_entries,
    set_entry,
    without,
)
from retrograd.frontend.values.freezing import frozen, thawed
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.iterators import unwrapped
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Bound,
    DictValue,
    DictView,
    Instance,
    Maybe,
    Scalar,
    Static,
    TupleValue,
    Value,
    certain,
    describe,
)
from retrograd.frontend.values.lists import current
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.sets import inside_of, known_item, set_order
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, true

__all__ = [
    "METHODS", "Keyword", "augment_item", "call_dict_method", "contains_key", "dict_binary",
    "dict_in_place", "function_of", "get_item", "keywords_of", "put_item", "set_of",
    "update", "with_keywords",
]  # fmt: skip

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


# Items.


def get_item(t: Tracer, owner: Value, index: Value) -> Value:
    """`owner[index]`."""
    if is_chosen(t, owner, index):
        if (number := number_of_key(t, owner, index)) is not None:
            return number
        return of_key(t, owner, index, partial(get_item, t, owner), lambda: _none(t, index))
    return item_of(t, owner, key_in(t, owner, index))


def _none(t: Tracer, index: Value) -> Value:
    raise without_key(t, index)


def put_item(t: Tracer, owner: Value, index: Value, value: Value) -> None:
    """`owner[index] = value`."""
    if is_chosen(t, owner, index):
        for_key(t, owner, index, lambda key: put_item(t, owner, key, value))
    else:
        set_entry(t, owner, key_in(t, owner, index), value)


def augment_item(t: Tracer, owner: Value, index: Value, op: str, right: ast.expr) -> None:
    """`owner[index] op= right`: arrays, lists and dicts in it change in place."""
    if is_chosen(t, owner, index):
        for_key(t, owner, index, lambda key: augment_item(t, owner, key, op, right), True)
        return
    old = get_item(t, owner, index)
    operand = t.eval(right)
    if isinstance(old, ArrayRef):
        in_place(t, op, old, frozen(t, operand))
        return
    if list_in_place(t, op, old, operand) or dict_in_place(t, op, old, operand):
        return
    new = list_binary(t, op, old, operand)
    if new is None:
        new = augmented(t, op, old, frozen(t, operand))
    set_entry(t, owner, key_in(t, owner, index), new)


def contains_key(t: Tracer, owner: Value, key: Value) -> Scalar:
    """`key in owner`."""
    if is_chosen(t, owner, key):
        found_by = of_key(t, owner, key, partial(contains_key, t, owner), lambda: literal(False))
        assert isinstance(found_by, Scalar)
        return found_by
    value = found(possible_items(t, owner), key_in(t, owner, key))
    return Scalar(value.flag) if isinstance(value, Maybe) else literal(value is not None)


# New dicts.


def _dict(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`dict(other, name=value)`."""
    if len(args) > 1:
        raise t.error(
            "RG0108",
            f"dict with {len(args)} positional arguments",
            "write dict(other), dict(a=1.0), or {'a': 1.0}",
        )
    if t.b.prov.span in t.ctx.way.tables or any(map(_is_table, args)):
        made = t.call(Static(Table), (), {})
        t.call(Bound(made, "update"), args, kwargs)
        return made
    made = dict_of(t, (), ())
    for arg in args:
        update(t, made, arg)
    for name, value in kwargs.items():
        set_entry(t, made, name, value)
    return as_object(t, made)


def _is_table(value: Value) -> bool:
    return isinstance(value, Instance) and value.cls is Table


def _fromkeys(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`dict.fromkeys(keys, value)`."""
    no_more(t, "fromkeys", kwargs)
    keys, value = bind(t, "fromkeys", args, kwargs, "iterable value", 1)
    assert keys is not None
    if t.b.prov.span in t.ctx.way.tables:
        return t.call(Static(from_keys), args, {})
    made, keys = dict_of(t, (), ()), unwrapped(t, keys)
    if steps_of(t, keys).all() is None:
        note_site(t, items_of(t, made).site)
    for key in _known(t, keys):
        set_entry(t, made, key_of(t, current(t, key)), NONE if value is None else value)
    return made


Function = Callable[[Tracer, Args, Kwargs], Value]


def function_of(obj: object) -> Function | None:
    """The handler of a function that makes dicts; None for all others."""
    if isinstance(obj, BuiltinFunctionType):
        return _fromkeys if obj == dict.fromkeys else None
    kinds: Mapping[object, Function] = {set: _set, frozenset: _frozen_set, dict: _dict}
    return kinds.get(obj) if isinstance(obj, type) else None


def _set(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`set(iterable)`: what is known one by one is put in one by one."""
    bind(t, "set", args, kwargs, "iterable", 0)
    if not args:
        return t.call(Static(Set), (), {})
    args = [unwrapped(t, args[0])]
    inside = inside_of(t, args[0])
    items = steps_of(t, inside or args[0]).items
    if inside is not None and (items is None or None in _known_items(t, items)):
        return t.call(Static(mixed), (inside,), {})
    return t.call(Static(Set), args, {}) if items is None else set_of(t, items)


def _frozen_set(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`frozenset(iterable)`."""
    bind(t, "frozenset", args, kwargs, "iterable", 0)
    args = [unwrapped(t, arg) for arg in args]
    items = steps_of(t, inside_of(t, args[0]) or args[0]).items if args else None
    known = _known_items(t, items or ())
    if args and (items is None or None in known):
        return t.call(Static(frozen_set), args, {})
    unique = tuple(dict.fromkeys(known))
    order = set_order(unique)
    inside = TupleValue(tuple(map(key_value, order or unique)))
    return TupleValue((inside, literal(order is not None)), FrozenSet)


def _known_items(t: Tracer, items: Sequence[Value]) -> list[object]:
    return [known_item(current(t, item)) for item in items]


def set_of(t: Tracer, items: Sequence[Value]) -> Value:
    """A new set of these items."""
    given = [current(t, item) for item in items]
    known = [known_item(item) for item in given]
    if None in known:
        return t.call(Static(Set), (TupleValue(tuple(given)),), {})
    made = t.call(Static(Set), (), {})
    assert isinstance(made, Instance)
    inside = TupleValue(tuple(map(key_value, dict.fromkeys(known))), list)
    t.set_content(made.cell("inside"), thawed(t, inside))
    return made


def update(t: Tracer, owner: Value, other: Value) -> None:
    """`owner.update(other)`: of a dict, or of pairs."""
    if _is_table(other):
        note_site(t, possible_items(t, owner).site)
    if (mapped := _of_mapping(t, other)) is not None:
        other = mapped
    if is_dict(other):
        content = possible_items(t, other)
        for flag, places in together(content):
            branch(t, flag, partial(_put_each, t, owner, content, places), lambda: None)
        return
    other = unwrapped(t, other)
    if steps_of(t, other).all() is None:
        note_site(t, items_of(t, owner).site)
    for pair in _known(t, other):
        both = steps_of(t, current(t, pair)).all()
        if both is None or len(both) != 2:
            raise t.error("RG0110", f"{describe(pair)} as an item of a dict", "write (key, value)")
        set_entry(t, owner, key_in(t, owner, current(t, both[0])), current(t, both[1]))


def _put_each(t: Tracer, owner: Value, content: DictValue, places: Sequence[int]) -> None:
    for k in places:
        set_entry(t, owner, content.keys[k], certain(content.items[k]))


def _of_mapping(t: Tracer, value: Value) -> Instance | None:
    """An object with `keys` as a dict; None of all else."""
    if not isinstance(value, Instance) or is_dict(value):
        return None
    own = isinstance(getattr(value.cls, "keys", None), FunctionType)
    if not own and not is_held(value.cls):
        return None
    if issubclass(value.cls, OfKeys) and is_dict(data := t.content(value.cell("data"))):
        return data
    made = dict_of(t, (), ())
    for key in _known(t, t.call(Bound(value, "keys"), (), {})):
        one = current(t, key)
        item = special(t, "__getitem__", value, one)
        if item is None:
            raise t.error("RG0107", f"{describe(value)} has no items", "give it a __getitem__")
        set_entry(t, made, key_of(t, one), item)
    return made


def _known(t: Tracer, value: Value) -> tuple[Value, ...]:
    """What a loop over a value gives, where that is known one by one."""
    items = steps_of(t, value).all()
    if items is None:
        raise t.error(
            "RG0109", "a dict with keys known at run time only", "number the keys and use an array"
        )
    return items


def dict_binary(t: Tracer, op: str, a: Value, b: Value) -> Value | None:
    """`a | b` of dicts; None for all else."""
    if op != "or" or not is_dict(a):
        return None
    if not is_dict(b):
        if (found := special(t, "__ror__", b, a)) is not None:
            return found
        if not isinstance(b, Instance) or stands_for(b.cls) not in (dict, Counter):
            return None
    made = _copied(t, a)
    update(t, made, b)
    return made


def dict_in_place(t: Tracer, op: str, owner: Value, other: Value) -> Value | None:
    """`owner |= other`, and what the name is then; None for all else."""
    if op != "or" or not is_dict(owner):
        return None
    update(t, owner, other)
    return owner


Keyword = tuple[str, Value, Atom]
"""An argument of a call, with the flag that says whether it is given."""

_MOST_DOUBTFUL = 3
"""So many flags may say which arguments a call is given."""


def keywords_of(t: Tracer, value: Value) -> list[Keyword]:
    """The arguments that `**value` gives."""
    if (mapped := _of_mapping(t, value)) is not None:
        value = mapped
    if not is_dict(value):
        raise t.error("RG0101", f"`**` of {describe(value)} in a call", "use a dict")
    content = possible_items(t, value)
    flags = {item.flag for item in content.items if isinstance(item, Maybe)}
    content = items_of(t, value) if len(flags) > _MOST_DOUBTFUL else content
    given: list[Keyword] = []
    for key, item in zip(content.keys, content.items, strict=True):
        if not isinstance(key, str):
            raise t.error("RG0108", f"the keyword {key!r} is no text", "use names for keys")
        given.append((key, certain(item), item.flag if isinstance(item, Maybe) else true))
    return given


def with_keywords(
    t: Tracer, named: Sequence[Keyword], run: Callable[[Mapping[str, Value]], Value]
) -> Value:
    """What a call gives, which is translated for each set of arguments that it may be given."""
    flag = next((flag for _, _, flag in named if flag != true), true)
    if flag == true:
        return run({name: value for name, value, _ in named})
    there = [(name, value, true if own == flag else own) for name, value, own in named]
    others = [one for one in named if one[2] != flag]
    return choose(
        t, flag, lambda: with_keywords(t, there, run), lambda: with_keywords(t, others, run)
    )


# Methods.


def call_dict_method(t: Tracer, method: Bound, args: Args, kwargs: Kwargs) -> Value:
    """`owner.name(...)` of a dict."""
    owner = method.receiver
    assert isinstance(owner, Instance)
    return METHODS[method.name](t, owner, args, kwargs)


def _copied(t: Tracer, owner: Value) -> Instance:
    content = possible_items(t, owner)
    return dict_of(t, content.keys, content.items)


def _copy(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    bind(t, "copy", args, kwargs, "", 0)
    return _copied(t, owner)


def _view(kind: str) -> Callable[[Tracer, Instance, Args, Kwargs], Value]:
    def method(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
        bind(t, kind, args, kwargs, "", 0)
        return DictView(owner, kind)

    return method


def _get(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    no_more(t, "get", kwargs)
    index, default = bind(t, "get", args, kwargs, "key default", 1)
    assert index is not None
    other = NONE if default is None else default
    if is_chosen(t, owner, index):
        return of_key(
            t, owner, index, lambda key: _get(t, owner, (key, other), {}), lambda: other
        )  # fmt: skip
    key = key_in(t, owner, index)
    value = found(possible_items(t, owner), key)
    if isinstance(value, Maybe):
        there = value.value
        return choose(t, value.flag, lambda: there, lambda: other)
    return other if value is None else value


def _setdefault(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    no_more(t, "setdefault", kwargs)
    index, default = bind(t, "setdefault", args, kwargs, "key default", 1)
    assert index is not None
    key = key_in(t, owner, index)
    value, other = found(possible_items(t, owner), key), NONE if default is None else default
    if isinstance(value, Maybe):
        branch(t, value.flag, lambda: None, lambda: set_entry(t, owner, key, other))
        return item_of(t, owner, key)
    if value is None:
        set_entry(t, owner, key, other)
    return other if value is None else value


def _pop(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    no_more(t, "pop", kwargs)
    index, default = bind(t, "pop", args, kwargs, "key default", 1)
    assert index is not None
    key = key_in(t, owner, index)
    if default is None:
        item_of(t, owner, key)
    content = items_of(t, owner)
    at = position(content, key)
    if at is None:
        assert default is not None
        return default
    set_entries(t, owner, without(content, at))
    return content.items[at]


def _popitem(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    bind(t, "popitem", args, kwargs, "", 0)
    content = items_of(t, owner)
    if not content.keys:
        raise missing(t, "popitem(): dictionary is empty")
    last = TupleValue((_keys(content)[-1], content.items[-1]))
    set_entries(t, owner, without(content, len(content.keys) - 1))
    return last


def _keys(content: DictValue) -> tuple[Value, ...]:
    return tuple(map(key_value, content.keys))


def _clear(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    bind(t, "clear", args, kwargs, "", 0)
    set_entries(t, owner, replace(items_of(t, owner), keys=(), items=()))
    return NONE


def _updated(t: Tracer, owner: Instance, args: Args, kwargs: Kwargs) -> Value:
    if len(args) > 1:
        raise t.error(
            "RG0108",
            f"update with {len(args)} positional arguments",
            "write d.update(other), once for each",
        )
    for arg in args:
        update(t, owner, arg)
    for name, value in kwargs.items():
        set_entry(t, owner, name, value)
    return NONE


METHODS: Mapping[str, Callable[[Tracer, Instance, Args, Kwargs], Value]] = {
    "keys": _view("keys"), "values": _view("values"), "items": _view("items"), "get": _get,
    "setdefault": _setdefault, "pop": _pop, "popitem": _popitem, "copy": _copy, "clear": _clear,
    "update": _updated,
}  # fmt: skip
