"""An LSTM cell over a sequence, gradient with respect to all weights.

Matrix products are written as plain loops over the gates, so that they need no sum across
iterations; the nonlinearities are `math.exp` and `math.tanh` of scalars in a loop.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.crival import CPrimal, address, integer, load, pointer
from benchmarks.problems.base import Arguments, Problem, Value

__all__ = ["LSTM", "LSTM_NUMPY", "lstm", "lstm_numpy"]


def sigmoid(z):
    return 1.0 / (1.0 + math.exp(-z))


def lstm(input_weight, state_weight, bias, xs, target):
    """Sum of squared misses of the hidden states over the sequence."""
    length, inputs = xs.shape
    hidden = state_weight.shape[0]
    gates = 4 * hidden
    h = np.zeros(hidden)
    c = np.zeros(hidden)
    z = np.zeros(gates)
    loss = 0.0
    for t in range(length):
        for j in range(gates):
            z[j] = bias[j]
        for k in range(inputs):
            x = xs[t, k]
            for j in range(gates):
                z[j] += x * input_weight[k, j]
        for k in range(hidden):
            state = h[k]
            for j in range(gates):
                z[j] += state * state_weight[k, j]
        for j in range(hidden):
            admit = sigmoid(z[j])
            keep = sigmoid(z[hidden + j])
            show = sigmoid(z[2 * hidden + j])
            fresh = math.tanh(z[3 * hidden + j])
            c[j] = keep * c[j] + admit * fresh
            h[j] = show * math.tanh(c[j])
        for j in range(hidden):
            miss = h[j] - target[t, j]
            loss += miss * miss
    return loss


def lstm_numpy(input_weight, state_weight, bias, xs, target):
    """The same with NumPy's products and elementwise functions; the sequence stays a loop."""
    hidden = state_weight.shape[0]
    h = np.zeros(hidden)
    c = np.zeros(hidden)
    loss = 0.0
    for t in range(xs.shape[0]):
        z = bias + xs[t] @ input_weight + h @ state_weight
        gate = 1.0 / (1.0 + np.exp(-z[: 3 * hidden]))
        fresh = np.tanh(z[3 * hidden :])
        c = gate[hidden : 2 * hidden] * c + gate[:hidden] * fresh
        h = gate[2 * hidden :] * np.tanh(c)
        miss = h - target[t]
        loss += np.sum(miss * miss)
    return loss


def data(size: Mapping[str, int]) -> Arguments:
    """Random weights of the usual scale, random inputs and targets."""
    length, inputs, hidden = size["length"], size["inputs"], size["hidden"]
    draw = np.random.default_rng(97)
    input_weight = draw.normal(size=(inputs, 4 * hidden)) / np.sqrt(inputs)
    state_weight = draw.normal(size=(hidden, 4 * hidden)) / np.sqrt(hidden)
    bias = 0.1 * draw.normal(size=4 * hidden)
    xs = draw.normal(size=(length, inputs))
    return input_weight, state_weight, bias, xs, np.tanh(draw.normal(size=(length, hidden)))


@functools.cache
def library() -> Mapping[str, Callable[..., float]]:
    names = {"lstm": (*(address,) * 6, integer, integer, integer)}
    return load(Path(__file__).with_name("lstm.c"), names)


def c_primal(arguments: Arguments) -> CPrimal:
    (length, inputs), hidden = arguments[3].shape, arguments[1].shape[0]
    fixed = (*map(pointer, (*arguments, np.empty(6 * hidden))), length, inputs, hidden)
    function = library()["lstm"]
    return CPrimal(lambda: function(*fixed))


def jax_primal(arguments: Arguments) -> Value:
    """A scan over the sequence."""
    import jax
    import jax.numpy as jnp

    def run(input_weight, state_weight, bias, xs, target):
        hidden = state_weight.shape[0]

        def cell(state, step):
            h, c = state
            x, wanted = step
            z = bias + x @ input_weight + h @ state_weight
            admit, keep, show = jax.nn.sigmoid(z[: 3 * hidden]).reshape(3, hidden)
            c = keep * c + admit * jnp.tanh(z[3 * hidden :])
            h = show * jnp.tanh(c)
            return (h, c), jnp.sum((h - wanted) ** 2)

        zero = jnp.zeros(hidden)
        _, losses = jax.lax.scan(cell, (zero, zero), (xs, target))
        return jnp.sum(losses)

    return run


SIZES = {
    "full": {"length": 100, "inputs": 32, "hidden": 64},
    "quick": {"length": 50, "inputs": 16, "hidden": 32},
    "tiny": {"length": 3, "inputs": 2, "hidden": 3},
}

LSTM = Problem(
    name="lstm",
    title="LSTM, plain loops",
    primal=lstm,
    argnums=(0, 1, 2),
    data=data,
    sizes=SIZES,
    c_primal=c_primal,
    jax_primal=jax_primal,
)

LSTM_NUMPY = Problem(
    name="lstm_np",
    title="LSTM, NumPy",
    primal=lstm_numpy,
    argnums=(0, 1, 2),
    data=data,
    sizes=SIZES,
    c_primal=c_primal,
    jax_primal=jax_primal,
)
