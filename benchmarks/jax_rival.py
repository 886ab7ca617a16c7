"""JAX as a rival: jit, float64, one thread, results waited for. Optional (the `jax` extra)."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.problems.base import Arguments, Problem

__all__ = ["JaxRival", "available", "configured_jax"]

# Read by XLA when it is loaded, so set before the first import of jax. Products of matrices are
# divided among its threads whatever its flags say; so many there are as processors that it sees.
ONE_THREAD = {
    "NPROC": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


def available() -> bool:
    """Whether JAX is installed."""
    return importlib.util.find_spec("jax") is not None


def configured_jax() -> Any:
    """The module, set up as all rivals are."""
    for name, value in (ONE_THREAD | {"JAX_PLATFORMS": "cpu"}).items():
        os.environ.setdefault(name, value)
    import jax

    jax.config.update("jax_enable_x64", True)
    # Otherwise each call is handed to another thread, which costs JAX time here.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    return jax


@dataclass(frozen=True, slots=True)
class JaxRival:
    """A problem's function and its value-and-gradient, bound to data that JAX holds already."""

    primal: Callable[[], Any]
    gradient: Callable[[], Any]

    @staticmethod
    def of(problem: Problem, arguments: Arguments) -> JaxRival:
        """Compiles nothing yet; JAX does so on the first call."""
        if problem.jax_primal is None:
            raise ValueError(f"{problem.name} has no version in JAX")
        jax = configured_jax()
        function = problem.jax_primal(arguments)
        value = jax.jit(function)
        both = jax.jit(jax.value_and_grad(function, argnums=problem.argnums))
        held = [jax.numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        return JaxRival(
            lambda: jax.block_until_ready(value(*held)), lambda: jax.block_until_ready(both(*held))
        )
