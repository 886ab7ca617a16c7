"""What a compiled function leaves in arrays that it was given, and in attributes of objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from retrograd.frontend.identity.flattening import unflatten
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.frontend.identity.surroundings import Interface

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
    traced: Interface, objects: list[Any], dicts: Sequence[dict[Any, Any]], flat: Sequence[Any],
    results: Sequence[Any],
) -> None:  # fmt: skip
    """Assigns to attributes of the caller's objects, which come first in `objects`, and to items of
    the caller's dicts.

    After the objects come the new ones that are in the function's result.
    """

    def value_of(spec: ArgSpec) -> Any:
        return unflatten(spec, values, objects, flat)

    values = iter(results[traced.results + len(traced.written) :])
    found: list[tuple[Any, str, Any]] = []
    for update in traced.updates:
        assigned = update.sure or bool(next(values))
        value = value_of(update.spec)
        if assigned:
            found.append((objects[update.number], update.name, value))
    stored = [
        [None if spec is None else (value_of(spec),) for spec in store.items]
        for store in traced.stores
    ]
    for one, name, value in found:
        object.__setattr__(one, name, value)
    for store, items in zip(traced.stores, stored, strict=True):
        _assign_items(dicts[store.number], store.keys, items)


def _assign_items(
    held: dict[Any, Any], keys: Sequence[Any], items: Sequence[tuple[Any] | None]
) -> None:
    """Gives a dict its items, in their order; None for those that stay."""
    assign = cast("Any", dict).update  # a counter's own adds
    pairs = list(zip(keys, items, strict=True))
    if list(held) == list(keys):
        assign(held, {key: new[0] for key, new in pairs if new is not None})
        return
    made = {key: held[key] if new is None else new[0] for key, new in pairs}
    held.clear()
    assign(held, made)
