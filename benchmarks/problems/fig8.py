"""The adaptive-grid program of Siskind & Pearlmutter (Fig. 8), ending in a weighted sum.

An outer loop whose iterations differ in length by orders of magnitude, and an inner body that
rotates neighbouring pairs of x by angles that depend on |x|: the whole vector changes in place in
each inner iteration. Two variants: |x| by a plain loop, in that order, and by `np.sum`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.crival import CAdjoint, CPrimal, address, integer, load, pointer
from benchmarks.problems.base import Arguments, Problem, Value
from benchmarks.problems.fig8_oracle import STRIDE

__all__ = [
    "FIG8", "FIG8_SUM", "fig8", "fig8_sum", "inner_iterations", "jax_body", "jax_sum"
]  # fmt: skip

SCALARS_PER_BODY = 5


def fig8(x, steps, stride):
    """The program with every loop written out."""
    n = len(x)
    y = x.copy()
    for i in range(1, steps + 1):
        m = 1 << (steps.bit_length() - (1 + stride * i % steps).bit_length())
        for _ in range(m):
            square = 0.0
            for k in range(n):
                square += y[k] * y[k]
            r = math.sqrt(square)
            c = math.cos(1.2 * r)
            s = math.sin(1.2 * r)
            for k in range(0, n - 1, 2):
                a = y[k]
                b = y[k + 1]
                y[k] = c * a - s * b
                y[k + 1] = s * a + c * b
            c = math.cos(1.4 * r)
            s = math.sin(1.4 * r)
            for k in range(1, n - 1, 2):
                a = y[k]
                b = y[k + 1]
                y[k] = c * a - s * b
                y[k + 1] = s * a + c * b
    total = 0.0
    for k in range(n):
        total += (k + 1) * y[k]
    return total


def fig8_sum(x, steps, stride):
    """The program with the length of x by `np.sum`, whose order is not fixed by the source."""
    n = len(x)
    y = x.copy()
    for i in range(1, steps + 1):
        m = 1 << (steps.bit_length() - (1 + stride * i % steps).bit_length())
        for _ in range(m):
            r = math.sqrt(np.sum(y * y))
            c = math.cos(1.2 * r)
            s = math.sin(1.2 * r)
            for k in range(0, n - 1, 2):
                a = y[k]
                b = y[k + 1]
                y[k] = c * a - s * b
                y[k + 1] = s * a + c * b
            c = math.cos(1.4 * r)
            s = math.sin(1.4 * r)
            for k in range(1, n - 1, 2):
                a = y[k]
                b = y[k + 1]
                y[k] = c * a - s * b
                y[k + 1] = s * a + c * b
    total = 0.0
    for k in range(n):
        total += (k + 1) * y[k]
    return total


def inner_iterations(steps: int, stride: int = STRIDE) -> int:
    """How often the inner body runs."""
    top = steps.bit_length()
    return sum(1 << (top - (1 + stride * i % steps).bit_length()) for i in range(1, steps + 1))


def data(size: Mapping[str, int]) -> Arguments:
    """The start [n, n-1, ..., 1] of the published runs."""
    return np.arange(size["n"], 0, -1, dtype=np.float64), size["steps"], STRIDE


@functools.cache
def library() -> Mapping[str, Callable[..., float]]:
    """The C of both variants."""
    primal = (address, address, integer, integer, integer)
    adjoint = (address, address, address, address, integer, integer, integer)
    names = {"fig8": primal, "fig8_sum": primal}
    names |= {"fig8_adjoint": adjoint, "fig8_sum_adjoint": adjoint}
    return load(Path(__file__).with_name("fig8.c"), names)


def c_primal(name: str, arguments: Arguments) -> CPrimal:
    x, steps, stride = arguments
    work = np.empty_like(x)
    function = library()[name]
    fixed = (pointer(x), pointer(work), len(x), steps, stride)
    return CPrimal(lambda: function(*fixed))


def c_adjoint(name: str, arguments: Arguments) -> CAdjoint:
    x, steps, stride = arguments
    work, gradient = np.empty_like(x), np.empty_like(x)
    tape = np.empty(inner_iterations(steps, stride) * (len(x) + SCALARS_PER_BODY))
    function = library()[name + "_adjoint"]
    fixed = (pointer(x), pointer(work), pointer(tape), pointer(gradient), len(x), steps, stride)
    return CAdjoint(lambda: function(*fixed), (gradient,), tape.nbytes)


def jax_body(x):
    """The inner body in JAX; the pairs need an even n."""
    import jax.numpy as jnp

    def rotate(pairs, theta):
        c, s = jnp.cos(theta), jnp.sin(theta)
        a, b = pairs[:, 0], pairs[:, 1]
        return jnp.stack((c * a - s * b, s * a + c * b), axis=1)

    r = jnp.sqrt(jnp.sum(x * x))
    x = rotate(x.reshape(-1, 2), 1.2 * r).reshape(-1)
    inner = rotate(x[1:-1].reshape(-1, 2), 1.4 * r).reshape(-1)
    return jnp.concatenate((x[:1], inner, x[-1:]))


def jax_sum(x):
    """The weighted sum at the end in JAX."""
    import jax.numpy as jnp

    return jnp.dot(jnp.arange(1, x.shape[0] + 1, dtype=x.dtype), x)


def jax_primal(arguments: Arguments) -> Value:
    """One flat scan over all inner iterations."""
    import jax

    trips = inner_iterations(arguments[1], arguments[2])

    def run(x, steps, stride):
        x, _ = jax.lax.scan(lambda x, _: (jax_body(x), None), x, None, length=trips)
        return jax_sum(x)

    return run


# Each of 5097 angles is r = 18271 times a constant, so rounding in r counts for much.
TOLERANCE = 1e-6

SIZES = {
    "full": {"n": 1000, "steps": 1000},
    "quick": {"n": 200, "steps": 100},
    "tiny": {"n": 10, "steps": 10},
}

FIG8 = Problem(
    name="fig8",
    title="Fig. 8, plain loops",
    primal=fig8,
    argnums=(0,),
    data=data,
    sizes=SIZES,
    c_primal=functools.partial(c_primal, "fig8"),
    c_adjoint=functools.partial(c_adjoint, "fig8"),
    jax_primal=jax_primal,
    tolerance=TOLERANCE,
)

FIG8_SUM = Problem(
    name="fig8_sum",
    title="Fig. 8, np.sum",
    primal=fig8_sum,
    argnums=(0,),
    data=data,
    sizes=SIZES,
    c_primal=functools.partial(c_primal, "fig8_sum"),
    c_adjoint=functools.partial(c_adjoint, "fig8_sum"),
    jax_primal=jax_primal,
    tolerance=TOLERANCE,
)
