"""Trees without their leaves: what `retrograd.tree` takes apart, in plain Python and in programs.

Leaves are in the order of sorted keys, so that vectors made of equal dicts can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from retrograd.frontend.identity.flattening import put_together
from retrograd.frontend.identity.objects import attributes, is_object, made
from retrograd.frontend.identity.record_fields import fields_of
from retrograd.frontend.identity.specs import DictSpec, TupleSpec
from retrograd.frontend.identity.transformed import Baked

__all__ = ["LEAF", "NOTHING", "Structure", "Unravel", "in_sorted_order", "parts_of", "structure_of"]


def in_sorted_order(keys: Sequence[Any]) -> list[Any]:
    """Keys sorted; those of types that do not compare, by type and text."""
    try:
        return sorted(keys)
    except TypeError:
        return sorted(keys, key=lambda key: (type(key).__name__, repr(key)))


@dataclass(frozen=True, slots=True)
class Structure(Baked):
    """A tree without its leaves.

    `kind` is "leaf", "none", "tuple" (with the class), "dict" (with sorted keys, and in `order` as
    they were inserted) or "object" (with the class, and the names of its attributes as keys).
    """

    kind: str
    items: tuple[Structure, ...] = ()
    cls: type[Any] = tuple
    keys: tuple[Any, ...] = ()
    order: tuple[Any, ...] = field(default=(), compare=False, repr=False)

    @property
    def count(self) -> int:
        """The number of leaves."""
        return 1 if self.kind == "leaf" else sum(item.count for item in self.items)

    def make(self, items: Sequence[Any]) -> Any:
        """The compound of its items, which are in the order of `items`."""
        if self.kind == "tuple":
            return put_together(TupleSpec((), self.cls), items)
        if self.kind == "object":
            return made(self.cls, self.keys, items)
        table = dict(zip(self.keys, items, strict=True))
        return put_together(DictSpec(self.order, ()), [table[key] for key in self.order])

    def fill(self, leaves: Iterator[Any]) -> Any:
        """The tree with its leaves taken from an iterator."""
        if self.kind == "leaf":
            return next(leaves)
        return None if self.kind == "none" else self.make([i.fill(leaves) for i in self.items])


LEAF, NOTHING = Structure("leaf"), Structure("none")


def parts_of(tree: Any) -> tuple[Structure, list[Any]] | None:
    """A compound's own structure, without that of its items, and its items; None for a leaf."""
    if tree is None:
        return NOTHING, []
    if isinstance(tree, dict):
        table = cast("dict[Any, Any]", tree)
        keys = in_sorted_order(list(table))
        own = Structure("dict", cls=dict, keys=tuple(keys), order=tuple(table))
        return own, [table[key] for key in keys]
    cls = cast("type[Any]", type(tree))
    names = None if cls in (tuple, list) else fields_of(cls)
    if cls in (tuple, list) or (names is not None and issubclass(cls, tuple)):
        return Structure("tuple", cls=cls), list(tree)
    if names is None or isinstance(tree, type):
        if not is_object(tree) or not (held := attributes(tree)):
            return None
        return Structure("object", cls=cls, keys=tuple(held)), list(held.values())
    return Structure("tuple", cls=cls), [getattr(tree, name) for name in names]


def structure_of(tree: Any) -> tuple[Structure, list[Any]]:
    """The structure of a tree, and its leaves."""
    found = parts_of(tree)
    if found is None:
        return LEAF, [tree]
    own, items = found
    inner = [structure_of(item) for item in items]
    whole = Structure(own.kind, tuple(one for one, _ in inner), own.cls, own.keys, own.order)
    return whole, [leaf for _, leaves in inner for leaf in leaves]


@dataclass(frozen=True, slots=True)
class Unravel(Baked):
    """The function from a vector to a tree of numbers and arrays of these shapes."""

    structure: Structure
    shapes: tuple[tuple[int, ...], ...]
    scalars: tuple[bool, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many entries each leaf has."""
        return tuple(int(np.prod(shape)) for shape in self.shapes)

    def __call__(self, vector: NDArray[np.float64]) -> Any:
        """The tree; its arrays are copies."""
        if np.shape(vector) != (sum(self.sizes),):
            raise ValueError("the vector is not as long as what ravel gives")
        found: list[Any] = []
        start = 0
        for shape, size, scalar in zip(self.shapes, self.sizes, self.scalars, strict=True):
            part = vector[start : start + size]
            found.append(float(part[0]) if scalar else part.reshape(shape).copy())
            start += size
        return self.structure.fill(iter(found))
