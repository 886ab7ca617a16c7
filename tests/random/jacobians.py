"""Jacobians of a random program: both modes, against the derivative in one direction at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import retrograd as rg
from tests.random.calculus import Calculus
from tests.random.derivatives import far, flat, is_float, mapped
from tests.random.harness import leaves

__all__ = ["hessians", "jacobians"]

Function = Callable[..., Any]
Args = tuple[Any, ...]
CLOSE = 1e-9


def chosen(args: Args) -> tuple[int, ...]:
    """The arguments that are floats throughout."""
    return tuple(k for k, a in enumerate(args) if all(map(is_float, leaves(a))))


def basis(args: Args, argnums: tuple[int, ...]) -> Iterator[Args]:
    """Every basis vector of the chosen arguments, in the order of their elements."""
    zero = tuple(mapped(lambda leaf: leaf * 0, a) for a in args)
    for k in argnums:
        for n, leaf in enumerate(leaves(args[k])):
            for place in range(np.size(leaf)):
                count = iter(range(len(leaves(args[k]))))

                def one(part: Any, n: int = n, place: int = place, count: Any = count) -> Any:
                    if next(count) != n:
                        return part
                    if not isinstance(part, np.ndarray):
                        return 1.0
                    made = np.zeros(part.size)
                    made[place] = 1.0
                    return made.reshape(part.shape)

                yield tuple(mapped(one, z) if j == k else z for j, z in enumerate(zero))


def matrix(tree: Any, out: Any, args: Args, argnums: tuple[int, ...]) -> np.ndarray:
    """A Jacobian as one matrix: elements of the results x elements of the arguments."""
    found = iter(leaves(tree))
    sizes = [np.size(leaf) for k in argnums for leaf in leaves(args[k])]
    rows = [
        np.concatenate([np.reshape(next(found), (np.size(leaf), size)) for size in sizes], axis=1)
        for leaf in leaves(out)
    ]
    return np.concatenate(rows)


def jacobians(f: Function, args: Args, calculus: Calculus) -> str | None:
    """`jacfwd`, `jacrev` and the columns one by one; None where they agree."""
    argnums = chosen(args)
    y, _ = calculus.jvp(f, args, next(basis(args, argnums)))
    columns = [flat(calculus.jvp(f, args, x_dot)[1], y) for x_dot in basis(args, argnums)]
    expected = np.stack(columns, axis=1)
    return _differ(
        expected,
        ("jacfwd", matrix(calculus.call(rg.jacfwd(f, argnums), args), y, args, argnums)),
        ("jacrev", matrix(calculus.call(rg.jacrev(f, argnums), args), y, args, argnums)),
    )


def hessians(f: Function, args: Args, calculus: Calculus) -> str | None:
    """The Hessian of a scalar function and its products; None where they agree."""
    argnums = chosen(args)
    gradient = rg.grad(f, argnums)
    some = tuple(args[k] for k in argnums)
    columns = [flat(calculus.jvp(gradient, args, x_dot)[1], some) for x_dot in basis(args, argnums)]
    found = calculus.call(rg.hessian(f, argnums), args)
    return _differ(np.stack(columns, axis=1), ("hessian", matrix(found, some, args, argnums)))


def _differ(expected: np.ndarray, *found: tuple[str, np.ndarray]) -> str | None:
    scale = float(np.max(np.abs(expected), initial=1e-3))
    for name, value in found:
        if far(value, expected, CLOSE * scale):
            return f"{name} {value.tolist()} against columns {expected.tolist()}"
    return None
