"""Equinox's checkpointed loops as a rival in memory: Fig. 8 as one flat loop. Optional.

A loop of `equinox.internal` with `kind="checkpointed"` keeps a given number of checkpoints and
places them as the run goes on (Stumm & Walther 2010).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import jax_rival
from benchmarks.problems.fig8 import inner_iterations, jax_body, jax_sum

__all__ = ["EquinoxRival", "available"]


def available() -> bool:
    """Whether JAX and Equinox are installed."""
    return jax_rival.available() and importlib.util.find_spec("equinox") is not None


@dataclass(frozen=True, slots=True)
class EquinoxRival:
    """The gradient of Fig. 8; `run` waits for it, `temp_bytes` is what XLA says that it takes."""

    run: Callable[[], npt.NDArray[np.float64]]
    temp_bytes: int

    @staticmethod
    def of(x: npt.NDArray[np.float64], steps: int, checkpoints: int) -> EquinoxRival:
        """Compiles it for a run of `steps` outer steps with so many checkpoints."""
        jax = jax_rival.configured_jax()
        # Found when it is asked for, not when this module is read.
        loop: Any = importlib.import_module("equinox.internal").while_loop
        trips = inner_iterations(steps)

        def value(start):
            return jax_sum(
                loop(
                    lambda state: state[0] < trips,
                    lambda state: (state[0] + 1, jax_body(state[1])),
                    (0, start),
                    max_steps=trips,
                    kind="checkpointed",
                    checkpoints=min(trips, checkpoints),
                )[1]
            )

        held = jax.numpy.asarray(x)
        compiled = jax.jit(jax.grad(value)).lower(held).compile()
        size = compiled.memory_analysis().temp_size_in_bytes
        return EquinoxRival(lambda: np.asarray(compiled(held)), size)
