"""The one place where the benchmarks and the demo touch retrograd's interface."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import retrograd as rg

__all__ = ["cache_environment", "gradient", "gradient_in", "primal", "tape_bytes"]


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


def cache_environment(folder: Path) -> dict[str, str]:
    """Environment variables that make retrograd keep its disk cache in `folder`."""
    return {"RETROGRAD_CACHE": str(folder)}
