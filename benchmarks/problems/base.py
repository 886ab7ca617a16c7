"""What a benchmark problem is: one program in Python, the same one in C, and its data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.crival import CAdjoint, CPrimal

__all__ = ["Arguments", "Problem", "Value"]

Arguments = tuple[Any, ...]
Value = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem.

    Attributes:
        name: how `--problem` selects it.
        title: one line for people.
        primal: ordinary Python; what retrograd compiles.
        argnums: the arguments that are differentiated.
        data: makes the arguments from a size.
        sizes: `full` for the figures, `quick` for a look, `tiny` for tests under plain Python.
        c_primal: binds the same loops in C to arguments.
        c_adjoint: binds the hand-written reverse sweep in C, where there is one.
        jax_primal: makes the same function in JAX, where it is one of the comparable programs.
        tolerance: how far two correct values may be apart, relative, at the full size.
    """

    name: str
    title: str
    primal: Value
    argnums: tuple[int, ...]
    data: Callable[[Mapping[str, int]], Arguments]
    sizes: Mapping[str, Mapping[str, int]]
    c_primal: Callable[[Arguments], CPrimal]
    c_adjoint: Callable[[Arguments], CAdjoint] | None = None
    jax_primal: Callable[[Arguments], Value] | None = None
    tolerance: float = 1e-9
