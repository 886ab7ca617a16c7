"""The long runs against Equinox's checkpointed loops, where these have an answer."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks import equinox_rival, jax_rival
from benchmarks.endurance import Bound, timed
from benchmarks.figures import Bounds, Figure
from benchmarks.long_runs import LONG_RUNS, LongRun
from benchmarks.programs.by_equinox import PROGRAMS, UNWRITTEN, Loops
from benchmarks.timing import Run, once
from benchmarks.validate import WrongGradient

__all__ = ["against_equinox"]

KIND = "long_over_equinox"

CHECKPOINTS = 32

NO_LOOP: Mapping[str, str] = {
    "run_straight": "none: there is no loop to keep checkpoints of",
    "run_layers": "none: there is no loop to keep checkpoints of",
}

SHORTER: Mapping[str, Mapping[str, int]] = {"run_while": {"loops": 1000, "longest": 10**6}}
"""Sizes for both where the full one would take Equinox a quarter of an hour."""


def against_equinox(bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """Gradients are compared at the quick size, times are those of the full one.

    Raises:
        WrongGradient: the two differ by more than rounding.
    """
    if not equinox_rival.available():
        return
    loops = Loops(
        jax_rival.configured_jax(),
        importlib.import_module("equinox.internal").while_loop,
        CHECKPOINTS,
    )
    for run in LONG_RUNS:
        if run.name in PROGRAMS:
            yield compared(run, loops, bounds, quick)
        elif run.name in UNWRITTEN:
            yield Figure(KIND, run.name, None, note=complaint(run.name, loops))
        else:
            yield Figure(KIND, run.name, None, note=NO_LOOP[run.name])


def compared(run: LongRun, loops: Loops, bounds: Bounds, quick: bool) -> Figure:
    """One program by both."""
    bound = Bound.of(run, "quick")
    found = bound.within()
    theirs, size = gradient(run, bound, loops)
    if not all(
        np.allclose(a, b, rtol=1e-6) for a, b in zip(theirs(), found.results[1], strict=True)
    ):
        raise WrongGradient(f"{run.name}: another gradient by Equinox")
    if not quick:
        shorter = SHORTER.get(run.name, run.sizes["full"])
        bound = Bound.of(with_size(run, shorter), "full")
        found = bound.within()
        theirs, size = gradient(run, bound, loops)
    seconds = max(found.seconds, once(theirs))
    pair = timed(partial(found.compiled, *bound.arguments), theirs, seconds)
    said = f"{bound.steps:.2g} steps in {found.peak / 1e3:,.1f} kB, Equinox {size / 1e3:,.1f} kB"
    bar = bounds.bar(KIND, run.name)
    return Figure(KIND, run.name, pair.ratio, 1e3 * pair.ours, 1e3 * pair.rival, "ms", bar, said)


def with_size(run: LongRun, size: Mapping[str, int]) -> LongRun:
    """The same program with another full size."""
    return replace(run, sizes={**run.sizes, "full": size})


def gradient(run: LongRun, bound: Bound, loops: Loops) -> tuple[Run, int]:
    """The compiled gradient, bound to its data, and the bytes of what it takes besides."""
    jax = loops.jax
    function = PROGRAMS[run.name](loops)
    held: list[Any] = [
        jax.numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in bound.arguments
    ]
    chosen = [held[k] for k in run.argnums]

    def value(*given):
        whole = list(held)
        for k, argument in zip(run.argnums, given, strict=True):
            whole[k] = argument
        return function(*whole)

    slopes = jax.grad(value, tuple(range(len(chosen))))
    compiled = jax.jit(slopes).lower(*chosen).compile()
    size = compiled.memory_analysis().temp_size_in_bytes
    return lambda: jax.block_until_ready(compiled(*chosen)), size


def complaint(name: str, loops: Loops) -> str:
    """What Equinox or JAX says of a small program of this kind."""
    try:
        UNWRITTEN[name](loops)
    except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
        return f"none: {type(error).__name__}: {' '.join(str(error).split())[:110]}"
    return "has an answer; write the program"
