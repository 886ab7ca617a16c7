"""log of a sum of exponentials: as plain loops, and as the NumPy expression."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.crival import CPrimal, address, integer, load, pointer
from benchmarks.problems.base import Arguments, Problem, Value

__all__ = ["LOGSUMEXP", "LOGSUMEXP_NUMPY", "logsumexp", "logsumexp_numpy"]


def logsumexp(x):
    """With every loop written out."""
    top = x[0]
    for i in range(1, len(x)):
        if x[i] > top:
            top = x[i]
    total = 0.0
    for i in range(len(x)):
        total += math.exp(x[i] - top)
    return top + math.log(total)


def logsumexp_numpy(x):
    """As one writes it with NumPy."""
    top = np.max(x)
    return top + math.log(np.sum(np.exp(x - top)))


def data(size: Mapping[str, int]) -> Arguments:
    """Normal variates of scale 3, so that many of them count."""
    return (3.0 * np.random.default_rng(11).normal(size=size["n"]),)


@functools.cache
def library() -> Mapping[str, Callable[..., float]]:
    return load(Path(__file__).with_name("logsumexp.c"), {"logsumexp": (address, integer)})


def c_primal(arguments: Arguments) -> CPrimal:
    (x,) = arguments
    fixed, function = (pointer(x), len(x)), library()["logsumexp"]
    return CPrimal(lambda: function(*fixed))


def jax_primal(arguments: Arguments) -> Value:
    """The NumPy expression, in JAX."""
    import jax.numpy as jnp

    def run(x):
        top = jnp.max(x)
        return top + jnp.log(jnp.sum(jnp.exp(x - top)))

    return run


SIZES = {"full": {"n": 20_000}, "quick": {"n": 2_000}, "tiny": {"n": 5}}

LOGSUMEXP = Problem(
    name="logsumexp",
    title="logsumexp, plain loops",
    primal=logsumexp,
    argnums=(0,),
    data=data,
    sizes=SIZES,
    c_primal=c_primal,
    jax_primal=jax_primal,
)

LOGSUMEXP_NUMPY = Problem(
    name="logsumexp_np",
    title="logsumexp, NumPy",
    primal=logsumexp_numpy,
    argnums=(0,),
    data=data,
    sizes=SIZES,
    c_primal=c_primal,
    jax_primal=jax_primal,
)
