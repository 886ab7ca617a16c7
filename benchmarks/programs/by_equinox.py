"""The long runs in JAX, with Equinox's checkpointed loops: those that can be written so.

`Loops.run` is `equinox.internal.while_loop` with a number of checkpoints. Each program takes the
arguments of the one in `benchmarks.long_runs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["PROGRAMS", "UNWRITTEN", "Loops"]


@dataclass(frozen=True, slots=True)
class Loops:
    """The modules, and how many checkpoints a loop keeps."""

    jax: Any
    while_loop: Callable[..., Any]
    checkpoints: int

    def run(self, condition: Any, body: Any, start: Any, trips: int | None = None) -> Any:
        """The state after the last iteration; `trips` is how many there are at most, if known."""
        most = self.checkpoints if trips is None else min(trips, self.checkpoints)
        return self.while_loop(
            condition, body, start, max_steps=trips, kind="checkpointed", checkpoints=most
        )


def lstm(loops: Loops) -> Callable[..., Any]:
    """One flat loop over the sequence."""
    jax, jnp = loops.jax, loops.jax.numpy

    def run(input_weight, state_weight, bias, xs, target):
        hidden, length = state_weight.shape[0], xs.shape[0]

        def cell(state):
            t, h, c, loss = state
            z = bias + xs[t] @ input_weight + h @ state_weight
            admit, keep, show = jax.nn.sigmoid(z[: 3 * hidden]).reshape(3, hidden)
            c = keep * c + admit * jnp.tanh(z[3 * hidden :])
            h = show * jnp.tanh(c)
            return t + 1, h, c, loss + jnp.sum((h - target[t]) ** 2)

        zero = jnp.zeros(hidden)
        return loops.run(lambda s: s[0] < length, cell, (0, zero, zero, 0.0), length)[3]

    return run


def grey_scott(loops: Loops) -> Callable[..., Any]:
    """Both arrays at once in each step."""
    jnp = loops.jax.numpy

    def around(a):
        rows = jnp.roll(a, 1, 0) + jnp.roll(a, -1, 0)
        return rows + jnp.roll(a, 1, 1) + jnp.roll(a, -1, 1) - 4.0 * a

    def run(u0, v0, feed, steps):
        def step(state):
            k, u, v = state
            reaction = u * v * v
            du = 0.16 * around(u) - reaction + feed * (1.0 - u)
            dv = 0.08 * around(v) + reaction - (feed + 0.06) * v
            return k + 1, u + du, v + dv

        _, _, v = loops.run(lambda s: s[0] < steps, step, (0, u0, v0), steps)
        return jnp.sum(v * v)

    return run


def oscillator(loops: Loops) -> Callable[..., Any]:
    """A loop whose length is not known; a rejected step selects what was there before."""
    jnp = loops.jax.numpy

    def run(start, stiffness, until, tolerance):
        def slope(x, v):
            return v, stiffness * (1.0 - x * x) * v - x

        def step(state):
            x, v, t, h = state
            h = jnp.minimum(h, until - t)
            k1x, k1v = slope(x, v)
            k2x, k2v = slope(x + 0.5 * h * k1x, v + 0.5 * h * k1v)
            k3x, k3v = slope(x + 0.75 * h * k2x, v + 0.75 * h * k2v)
            nx = x + h * (2.0 * k1x + 3.0 * k2x + 4.0 * k3x) / 9.0
            nv = v + h * (2.0 * k1v + 3.0 * k2v + 4.0 * k3v) / 9.0
            k4x, k4v = slope(nx, nv)
            ex = h * (-5.0 * k1x / 72.0 + k2x / 12.0 + k3x / 9.0 - k4x / 8.0)
            ev = h * (-5.0 * k1v / 72.0 + k2v / 12.0 + k3v / 9.0 - k4v / 8.0)
            error = jnp.sqrt(ex * ex + ev * ev) + 1e-30
            good = error <= tolerance
            factor = 0.9 * (tolerance / error) ** (1.0 / 3.0)
            return (
                jnp.where(good, nx, x), jnp.where(good, nv, v), jnp.where(good, t + h, t),
                h * jnp.minimum(3.0, jnp.maximum(0.2, factor)),
            )  # fmt: skip

        x, v, _, _ = loops.run(lambda s: s[2] < until, step, (start[0], start[1], 0.0, 0.1))
        return x * x + 0.1 * v

    return run


def branching(loops: Loops) -> Callable[..., Any]:
    """A loop in a loop, each with its checkpoints."""
    jnp = loops.jax.numpy

    def run(x, lengths):
        n, count = x.shape[0], lengths.shape[0]

        def outer(state):
            y, at, energy = state

            def inner(held):
                i, y = held
                k = i % n
                fresh = y[k] + 0.01 * jnp.sin(y[(k + 1) % n] - 0.5 * y[k])
                return i + 1, y.at[k].set(fresh)

            _, y = loops.run(lambda held: held[0] < lengths[at], inner, (0, y))
            return y, at + 1, energy + y[at % n] * y[at % n]

        def more(state):
            return (state[1] < count) & (state[2] < 1e12)

        _, at, energy = loops.run(more, outer, (x, 0, 0.0))
        return energy / (1 + at)

    return run


PROGRAMS: Mapping[str, Callable[[Loops], Callable[..., Any]]] = {
    "run_while": branching,
    "run_lstm": lstm,
    "run_reaction": grey_scott,
    "run_adaptive": oscillator,
}
"""By the name of the long run."""


def recursion(loops: Loops) -> None:
    """A subtree by a call of the function itself."""
    jax, jnp = loops.jax, loops.jax.numpy

    def walk(node, left, weight):
        return jax.lax.cond(
            node < 0,
            lambda: 0.1,
            lambda: jnp.tanh(weight[node] + 0.9 * walk(left[node], left, weight)),
        )

    left = jnp.array([1, 2, -1])
    jax.grad(lambda weight: walk(0, left, weight))(jnp.ones(3))


def growing(loops: Loops) -> None:
    """A state that is an array longer by one in each iteration."""
    jnp = loops.jax.numpy

    def step(state):
        k, history = state
        return k + 1, jnp.concatenate((history, jnp.sin(history[-1:])))

    def value(seed):
        return jnp.sum(loops.run(lambda s: s[0] < 5, step, (0, seed), 5)[1])

    loops.jax.grad(value)(jnp.ones(2))


def product(loops: Loops) -> None:
    """The gradient of something that a gradient gives."""
    jax, jnp = loops.jax, loops.jax.numpy

    def value(x):
        return jnp.sum(
            loops.run(lambda s: s[0] < 5, lambda s: (s[0] + 1, jnp.sin(s[1])), (0, x), 5)[1]
        )

    jax.grad(lambda x: jnp.sum(jax.grad(value)(x)))(jnp.ones(2))


UNWRITTEN: Mapping[str, Callable[[Loops], None]] = {
    "run_tree": recursion,
    "run_growing": growing,
    "run_product": product,
}
"""Small programs of the kind of the other runs, which raise."""
