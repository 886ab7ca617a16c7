"""What a compiled function leaves in arrays that it was given, in attributes of objects, dicts and
lists."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, cast

from retrograd.frontend.identity.flattening import ABSENT, unflatten
from retrograd.frontend.identity.given_lists import renew
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.frontend.identity.surroundings import Interface, Places

__all__ = ["assign_places", "write_back"]


def write_back(traced: Interface, flat: Sequence[Any], results: Sequence[Any]) -> None:
    """Final versions of written arrays go into the caller's own, unless they are already there."""
    first = traced.results
    last = first + len(traced.written)
    for position, value in zip(traced.written, results[first:last], strict=True):
        target = flat[position]
        if target is not value:
            target[...] = value


def assign_places(
    traced: Interface, places: Places, known: list[Any], flat: Sequence[Any],
    results: Sequence[Any],
) -> None:  # fmt: skip
    """Assigns to attributes of the caller's objects, and to items of the caller's dicts and lists.

    `known` are all these, and then the new objects that are in the function's result.
    """

    def value_of(spec: ArgSpec) -> Any:
        return unflatten(spec, values, known, flat)

    values = iter(results[traced.results + len(traced.written) :])
    found: list[tuple[Any, str, Any]] = []
    for update in traced.updates:
        assigned = update.sure or bool(next(values))
        value = value_of(update.spec)
        if assigned:
            found.append((places.objects[update.number], update.name, value))
    stored = [
        [None if spec is None else (value_of(spec),) for spec in store.items]
        for store in traced.stores
    ]
    listed = [
        [item if isinstance(item, int) else (value_of(item),) for item in store.items]
        if isinstance(store.items, tuple) else value_of(store.items)
        for store in traced.list_stores
    ]  # fmt: skip
    for one, name, value in found:
        object.__setattr__(one, name, value)
    for store, items in zip(traced.stores, stored, strict=True):
        _assign_items(places.dicts[store.number], store.keys, items)
    for store, items in zip(traced.list_stores, listed, strict=True):
        held = places.lists[store.number]
        if isinstance(store.items, tuple):
            held[:] = [held[item] if isinstance(item, int) else item[0] for item in items]
        else:
            renew(held, items)


def _assign_items(
    held: dict[Any, Any], keys: Sequence[Any], items: Sequence[tuple[Any] | None]
) -> None:
    """Gives a dict its items, in their order; None for those that stay, without those that are not
    there."""
    # A counter's own update adds.
    assign = cast("Any", OrderedDict if isinstance(held, OrderedDict) else dict).update
    every = zip(keys, items, strict=True)
    pairs = [(key, new) for key, new in every if new is None or new[0] is not ABSENT]
    keys = [key for key, _ in pairs]
    if list(held) == list(keys):
        assign(held, {key: new[0] for key, new in pairs if new is not None})
        return
    made = {key: held[key] if new is None else new[0] for key, new in pairs}
    held.clear()
    assign(held, made)
