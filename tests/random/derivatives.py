"""The derivative identities on a random program, with differences that know their error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import retrograd as rg
from tests.random.calculus import Calculus
from tests.random.harness import compare, leaves, outcome
from tests.random.programs.module import copied

__all__ = ["first_order", "second_order"]

Function = Callable[..., Any]
Args = tuple[Any, ...]
STEPS = (2e-5, 1e-5)
ADJOINT = 1e-9
NESTING = 1e-8


def is_float(leaf: Any) -> bool:
    return np.asarray(leaf).dtype.kind == "f"


def mapped(change: Callable[[Any], Any], tree: Any) -> Any:
    """`tree` with its leaves changed."""
    if isinstance(tree, tuple):
        parts = [mapped(change, part) for part in tree]
        return type(tree)(*parts) if type(tree) is not tuple else tuple(parts)
    return change(tree)


def direction(tree: Any, seed: int) -> Any:
    """A random tangent of `tree`; zero of the same kind where it is not floating-point."""
    generator = np.random.default_rng(seed)

    def draw(leaf: Any) -> Any:
        if not is_float(leaf):
            return np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else type(leaf)(0)
        data = generator.uniform(0.5, 1.0, np.shape(leaf)) * generator.choice((-1.0, 1.0))
        return data if isinstance(leaf, np.ndarray) else float(data)

    return mapped(draw, tree)


def flat(tree: Any, like: Any) -> np.ndarray:
    """The entries of the leaves that are floating-point in `like`."""
    parts = [
        np.asarray(x, dtype=float).ravel()
        for x, c in zip(leaves(tree), leaves(like), strict=True)
        if is_float(c)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def moved(args: Args, tangent: Args, step: float) -> Args:
    """Copies of the arguments, a step along the tangent."""
    flat_args, flat_dots = leaves(args), leaves(tangent)
    table = iter(
        [
            x + step * d if is_float(x) else copied(x)
            for x, d in zip(flat_args, flat_dots, strict=True)
        ]
    )
    return mapped(lambda _: next(table), args)


def difference(f: Function, args: Args, x_dot: Args, like: Any) -> tuple[np.ndarray, np.ndarray]:
    """A central difference and its uncertainty, from two neighbouring step sizes."""
    found: list[np.ndarray] = []
    size = float(np.max(np.abs(flat(like, like)), initial=1.0))
    for step in STEPS:
        ahead, behind = f(*moved(args, x_dot, step)), f(*moved(args, x_dot, -step))
        found.append((flat(ahead, like) - flat(behind, like)) / (2 * step))
    coarse, fine = found
    return fine, 3 * np.abs(coarse - fine) + 50 * 2e-16 * size / STEPS[1] + 1e-7 * np.abs(fine)


def far(left: np.ndarray, right: np.ndarray, allowed: np.ndarray | float) -> bool:
    return bool(np.any(~(np.abs(left - right) <= allowed)))


def first_order(f: Function, args: Args, calculus: Calculus) -> str | None:
    """Identities of `jvp` and `vjp`; None where they hold."""
    before = [np.array(leaf, copy=True) for leaf in leaves(args)]
    plain = outcome(f, copied(args)).value
    x_dot = direction(args, 1)
    y, y_dot = calculus.jvp(f, args, x_dot)
    if (different := compare(plain, y, 1e-10)) is not None:
        return f"value of jvp: {different}"
    pushed = flat(y_dot, plain)
    quotient, uncertainty = difference(f, args, x_dot, plain)
    if np.max(uncertainty, initial=0.0) < 1e-2 and far(pushed, quotient, uncertainty):
        return f"tangent {pushed} against difference {quotient} ± {uncertainty}"
    y_bar = direction(plain, 2)
    y, pullback = calculus.vjp(f, args)
    if (different := compare(plain, y, 1e-10)) is not None:
        return f"value of vjp: {different}"
    x_bar = pullback(y_bar)
    left, right = flat(y_bar, plain) * pushed, flat(x_bar, args) * flat(x_dot, args)
    scale = np.sum(np.abs(left)) + np.sum(np.abs(right)) + 1e-6
    if not abs(np.sum(left) - np.sum(right)) <= ADJOINT * scale:
        return f"<y_bar, J x_dot> = {np.sum(left)!r}, <J^T y_bar, x_dot> = {np.sum(right)!r}"
    again = pullback(y_bar)
    if flat(again, args).tobytes() != flat(x_bar, args).tobytes():
        return "a second call of the pullback gives something else"
    for leaf, old in zip(leaves(args), before, strict=True):
        if np.asarray(leaf).tobytes() != old.tobytes():
            return f"argument changed from {old!r} to {leaf!r}"
    return None


def second_order(f: Function, args: Args, calculus: Calculus) -> str | None:
    """Both nestings on a scalar function, against each other and a difference; None where right."""
    argnums = tuple(k for k, a in enumerate(args) if all(map(is_float, leaves(a))))
    chosen = tuple(args[k] for k in argnums)
    x_dot = direction(args, 3)
    some_dot = tuple(x_dot[k] for k in argnums)
    gradient = rg.grad(f, argnums=argnums)
    _, forward = calculus.jvp(gradient, args, x_dot)
    _, pullback = calculus.vjp(gradient, args)
    x_bar = pullback(some_dot)
    backward = flat(tuple(x_bar[k] for k in argnums), chosen)
    pushed = flat(forward, chosen)
    scale = float(np.max(np.abs(pushed), initial=1e-3))
    if far(pushed, backward, NESTING * scale):
        return f"forward over reverse {pushed}, reverse over reverse {backward}"
    quotient, uncertainty = difference(lambda *at: calculus.call(gradient, at), args, x_dot, chosen)
    if np.max(uncertainty, initial=0.0) < 1e-2 * scale and far(pushed, quotient, uncertainty):
        return f"second derivative {pushed} against difference {quotient} ± {uncertainty}"
    return None
