"""Arguments and results as trees of numbers and arrays: mapping, flattening, naming the leaves.

What a tree is, the frontend says (`retrograd.frontend.identity.specs`): what can be compiled can be
checked. Functions and other baked values have no leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from retrograd.frontend.identity import flattening, record_fields, specs
from retrograd.frontend.identity.specs import (
    ArgSpec,
    ComplexSpec,
    DictSpec,
    LeafSpec,
    TreeSpec,
    TupleSpec,
)

__all__ = [
    "Tree", "Vector", "bits", "copy", "flat", "inner", "is_float", "leaves", "map_tree", "paths",
    "zero_tangent",
]  # fmt: skip

Tree: TypeAlias = Any
"""A number, an array, or a tuple, list, dict, NamedTuple or frozen dataclass of trees."""

Vector: TypeAlias = NDArray[np.float64]


def map_tree(f: Callable[..., Any], tree: Tree, *others: Tree) -> Tree:
    """`tree` with each leaf replaced by `f(leaf, *leaves at the same place of the others)`."""
    spec = specs.spec_of(tree)
    columns = [flattening.leaves(spec, t) for t in (tree, *others)]
    return flattening.unflatten(spec, map(f, *columns))


def leaves(tree: Tree) -> list[Any]:
    """The leaves of `tree`, left to right."""
    return list(flattening.leaves(specs.spec_of(tree), tree))


def paths(tree: Tree, root: str) -> list[str]:
    """A Python expression for each leaf, such as `y[1][0]` or `y.left`."""

    def walk(spec: ArgSpec, path: str) -> Iterator[str]:
        match spec:
            case LeafSpec():
                yield path
            case ComplexSpec():
                yield from (f"{path}.real", f"{path}.imag")
            case DictSpec():
                for key, item in zip(spec.keys, spec.items, strict=True):
                    yield from walk(item, f"{path}[{key!r}]")
            case TupleSpec():
                plain = issubclass(spec.cls, tuple | list)
                names = None if plain else record_fields.fields_of(spec.cls)
                for k, item in enumerate(spec.items):
                    yield from walk(item, f"{path}[{k}]" if names is None else f"{path}.{names[k]}")
            case TreeSpec():
                for name, item in zip(spec.names, spec.items, strict=True):
                    yield from walk(item, f"{path}.{name}")
            case _:
                return

    return list(walk(specs.spec_of(tree), root))


def is_float(leaf: Any) -> bool:
    """Whether a leaf has a tangent: a float, or floating-point data of any rank."""
    return np.asarray(leaf).dtype.kind == "f"


def flat(tree: Tree, *, like: Tree | None = None, floats_only: bool = True) -> Vector:
    """All leaves in one vector; with `floats_only`, those that are floating-point in `like`."""
    model = tree if like is None else like
    spec = specs.spec_of(model)
    parts = [
        np.asarray(x, dtype=np.float64).ravel()
        for x, c in zip(flattening.leaves(spec, tree), flattening.leaves(spec, model), strict=True)
        if not floats_only or is_float(c)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def inner(left: Sequence[Tree], right: Sequence[Tree]) -> Vector:
    """The products of corresponding entries, not yet added up."""
    return flat(tuple(left)) * flat(tuple(right))


def copy(tree: Tree) -> Tree:
    """`tree` with arrays of its own."""

    def own(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray):
            return leaf
        return np.array(cast("NDArray[Any]", leaf), order="K", copy=True)

    return map_tree(own, tree)


def zero_tangent(leaf: Any) -> Any:
    """A zero of the kind of `leaf`."""
    data = np.asarray(leaf)
    return np.zeros(data.shape, data.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(0)


def bits(leaf: Any) -> bytes:
    """The bits of a leaf, to compare by."""
    return np.asarray(leaf).tobytes()
