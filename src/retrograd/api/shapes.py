"""Jacobians and Hessians as users see them: result axes, then argument axes, in the users' trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from retrograd.api.derive import Task, argument_numbers
from retrograd.frontend.specs import ArgSpec, TupleSpec, leaf_types, unflatten

__all__ = ["arrange"]


def arrange(
    base: Task, levels: Sequence[int | tuple[int, ...]], flat: Sequence[Any],
    results: Sequence[Any],
) -> Any:  # fmt: skip
    """The value of a Jacobian, or of Jacobians of Jacobians.

    `base` is the task of the innermost function, `levels` are the argnums of the Jacobians around it,
    innermost first. Results are the matrices, then the extents of the function's own result leaves.
    """
    trees: list[tuple[ArgSpec, list[tuple[int, ...]]]] = []
    count = len(list(leaf_types(base.out)))
    for argnums in levels:
        numbers = argument_numbers(base, argnums)
        wrt = [p for k in numbers for p in base.leaf_positions(k)]
        specs = tuple(base.args[k] for k in numbers)
        tree = specs[0] if isinstance(argnums, int) else TupleSpec(specs)
        trees.append((tree, [np.shape(flat[p]) for p in wrt]))
        count *= len(wrt)
    taken = iter(results[:count])
    extents = iter(results[count:])

    def derivative(shape: tuple[int, ...], depth: int) -> Any:
        if depth == len(trees):
            value = next(taken).reshape(shape)
            return float(value) if not shape else value
        tree, inner = trees[depth]
        return unflatten(tree, iter([derivative((*shape, *axes), depth + 1) for axes in inner]))

    shapes = [tuple(next(extents) for _ in range(t.rank)) for t in leaf_types(base.out)]
    return unflatten(base.out, iter([derivative(shape, 0) for shape in shapes]))
