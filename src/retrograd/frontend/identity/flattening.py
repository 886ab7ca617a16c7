"""The leaves of a tree of arguments one after the other, and the tree put together from them.

What `retrograd.frontend.identity.specs` says of a value is walked here, with the value or without.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, count
from typing import Any

import numpy as np

from retrograd.frontend.identity import masked_outside, narrow_ints, sparse_matrices
from retrograd.frontend.identity.given_lists import GIVEN, GivenBuffer, columns_in
from retrograd.frontend.identity.narrow_ints import NarrowArray
from retrograd.frontend.identity.objects import attributes, made, put_in
from retrograd.frontend.identity.record_fields import fields_of
from retrograd.frontend.identity.sets import CLASSES as SETS
from retrograd.frontend.identity.sets import given_items
from retrograd.frontend.identity.specs import (
    ArgSpec,
    ComplexSpec,
    Compound,
    DictSpec,
    GivenSpec,
    LeafSpec,
    OpaqueSpec,
    SameSpec,
    StaticSpec,
    TreeSpec,
    TupleSpec,
)
from retrograd.ir.types import Type

__all__ = [
    "ABSENT", "cotangent_specs", "has_complex", "has_lists", "has_objects", "items_in",
    "leaf_specs", "leaf_types", "leaves", "make", "mapped", "places_in", "put_together",
    "trees_in", "unflatten",
]  # fmt: skip

ABSENT = object()
"""Stands for an item that a dict does not have."""


def items_in(spec: ArgSpec, value: Any) -> Sequence[Any]:
    """The values directly inside `value`, which has the given spec, in the order of its items."""
    match spec:
        case TupleSpec() if sparse_matrices.of_scipy(value) is not None:
            return sparse_matrices.parts_in(value)
        case TupleSpec() if spec.cls is GivenBuffer:
            return (columns_in(value), len(value))
        case TupleSpec() if masked_outside.is_masked(value):
            return masked_outside.parts_of(value)
        case TupleSpec() if spec.cls is NarrowArray and isinstance(value, np.ndarray):
            return narrow_ints.parts_of(value)
        case TupleSpec() if spec.cls in SETS:
            return (tuple(given_items(value)), True)
        case TupleSpec():
            names = None if issubclass(spec.cls, tuple | list) else fields_of(spec.cls)
            return value if names is None else [getattr(value, name) for name in names]
        case DictSpec():
            return [value[key] for key in spec.keys]
        case ComplexSpec():
            return (value.real, value.imag)
        case TreeSpec():
            held = attributes(value)
            return [held[name] for name in spec.names]
        case _:
            return ()


def make(cls: type[Any], items: Sequence[Any]) -> Any:
    """An instance of a tuple class, list or frozen dataclass from its items."""
    build: Callable[..., Any] = cls
    plain = cls is tuple or cls is list
    if (matrix := sparse_matrices.in_scipy(cls, items)) is not None:
        return matrix
    if (masked := masked_outside.in_numpy(cls, items)) is not None:
        return masked
    if (narrow := narrow_ints.in_numpy(cls, items)) is not None:
        return narrow
    if cls in SETS:
        return SETS[cls](items[0])
    return build(items) if plain else build(*items)


def as_complex(real: Any, imag: Any) -> Any:
    """The complex number or array of its parts."""
    if np.ndim(real) == 0:
        return complex(real, imag)
    made = np.empty(np.shape(real), complex)
    made.real, made.imag = real, imag
    return made


def put_together(spec: Compound, items: Sequence[Any]) -> Any:
    """A value of that spec from those directly inside it."""
    if isinstance(spec, TreeSpec):
        return made(spec.cls, spec.names, items)
    if isinstance(spec, ComplexSpec):
        return as_complex(*items)
    if isinstance(spec, DictSpec):
        pairs = zip(spec.keys, items, strict=True)
        found = {key: item for key, item in pairs if item is not ABSENT}
        if spec.cls is dict:
            return found
        build: Callable[..., Any] = spec.cls
        return build(spec.default, found) if spec.cls is defaultdict else build(found)
    return tuple(items) if spec.cls is tuple else make(spec.cls, items)


def mapped(spec: ArgSpec, leaf: Callable[[LeafSpec | StaticSpec], ArgSpec]) -> ArgSpec:
    """The spec with what is no compound replaced, from left to right."""
    match spec:
        case TupleSpec() | DictSpec() | TreeSpec() | ComplexSpec():
            return dataclasses.replace(spec, items=tuple(mapped(item, leaf) for item in spec.items))
        case SameSpec() | GivenSpec():
            return spec
        case OpaqueSpec():
            return leaf(StaticSpec(None))
        case _:
            return leaf(spec)


def cotangent_specs(args: Sequence[ArgSpec], chosen: Sequence[int]) -> tuple[ArgSpec, ...]:
    """The trees of the gradients of some of the arguments: None where there is no float.

    An object that is there twice has one gradient.
    """
    starts = list(accumulate((sum(1 for _ in trees_in(arg)) for arg in args), initial=0))
    numbers: dict[int, int] = {}
    made = count()

    def gradient(spec: ArgSpec, own: Iterator[int]) -> ArgSpec:
        match spec:
            case LeafSpec() if spec.type.is_float:
                return spec
            case TupleSpec() if spec.cls is NarrowArray or spec.cls in SETS:
                return StaticSpec(None)
            case TupleSpec() | DictSpec():
                items = tuple(gradient(item, own) for item in spec.items)
                return dataclasses.replace(spec, items=items)
            case TreeSpec():
                numbers[next(own)] = next(made)
                items = tuple(gradient(item, own) for item in spec.items)
                return dataclasses.replace(spec, items=items)
            case SameSpec() if spec.number in numbers:
                return SameSpec(numbers[spec.number])
            case _:
                return StaticSpec(None)

    return tuple(gradient(args[k], count(starts[k])) for k in chosen)


def has_complex(spec: ArgSpec) -> bool:
    """Whether there is a complex number, or an array of them, in a value of that spec."""
    match spec:
        case ComplexSpec():
            return True
        case TupleSpec() | DictSpec() | TreeSpec():
            return any(map(has_complex, spec.items))
        case _:
            return False


def has_lists(spec: ArgSpec) -> bool:
    """Whether there is a list in a value of that spec."""
    match spec:
        case TupleSpec() if spec.cls is list or spec.cls in GIVEN:
            return True
        case TupleSpec() | DictSpec() | TreeSpec():
            return any(map(has_lists, spec.items))
        case _:
            return False


def trees_in(spec: ArgSpec) -> Iterator[TreeSpec]:
    """The objects of a tree, in the order in which they are met."""
    match spec:
        case TupleSpec() | DictSpec():
            for item in spec.items:
                yield from trees_in(item)
        case TreeSpec():
            yield spec
            for item in spec.items:
                yield from trees_in(item)
        case _:
            return


def has_objects(spec: ArgSpec) -> bool:
    """Whether there are objects in a value of that spec."""
    match spec:
        case TreeSpec() | SameSpec():
            return True
        case TupleSpec() | DictSpec():
            return any(map(has_objects, spec.items))
        case _:
            return False


def places_in(spec: ArgSpec, value: Any) -> Iterator[Any]:
    """The objects, dicts and lists to be changed in a value of that spec, each kind in order."""
    match spec:
        case TupleSpec() | DictSpec() | TreeSpec():
            if not isinstance(spec, TupleSpec) or spec.cls in GIVEN:
                yield value
            if isinstance(spec, TupleSpec) and spec.cls is GivenBuffer:
                return
            for item, inner in zip(spec.items, items_in(spec, value), strict=True):
                yield from places_in(item, inner)
        case _:
            return


def leaf_specs(spec: ArgSpec) -> Iterator[LeafSpec]:
    """The leaves of a spec, each of which stands for a parameter of the program, in order."""
    match spec:
        case LeafSpec():
            yield spec
        case TupleSpec() | DictSpec() | TreeSpec() | ComplexSpec():
            for item in spec.items:
                yield from leaf_specs(item)
        case _:
            return


def leaf_types(spec: ArgSpec) -> Iterator[Type]:
    """The types of the program's parameters that a spec stands for, in order."""
    return (leaf.type for leaf in leaf_specs(spec))


def leaves(spec: ArgSpec, value: Any) -> Iterator[Any]:
    """The leaves of `value`, which has the given spec, in the order of `leaf_types`."""
    match spec:
        case LeafSpec():
            yield value
        case TupleSpec() | DictSpec() | TreeSpec() | ComplexSpec():
            for item, inner in zip(spec.items, items_in(spec, value), strict=True):
                yield from leaves(item, inner)
        case _:
            return


def unflatten(
    spec: ArgSpec, values: Iterator[Any], objects: list[Any] | None = None,
    given: Sequence[Any] = (),
) -> Any:  # fmt: skip
    """The value of that spec with its leaves taken from `values`.

    `objects` are those that the spec may refer to by number; new ones are appended. `given` are the
    arguments that it may refer to.
    """
    known = [] if objects is None else objects
    match spec:
        case LeafSpec():
            return next(values)
        case TupleSpec() | DictSpec() | ComplexSpec():
            items = [
                next(values) if type(item) is LeafSpec else unflatten(item, values, known, given)
                for item in spec.items
            ]
            return put_together(spec, items)
        case TreeSpec():
            one = made(spec.cls, (), ())
            known.append(one)
            for name, item in zip(spec.names, spec.items, strict=True):
                put_in(one, name, unflatten(item, values, known, given))
            return one
        case SameSpec():
            return known[spec.number]
        case GivenSpec():
            return given[spec.position]
        case OpaqueSpec():
            return None
        case StaticSpec():
            return spec.obj
