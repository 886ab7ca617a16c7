"""How many dimensions the Petersen graph needs, by Newton's method.

Ten vertices are to be placed such that all pairs with an edge are at one distance, and all without
one at another, larger one. The loss is the variance of each of the two sets of squared distances,
and what the two lack of a gap. It can be zero from five dimensions on; in five of them the ratio of
the distances is √2. (Liu, Zhao 2020 have this example; the loss here is of squared distances.)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

import retrograd as rg
from examples.reversible.plots import COLOURS, options, save, subplots

__all__ = ["EDGES", "OTHERS", "adam", "distances", "loss", "main", "newton", "ratio"]

Floats = npt.NDArray[np.float64]

EDGES = np.array(
    [(k, (k + 1) % 5) for k in range(5)]
    + [(k, k + 5) for k in range(5)]
    + [(5 + k, 5 + (k + 2) % 5) for k in range(5)]
)
"""An outer ring, spokes, and an inner star."""
JOINED = {(max(e), min(e)) for e in EDGES.tolist()}
OTHERS = np.array([(i, j) for i in range(10) for j in range(i) if (i, j) not in JOINED])


@rg.reversible
def distances(out, x, pairs):
    """Adds the squared distances of pairs of vertices."""
    for k in range(len(pairs)):
        d = x[pairs[k, 0]] - x[pairs[k, 1]]
        out[k] += np.sum(d * d)


@rg.reversible
def add_variance(out, values):
    """Adds the variance of some values."""
    mean = np.sum(values) / len(values)
    out += np.sum((values - mean) ** 2) / len(values)
    return out


def loss(flat, k, edges, others):
    """Zero where both kinds of pairs have a distance of their own, which differ by one squared."""
    x = flat.reshape((10, k))
    near, far = np.zeros(len(edges)), np.zeros(len(others))
    distances(near, x, edges)
    distances(far, x, others)
    spread = 0.0
    spread = add_variance(spread, near)
    spread = add_variance(spread, far)
    lack = 1.0 - (np.mean(far) - np.mean(near))
    return spread + lack * lack


def there_and_back(flat, k, edges, others):
    """The distances are added, and taken off again."""
    x = flat.reshape((10, k))
    near, far = np.zeros(len(edges)), np.zeros(len(others))
    distances(near, x, edges)
    distances(far, x, others)
    rg.inverse(distances)(far, x, others)
    rg.inverse(distances)(near, x, edges)
    return np.max(np.abs(near)) + np.max(np.abs(far))


OBJECTIVE = rg.jit(loss)
BACK = rg.jit(there_and_back)
SLOPES = rg.value_and_grad(loss)
HESSIAN = rg.hessian(loss)


def newton(x: Floats, k: int, steps: int) -> tuple[Floats, list[float]]:
    """Steps of Newton's method, damped as Levenberg and Marquardt do, and the losses."""
    damping, (value, slope) = 1.0, SLOPES(x, k, EDGES, OTHERS)
    losses = [float(value)]
    for _ in range(steps):
        curvature = HESSIAN(x, k, EDGES, OTHERS)
        lowest = np.linalg.eigvalsh(curvature)[0]
        shift = damping + max(0.0, -1.1 * lowest)
        trial = x - np.linalg.solve(curvature + shift * np.eye(len(x)), slope)
        value, slope_there = SLOPES(trial, k, EDGES, OTHERS)
        if value < losses[-1]:
            x, slope, damping = trial, slope_there, max(0.2 * damping, 1e-12)
            losses.append(float(value))
        else:
            damping *= 4.0
            losses.append(losses[-1])
        if losses[-1] < 1e-26:
            break
    return x, losses


def adam(x: Floats, k: int, steps: int) -> tuple[Floats, list[float]]:
    """Steps of Adam (Kingma, Ba 2014), and the losses."""
    x, mean, square, losses = x.copy(), np.zeros_like(x), np.zeros_like(x), list[float]()
    for t in range(1, steps + 1):
        value, slope = SLOPES(x, k, EDGES, OTHERS)
        losses.append(float(value))
        mean += 0.1 * (slope - mean)
        square += 0.001 * (slope * slope - square)
        rate = 0.05 * np.sqrt(1.0 - 0.999**t) / (1.0 - 0.9**t)
        x -= rate * mean / (np.sqrt(square) + 1e-8)
    return x, losses


def ratio(flat: Floats, k: int) -> float:
    """The mean distance without an edge over that with one."""
    x = flat.reshape((10, k))
    near, far = np.zeros(len(EDGES)), np.zeros(len(OTHERS))
    distances(near, x, EDGES)
    distances(far, x, OTHERS)
    return float(np.mean(np.sqrt(far)) / np.mean(np.sqrt(near)))


def best(k: int, starts: int, steps: int) -> tuple[Floats, list[float]]:
    """The lowest of some searches from random places."""
    rng = np.random.default_rng(k)
    found = [newton(rng.normal(size=10 * k), k, steps) for _ in range(starts)]
    return min(found, key=lambda pair: pair[1][-1])


def seconds(fun: Callable[..., object], k: int) -> float:
    """Of a call, the shortest of several, at a random place."""
    x, found = np.random.default_rng(k).normal(size=10 * k), list[float]()
    for _ in range(6):
        start = time.perf_counter()
        fun(x, k, EDGES, OTHERS)
        found.append(time.perf_counter() - start)
    return min(found[1:])


def table_of_times(dimensions: Sequence[int]) -> Table:
    """What each call takes, by dimension."""
    ways = {"objective": OBJECTIVE, "and back": BACK, "gradient": SLOPES, "Hessian": HESSIAN}
    table = Table("dimensions", *ways, title="Microseconds")
    for k in dimensions:
        table.add_row(f"{k}", *(f"{1e6 * seconds(fun, k):.1f}" for fun in ways.values()))
    return table


def draw(path: Path, lowest: dict[int, float], ways: dict[str, list[float]], flat: Floats) -> None:
    """The loss by dimension, both methods, and the vertices in two of five dimensions."""
    figure, (left, middle, right) = subplots(3, 4.5)
    left.semilogy(list(lowest), np.maximum(list(lowest.values()), 1e-30), "o-", color=COLOURS[0])
    left.set(title="Lowest loss found", xlabel="dimensions", xticks=list(lowest))
    for colour, (name, losses) in zip(COLOURS, ways.items(), strict=False):
        middle.loglog(np.arange(1, len(losses) + 1), losses, color=colour, label=name)
    middle.set(title="Loss in five dimensions", xlabel="step")
    middle.legend()
    x = flat.reshape((10, 5))
    plane = np.linalg.svd(x - x.mean(axis=0))[2][:2]
    at = x @ plane.T
    for i, j in EDGES:
        right.plot(*at[[i, j]].T, color=COLOURS[0], lw=1.2)
    right.plot(*at.T, "o", color=COLOURS[1])
    right.set(title="The vertices, two of five dimensions", aspect="equal")
    save(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the lowest loss by dimension and draws it, with Adam against Newton."""
    asked = options(__doc__, arguments)
    starts, steps, most = (3, 60, 5) if asked.quick else (10, 200, 10)
    table = Table("dimensions", "lowest loss", "ratio of the distances", "steps")
    lowest, places = dict[int, float](), dict[int, Floats]()
    for k in range(1, most + 1):
        places[k], losses = best(k, starts, steps)
        lowest[k] = losses[-1]
        table.add_row(f"{k}", f"{lowest[k]:.2e}", f"{ratio(places[k], k):.12f}", f"{len(losses)}")
    Console().print(table)
    Console().print(table_of_times(range(2, most + 1)))
    start = np.random.default_rng(6).normal(size=50)
    ways = {"Newton": newton(start, 5, steps)[1], "Adam": adam(start, 5, 10 * steps)[1]}
    for name, losses in ways.items():
        print(f"{name}: loss {losses[-1]:.2e} after {len(losses)} steps")
    assert lowest[4] > 1e-3 > 1e-20 > lowest[5]
    assert abs(ratio(places[5], 5) - np.sqrt(2.0)) < 1e-9
    draw(asked.out / "graph_embedding.png", lowest, ways, places[5])


if __name__ == "__main__":
    main()
