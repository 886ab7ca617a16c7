"""Arguments and results as nested tuples of numbers and arrays: walking, rebuilding, flattening."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from retrograd.errors import UserError

__all__ = [
    "Tree", "Vector", "bits", "copy", "flat", "inner", "is_float", "leaves", "map_tree", "paths",
    "zero_tangent",
]  # fmt: skip

Tree: TypeAlias = Any
"""A number, an array, or a tuple or NamedTuple of trees."""

Vector: TypeAlias = NDArray[np.float64]


def map_tree(f: Callable[..., Any], tree: Tree, *others: Tree) -> Tree:
    """`tree` with each leaf replaced by `f(leaf, *leaves at the same place of the others)`."""
    match tree:
        case tuple():
            members = cast("tuple[Any, ...]", tree)
            parts = [map_tree(f, t, *(o[k] for o in others)) for k, t in enumerate(members)]
            named = type(members) is not tuple
            return type(members)(*parts) if named else tuple(parts)
        case bool() | int() | float() | np.generic() | np.ndarray():
            return f(tree, *others)
        case _:
            raise UserError(
                "RG6001",
                f"{type(tree).__name__} is neither a number nor an array nor a tuple of them",
                way_out="pass numbers, NumPy arrays, tuples and NamedTuples",
            )


def leaves(tree: Tree) -> list[Any]:
    """The leaves of `tree`, left to right."""
    found: list[Any] = []
    map_tree(found.append, tree)
    return found


def paths(tree: Tree, root: str) -> list[str]:
    """An index expression for each leaf, such as `y[1][0]`."""
    if not isinstance(tree, tuple):
        return [root]
    members = cast("tuple[Any, ...]", tree)
    return [p for k, t in enumerate(members) for p in paths(t, f"{root}[{k}]")]


def is_float(leaf: Any) -> bool:
    """Whether a leaf has a tangent: a float, or floating-point data of any rank."""
    return np.asarray(leaf).dtype.kind == "f"


def flat(tree: Tree, *, like: Tree | None = None, floats_only: bool = True) -> Vector:
    """All leaves in one vector; with `floats_only`, those that are floating-point in `like`."""
    chosen = leaves(tree if like is None else like)
    parts = [
        np.asarray(x, dtype=np.float64).ravel()
        for x, c in zip(leaves(tree), chosen, strict=True)
        if is_float(c) or not floats_only
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
    return np.zeros(data.shape, data.dtype) if isinstance(leaf, np.ndarray) else data.dtype.type(0)


def bits(leaf: Any) -> bytes:
    """The bits of a leaf, to compare by."""
    return np.asarray(leaf).tobytes()
