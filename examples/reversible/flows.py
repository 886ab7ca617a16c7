"""Invertible networks, trained in constant memory, whose inverses draw samples.

NICE (Dinh, Krueger, Bengio 2014) adds to one coordinate what a small network makes of the other;
RealNVP (Dinh, Sohl-Dickstein, Bengio 2016) scales it as well. Both are updates, so the gradient
keeps no activation of any layer, and the inverse, which turns noise into data, is not written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.filesize import decimal
from rich.table import Table

import retrograd as rg
from examples.reversible.plots import COLOURS, options, save, subplots

__all__ = ["FLOWS", "Weights", "affine", "initial", "main", "moons", "sampled", "shift", "trained"]

Floats = npt.NDArray[np.float64]


class Weights(NamedTuple):
    """Those of all layers: a hidden layer of tanh in each, and logarithms of a last scale."""

    w: Floats
    b: Floats
    u: Floats
    c: Floats
    scale: Floats


@rg.reversible
def shift(x, y, w, b, u, c):
    """NICE's layer: y moves by what a network makes of x."""
    y += np.tanh(x @ w + b) @ u + c


@rg.reversible
def affine(x, y, logs, w, b, u, c):
    """RealNVP's layer: y is scaled and moved; the logarithms of the scales are added up."""
    h = np.tanh(x @ w + b) @ u + c
    y *= np.exp(h[:, :1])
    y += h[:, 1:]
    logs += h[:, 0]


@rg.reversible
def scaled(x, y, logs, scale):
    """The last layer of both."""
    x *= np.exp(scale[0])
    y *= np.exp(scale[1])
    logs += scale[0] + scale[1]


@rg.reversible
def nice(x, y, logs, p):
    """From data to noise, and the logarithm of the volume's change."""
    for k in range(0, len(p.w), 2):
        shift(x, y, p.w[k], p.b[k], p.u[k], p.c[k])
        shift(y, x, p.w[k + 1], p.b[k + 1], p.u[k + 1], p.c[k + 1])
    scaled(x, y, logs, p.scale)


@rg.reversible
def real_nvp(x, y, logs, p):
    """From data to noise, and the logarithm of the volume's change."""
    for k in range(0, len(p.w), 2):
        affine(x, y, logs, p.w[k], p.b[k], p.u[k], p.c[k])
        affine(y, x, logs, p.w[k + 1], p.b[k + 1], p.u[k + 1], p.c[k + 1])
    scaled(x, y, logs, p.scale)


def loss_of(flow):
    """The mean of minus the logarithm of the density."""

    def loss(p, points):
        x, y, logs = points[:, :1].copy(), points[:, 1:].copy(), np.zeros(len(points))
        flow(x, y, logs, p)
        noise = 0.5 * (x[:, 0] ** 2 + y[:, 0] ** 2) + np.log(2.0 * np.pi)
        return np.mean(noise - logs)

    return loss


@dataclass(frozen=True)
class Flow:
    """A network, its loss with gradient, and how many numbers a layer makes for a point."""

    function: Any
    slopes: Any
    width: int

    @staticmethod
    def of(function: Any, width: int) -> Flow:
        """The gradient is compiled when it is first used."""
        return Flow(function, rg.value_and_grad(loss_of(function)), width)


FLOWS = {"NICE": Flow.of(nice, 1), "RealNVP": Flow.of(real_nvp, 2)}


def moons(count: int, rng: np.random.Generator) -> Floats:
    """Two half circles that hold each other, with a little noise; mean zero, variance one."""
    angle, upper = np.pi * rng.random(count), rng.random(count) < 0.5
    x = np.where(upper, np.cos(angle), 1.0 - np.cos(angle))
    y = np.where(upper, np.sin(angle), 0.5 - np.sin(angle))
    points = np.stack([x, y], axis=1) + 0.06 * rng.normal(size=(count, 2))
    return (points - points.mean(axis=0)) / points.std(axis=0)


def initial(name: str, layers: int, hidden: int, rng: np.random.Generator) -> Weights:
    """Random weights with which each layer does little."""
    width = FLOWS[name].width
    return Weights(
        rng.normal(size=(layers, 1, hidden)), rng.normal(size=(layers, hidden)),
        0.1 * rng.normal(size=(layers, hidden, width)), np.zeros((layers, width)), np.zeros(2),
    )  # fmt: skip


def trained(
    name: str, p: Weights, steps: int, rng: np.random.Generator, batch: int = 256
) -> tuple[Weights, list[float]]:
    """Weights after so many steps of Adam (Kingma, Ba 2014), each with new data; the losses."""
    means, squares = ([np.zeros_like(a) for a in p] for _ in range(2))
    losses: list[float] = []
    for k in range(1, steps + 1):
        value, slope = FLOWS[name].slopes(p, moons(batch, rng))
        losses.append(float(value))
        rate = 5e-3 * 0.5 * (1.0 + np.cos(np.pi * k / steps))
        rate *= np.sqrt(1.0 - 0.999**k) / (1.0 - 0.9**k)
        for a, g, mean, square in zip(p, slope, means, squares, strict=True):
            mean += 0.1 * (g - mean)
            square += 0.001 * (g * g - square)
            a -= rate * mean / (np.sqrt(square) + 1e-8)
    return p, losses


def sampled(name: str, p: Weights, count: int, rng: np.random.Generator) -> Floats:
    """Points that the inverse of a network makes of noise."""
    x, y = rng.normal(size=(2, count, 1))
    rg.inverse(FLOWS[name].function)(x, y, np.zeros(count), p)
    return np.concatenate([x, y], axis=1)


def bytes_of(name: str, layers: int, points: Floats) -> int:
    """What a gradient has beside the gradient itself."""
    p = initial(name, layers, 32, np.random.default_rng(0))
    _, slope = FLOWS[name].slopes(p, points)
    return FLOWS[name].slopes.stats().peak_bytes - sum(a.nbytes for a in slope)


def draw(path: Path, data: Floats, samples: dict[str, Floats], losses: dict[str, Any]) -> None:
    """Data, samples, and the losses on the way."""
    figure, plots = subplots(2 + len(samples), 4.0)
    clouds = {"data": data} | {f"samples of {name}": s for name, s in samples.items()}
    for plot, colour, (title, points) in zip(plots, COLOURS, clouds.items(), strict=False):
        plot.scatter(*points.T, s=2, color=colour)
        plot.set(title=title, xlim=(-2.5, 2.5), ylim=(-2.5, 2.5), aspect="equal")
    for colour, (name, values) in zip(COLOURS[1:], losses.items(), strict=False):
        plots[-1].plot(np.convolve(values, np.ones(20) / 20.0, "valid"), color=colour, label=name)
    plots[-1].set(title="−log density, mean of 20 steps", xlabel="step")
    plots[-1].legend()
    save(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains both, prints what it took, and draws samples."""
    asked = options(__doc__, arguments)
    steps, layers = (150, 4) if asked.quick else (4000, 8)
    rng = np.random.default_rng(1)
    table = Table("", "first loss", "last loss", "bytes, 8 layers", "bytes, 80 layers")
    samples, losses = dict[str, Floats](), dict[str, Any]()
    for name in FLOWS:
        p, losses[name] = trained(name, initial(name, layers, 32, rng), steps, rng)
        samples[name] = sampled(name, p, 2000, rng)
        sizes = [decimal(bytes_of(name, n, moons(256, rng))) for n in (8, 80)]
        ends = np.mean(losses[name][:10]), np.mean(losses[name][-100:])
        table.add_row(name, *(f"{end:.3f}" for end in ends), *sizes)
    Console().print(table)
    draw(asked.out / "flows.png", moons(2000, rng), samples, losses)


if __name__ == "__main__":
    main()
