"""The gradient of a network of many layers, which no loop of the program runs over.

A loop over a tuple of weights is written out, layer after layer, as every tracer of Python does it.
The run can stop between any two layers all the same, so the tape of all layers need not fit into
memory; and layers that do the same are compiled once.
"""

from __future__ import annotations

import numpy as np

import retrograd as rg

LAYERS, WIDTH, ROWS = 14, 16, 2000

Layer = tuple[np.ndarray, np.ndarray]


def loss(layers, x, target):
    """Mean squared error of a residual network."""
    y = x
    for weights, shift in layers:
        y = y + 0.1 * np.tanh(y @ weights + shift)
    return np.mean((y - target) ** 2)


def network(seed: int = 0) -> tuple[tuple[Layer, ...], np.ndarray, np.ndarray]:
    """Layers, inputs, and what the outputs should be."""
    rng = np.random.default_rng(seed)
    layers = tuple(
        (rng.normal(size=(WIDTH, WIDTH)) / WIDTH**0.5, np.zeros(WIDTH)) for _ in range(LAYERS)
    )
    x = rng.normal(size=(ROWS, WIDTH))
    return layers, x, np.roll(x, 1, axis=1)


def main() -> None:
    """Takes the gradient by the full tape and in that of fourteen layers' outputs; a few steps."""
    layers, x, target = network()
    whole = rg.value_and_grad(loss)
    before, want = whole(layers, x, target)
    stats = whole.stats()
    times = stats.peak_bytes / x.nbytes
    print(f"full tape: {times:.0f} times the size of a layer's output", end="")
    print(f", compiled in {stats.compile_seconds:.1f} s")

    little = rg.value_and_grad(loss, memory=14 * x.nbytes)
    with rg.record() as run:
        after, found = little(layers, x, target)
    print(f"in a budget: {run.peak_bytes / x.nbytes:.1f} times, in {run.leaves} leaves", end="")
    print(f", {run.recomputed_steps / run.steps:.1f} runs more")
    assert after == before
    for one, other in zip(found, want, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))

    for _ in range(20):
        value, slopes = little(layers, x, target)
        layers = tuple(
            (w - 2.0 * dw, b - 2.0 * db) for (w, b), (dw, db) in zip(layers, slopes, strict=True)
        )
    print(f"mean squared error: {before:.3f} before, {value:.3f} after 20 steps of descent")
    assert value < 0.8 * before


if __name__ == "__main__":
    main()
