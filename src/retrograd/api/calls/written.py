"""What a compiled function leaves in arrays that it was given, and in attributes of objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from retrograd.frontend.identity.specs import GivenSpec, unflatten
from retrograd.frontend.identity.surroundings import Interface

__all__ = ["assign_attributes", "write_back"]


def write_back(traced: Interface, flat: Sequence[Any], results: Sequence[Any]) -> None:
    """Final versions of written arrays go into the caller's own, unless they are already there."""
    first = traced.results
    last = first + len(traced.written)
    for position, value in zip(traced.written, results[first:last], strict=True):
        target = flat[position]
        if target is not value:
            target[...] = value


def assign_attributes(
    traced: Interface, objects: list[Any], flat: Sequence[Any], results: Sequence[Any]
) -> None:
    """Assigns to attributes of the caller's objects, which come first in `objects`.

    After them come the new objects that are in the function's result.
    """
    values = iter(results[traced.results + len(traced.written) :])
    found: list[tuple[Any, str, Any]] = []
    for update in traced.updates:
        assigned = update.sure or bool(next(values))
        if isinstance(update.spec, GivenSpec):
            value = flat[update.spec.position]
        else:
            value = unflatten(update.spec, values, objects)
        if assigned:
            found.append((objects[update.number], update.name, value))
    for one, name, value in found:
        object.__setattr__(one, name, value)
