"""`retrograd.tree`: functions of trees, which are tuples, lists, dicts, NamedTuples, dataclasses
and objects of plain classes that hold numbers, arrays and trees. None is a tree without leaves. An
object that is put together has the attributes; its `__init__` is not run.

Names, arguments and the order of leaves (that of sorted keys) are those of JAX. Programs may call
them too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrograd.errors import UserError
from retrograd.frontend.identity.structure import (
    Structure,
    Unravel,
    parts_of,
    structure_of,
)
from retrograd.tracebacks import shows_user_frames

__all__ = ["flatten", "leaves", "map", "ravel", "structure", "unflatten"]


@shows_user_frames
def map(f: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """`tree` with each leaf replaced by `f(leaf, *leaves at the same place of the others)`.

    Args:
        f: a function of one leaf of each tree.
        tree: any tree.
        rest: trees of the same structure, whose leaves may be anything.

    Returns:
        A tree of the structure of `tree`; dicts keep its order of keys.

    Raises:
        UserError: one of `rest` has another structure.

    >>> import retrograd as rg
    >>> params, slopes = {"w": 1.0, "b": (2.0, None)}, {"b": (0.0, None), "w": 5.0}
    >>> rg.tree.map(lambda p, g: p - 0.1 * g, params, slopes)
    {'w': 0.5, 'b': (2.0, None)}
    """
    found = parts_of(tree)
    if found is None:
        return f(tree, *rest)
    own, items = found
    columns = [items]
    for other in rest:
        theirs = parts_of(other)
        if theirs is None or theirs[0] != own or len(theirs[1]) != len(items):
            raise UserError(
                "RG0305", f"a {type(other).__name__} is not structured like the "
                f"{type(tree).__name__} at its place in the first tree",
                way_out="give trees of the same kinds, lengths and keys",
            )  # fmt: skip
        columns.append(theirs[1])
    if tree is None:
        return None
    return own.make([map(f, *row) for row in zip(*columns, strict=True)])


@shows_user_frames
def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves of a tree, and its structure.

    Args:
        tree: any tree.

    Returns:
        The leaves, those of dicts in the order of sorted keys, and what `unflatten` takes.

    >>> import retrograd as rg
    >>> leaves, structure = rg.tree.flatten({"b": (2.0, None), "a": 1.0})
    >>> leaves
    [1.0, 2.0]
    >>> rg.tree.unflatten(structure, [3.0, 4.0])
    {'b': (4.0, None), 'a': 3.0}
    """
    made, found = structure_of(tree)
    return found, made


@shows_user_frames
def leaves(tree: Any) -> list[Any]:
    """The leaves of a tree, as `flatten` gives them.

    >>> import retrograd as rg
    >>> rg.tree.leaves([1.0, {"z": 2.0, "a": 3.0}])
    [1.0, 3.0, 2.0]
    """
    return structure_of(tree)[1]


@shows_user_frames
def structure(tree: Any) -> Structure:
    """The structure of a tree, as `flatten` gives it.

    >>> import retrograd as rg
    >>> rg.tree.structure({"a": 1.0, "b": 2.0}) == rg.tree.structure({"b": 0.0, "a": 0.0})
    True
    """
    return structure_of(tree)[0]


@shows_user_frames
def unflatten(structure: Structure, leaves: Sequence[Any]) -> Any:
    """The tree of a structure with these leaves.

    Args:
        structure: what `flatten` gives.
        leaves: as many leaves as it has, in that order.

    Returns:
        The tree.

    Raises:
        UserError: the number of leaves is another one.

    >>> import retrograd as rg
    >>> rg.tree.unflatten(rg.tree.structure((0.0, [0.0])), [1.0, 2.0])
    (1.0, [2.0])
    """
    if len(leaves) != structure.count:
        raise UserError(
            "RG0305", f"{len(leaves)} leaves for a structure with {structure.count}",
            way_out="give a leaf for each leaf of the tree that was flattened",
        )  # fmt: skip
    return structure.fill(iter(leaves))


@shows_user_frames
def ravel(tree: Any) -> tuple[NDArray[np.float64], Unravel]:
    """All numbers of a tree in one vector, and the way back.

    Args:
        tree: a tree of numbers and arrays.

    Returns:
        (vector, unravel): the leaves one after the other, in the order of sorted keys, and the
        function that makes a tree of such a vector, with floats for numbers. Programs may call it.

    Raises:
        UserError: a leaf is no number or array.

    >>> import numpy as np, retrograd as rg
    >>> vector, unravel = rg.tree.ravel({"w": np.ones((2, 2)), "b": 0.5})
    >>> vector
    array([0.5, 1. , 1. , 1. , 1. ])
    >>> rg.grad(lambda v: unravel(v)["w"][0, 1] * unravel(v)["b"])(vector)
    array([1. , 0. , 0.5, 0. , 0. ])
    """
    made, found = structure_of(tree)
    arrays = [np.asarray(leaf) for leaf in found]
    for array in arrays:
        if array.dtype.kind not in "biuf":
            raise UserError(
                "RG0305", f"a leaf of dtype {array.dtype} in a vector of numbers",
                way_out="leave it out of the tree",
            )  # fmt: skip
    parts = [array.astype(np.float64).ravel() for array in arrays]
    vector = np.concatenate(parts) if parts else np.zeros(0)
    scalars = tuple(not isinstance(leaf, np.ndarray) or leaf.ndim == 0 for leaf in found)
    return vector, Unravel(made, tuple(array.shape for array in arrays), scalars)
