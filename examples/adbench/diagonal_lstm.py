"""ADBench's LSTM with diagonal weights: the loss of predicting a sequence, and its gradient.

Layers of cells stand on each other; each gate of a cell sees one number only, so weights are
vectors. The input is a sequence of bits, and at each step the network predicts the next ones.
"""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

import retrograd as rg

__all__ = ["data", "objective"]


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def step(weight, bias, hidden, memory, x):
    """The hidden state and the memory of one layer after one more input."""
    b = len(x)
    forget = sigmoid(x * weight[:b] + bias[:b])
    admit = sigmoid(hidden * weight[b : 2 * b] + bias[b : 2 * b])
    show = sigmoid(x * weight[2 * b : 3 * b] + bias[2 * b : 3 * b])
    change = np.tanh(hidden * weight[3 * b :] + bias[3 * b :])
    memory = memory * forget + admit * change
    return show * np.tanh(memory), memory


def objective(main, extra, state, sequence):
    """The mean of minus the logarithm of the softmax (with ADBench's 2 in it) at the next bits.

    Two rows of `main` for each layer, weights and biases of four gates; `extra` has the weights of
    the input, those of the output and its biases; two rows of `state` for each layer, too.
    """
    count, b = sequence.shape
    hidden, memory = state[0::2].copy(), state[1::2].copy()
    total = 0.0
    for t in range(count - 1):
        x = sequence[t] * extra[0]
        for layer in range(len(hidden)):
            hidden[layer], memory[layer] = step(
                main[2 * layer], main[2 * layer + 1], hidden[layer], memory[layer], x
            )
            x = hidden[layer]
        y = x * extra[1] + extra[2]
        total += np.sum(sequence[t + 1] * (y - np.log(2.0 + np.sum(np.exp(y)))))
    return -total / ((count - 1) * b)


def data(layers, count, b, rng):
    """Random parameters, a random state and random bits."""
    return (
        rng.uniform(size=(2 * layers, 4 * b)),
        rng.uniform(size=(3, b)),
        rng.uniform(size=(2 * layers, b)),
        rng.integers(0, 2, (count, b)).astype(float),
    )


def main() -> None:
    """Prints the loss, and its gradient by each argument."""
    layers, extra, state, sequence = data(2, 100, 14, np.random.default_rng(1))
    value, slopes = rg.value_and_grad(objective, argnums=(0, 1))(layers, extra, state, sequence)
    table = Table("gradient by", "numbers", "norm", title=f"loss {value:.6f}")
    for name, slope in zip(("layers", "input and output"), slopes, strict=True):
        table.add_row(name, f"{slope.size}", f"{np.linalg.norm(slope):.6g}")
    Console().print(table)
    ones = np.ones_like(layers), np.ones_like(extra)
    _, forward = rg.jvp(lambda *at: objective(*at, state, sequence), (layers, extra), ones)
    assert np.isclose(forward, sum(np.sum(slope) for slope in slopes), rtol=1e-9)


if __name__ == "__main__":
    main()
