"""Jacobians and Hessians as users see them: result axes, then argument axes, in users' trees."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrograd.api.compile.artefact import Argnums, Trees
from retrograd.frontend.identity.flattening import cotangent_specs, leaf_types, mapped, unflatten
from retrograd.frontend.identity.specs import (
    ArgSpec,
    ComplexSpec,
    DictSpec,
    GivenSpec,
    LeafSpec,
    OpaqueSpec,
    SameSpec,
    StaticSpec,
    TreeSpec,
    TupleSpec,
)
from retrograd.ir.types import DType, Type

__all__ = ["arrange", "arranged", "describe", "matrices"]

Levels = Sequence[Argnums]


def describe(spec: ArgSpec) -> str:
    """A spec in words."""
    match spec:
        case LeafSpec():
            return str(spec.type)
        case TupleSpec():
            return f"({', '.join(map(describe, spec.items))})"
        case ComplexSpec(items=(LeafSpec() as part, _)):
            return f"complex[{part.type.rank}]" if part.type.rank else "complex"
        case DictSpec():
            pairs = zip(spec.keys, map(describe, spec.items), strict=True)
            return "{" + ", ".join(f"{key!r}: {item}" for key, item in pairs) + "}"
        case TreeSpec():
            return f"an object of class {spec.cls.__name__!r}"
        case SameSpec() | GivenSpec() | OpaqueSpec() | ComplexSpec():
            return "an object"
        case StaticSpec():
            return repr(spec.obj)


def _trees(base: Trees, levels: Levels) -> list[tuple[ArgSpec, list[int]]]:
    """For each level, the tree of its arguments' gradients and the positions of their leaves."""
    found: list[tuple[ArgSpec, list[int]]] = []
    for argnums in levels:
        numbers = (argnums,) if isinstance(argnums, int) else argnums
        specs = cotangent_specs(base.args, numbers)
        tree = specs[0] if isinstance(argnums, int) else TupleSpec(specs)
        wrt = [p for k in numbers for p in base.float_positions(k)]
        found.append((tree, wrt))
    return found


def arrange(base: Trees, levels: Levels, flat: Sequence[Any], results: Sequence[Any]) -> Any:
    """The value of a Jacobian, or of Jacobians of Jacobians.

    `base` are the trees of the innermost function, `levels` are the argnums of the Jacobians around
    it, innermost first. Results are the matrices, then the extents of the function's own results.
    """
    trees = _trees(base, levels)
    count = len(list(leaf_types(base.out))) * math.prod(len(wrt) for _, wrt in trees)
    taken = iter(results[:count])
    extents = iter(results[count:])

    def derivative(shape: tuple[int, ...], depth: int) -> Any:
        if depth == len(trees):
            value = next(taken).reshape(shape)
            return float(value) if not shape else value
        tree, wrt = trees[depth]
        inner = [derivative((*shape, *np.shape(flat[p])), depth + 1) for p in wrt]
        return unflatten(tree, iter(inner))

    shapes = [tuple(next(extents) for _ in range(t.rank)) for t in leaf_types(base.out)]
    return unflatten(base.out, iter([derivative(shape, 0) for shape in shapes]))


def arranged(base: Trees, levels: Levels) -> ArgSpec:
    """The spec of what `arrange` gives."""
    trees = _trees(base, levels)

    def inside(spec: ArgSpec, found: Iterator[ArgSpec]) -> ArgSpec:
        return mapped(spec, lambda one: next(found) if isinstance(one, LeafSpec) else one)

    def derivative(rank: int, depth: int) -> ArgSpec:
        if depth == len(trees):
            return LeafSpec(Type(DType.F64, rank))
        tree, _ = trees[depth]
        return inside(tree, iter([derivative(rank + t.rank, depth + 1) for t in leaf_types(tree)]))

    return inside(base.out, iter([derivative(t.rank, 0) for t in leaf_types(base.out)]))


def matrices(
    base: Trees, levels: Levels, flat: Sequence[Any], values: Sequence[Any]
) -> list[NDArray[np.float64]]:
    """The leaves of an arranged value as the program has them: rows are all axes but the last's."""
    _, wrt = _trees(base, levels)[-1]
    found: list[NDArray[np.float64]] = []
    for k, value in enumerate(values):
        columns = np.size(flat[wrt[k % len(wrt)]])
        rows = np.size(value) // columns if columns else 0
        found.append(np.reshape(value, (rows, columns)))
    return found
