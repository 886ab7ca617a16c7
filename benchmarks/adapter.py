"""The one place where the benchmarks and the demo touch retrograd's interface."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import retrograd as rg
from retrograd.frontend.identity.transformed import BARS
from retrograd.runtime.signals import unanswered

__all__ = [
    "REFUSED", "adjoint", "cache_environment", "endless", "gradient", "gradient_by", "gradient_in",
    "inverse", "live_state", "planned", "primal", "product_in", "recorded", "reversible",
    "run_length", "tape_bytes", "unanswered",
]  # fmt: skip

REFUSED = rg.RetrogradError
"""What is raised where a program, or a budget for it, is refused."""


def primal(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` as native code; compiled on the first call."""
    return rg.jit(f)


def gradient(f: Callable[..., Any], argnums: tuple[int, ...]) -> Callable[..., Any]:
    """Value and gradients of `f`; compiled on the first call."""
    return rg.value_and_grad(f, argnums=argnums)


def gradient_in(
    f: Callable[..., Any], argnums: tuple[int, ...], memory: str | int
) -> Callable[..., Any]:
    """The same in so many bytes."""
    return rg.value_and_grad(f, argnums=argnums, memory=memory)


def tape_bytes(compiled: Callable[..., Any], arguments: tuple[Any, ...]) -> int:
    """Bytes that the forward sweep of a gradient leaves for the reverse sweep."""
    compiled(*arguments)
    return compiled.stats().tape_bytes


def gradient_by(
    f: Callable[..., Any], argnums: tuple[int, ...], snapshots: int, leaf: int
) -> Callable[..., Any]:
    """The same with so many snapshots, placed binomially, and leaves of so many bytes."""
    way = rg.checkpointing.fixed_space(snapshots, leaf)
    return rg.value_and_grad(f, argnums=argnums, checkpointing=way)


def product_in(f: Callable[..., Any], memory: str | int | None) -> Callable[..., Any]:
    """Gradient by the first argument, and its derivative in the direction of the second.

    The function that is returned takes `(x, direction, *others)`; the budget is the gradient's, in
    which the tangents are.
    """
    slope = rg.grad(f, memory=memory)

    def product(x, direction, *others):
        return rg.jvp(lambda at: slope(at, *others), (x,), (direction,))

    return rg.jit(product)


def reversible(f: Callable[..., Any], checked: bool) -> Any:
    """`f` with an inverse, with or without tests at run time."""
    return rg.reversible(f, checked=checked)


def inverse(f: Any) -> Any:
    """What undoes a reversible function."""
    return rg.inverse(f)


def fixed_point(x: Any) -> Any:
    """Fixed-point numbers of an array."""
    return rg.fixed(x)


def adjoint(f: Any) -> Callable[..., Any]:
    """The compiled adjoint of a reversible function, which copies nothing.

    It takes the arguments, then a tuple with a cotangent for each, None for what has no floats.
    """
    compiled = rg.jit(f.adjoint)

    def call(*given: Any) -> Any:
        return compiled(*given[:-1], **{BARS: given[-1]})

    return call


def endless(f: Callable[..., Any], *arguments: Any) -> Any:
    """The value of `f` by interruptible code that is never interrupted."""
    return rg.interrupt(f, *arguments, steps=1 << 60)


def run_length(f: Callable[..., Any], *arguments: Any) -> int:
    """Steps of a run."""
    return rg.primops(f, *arguments)


def planned(f: Callable[..., Any], *arguments: Any) -> tuple[int, int]:
    """About the fewest bytes that are enough, and the fewest with which nothing is redone."""
    found = rg.plan(f, *arguments)
    return found.smallest, found.full


def recorded(run: Callable[[], Any]) -> tuple[Any, Any]:
    """What a call gives, and what `rg.record` has seen of it."""
    with rg.record() as seen:
        value = run()
    return value, seen


def live_state(f: Callable[..., Any], arguments: tuple[Any, ...], looks: int = 8) -> int:
    """The most bytes that a run has in arrays and frames, looked at a few times on its way."""
    length = run_length(f, *arguments)
    given = sum(np.asarray(a).nbytes for a in arguments if isinstance(a, np.ndarray))
    most, state = 0, rg.interrupt(f, *arguments, steps=max(1, length // looks))
    while isinstance(state, rg.Capsule):
        most = max(most, state.nbytes - given)
        state = rg.resume(state, steps=max(1, length // looks))
    return most


def cache_environment(folder: Path) -> dict[str, str]:
    """Environment variables that make retrograd keep its disk cache in `folder`."""
    return {"RETROGRAD_CACHE": str(folder)}
