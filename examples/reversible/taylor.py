"""Taylor series and powers in numbers that do not drift, and a right-hand side with its own slope.

What is added to a fixed-point number is taken off to the bit if it is calculated anew from what has
not changed, as the local sum of exp is. The terms of Bessel's function are logarithmic numbers that
are multiplied and divided in place: these drift in the last digits, and nothing grows. A power of
logarithmic numbers neither overflows nor underflows. The last one is a leapfrog method whose force
solves an equation, with the slope of its solution as a rule of one's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table
from scipy import special

import retrograd as rg
from examples.reversible.plots import options

__all__ = ["Series", "bessel", "exp", "force", "main", "power", "series", "swing", "swung"]

Floats = npt.NDArray[np.float64]
TERMS = 30


@rg.reversible
def exp(out, x, terms):
    """out += exp(x), of arrays; the sum is a local, which is calculated anew on the way back."""
    term = np.ones(len(x))
    total = np.ones(len(x))
    for k in range(1, terms):
        term *= x / k
        total += term
    out += total


@rg.reversible
def bessel(out, term, x, terms, order):
    """out += Bessel's function of the first kind; the terms are undone afterwards."""
    for k in range(1, order + 1):
        term *= 0.5 * x / k
    out += term.floats
    for k in range(1, terms):
        term *= 0.25 * x * x / (k * (k + order))
        if k % 2 == 0:
            out += term.floats
        else:
            out -= term.floats
    for k in reversed(range(1, terms)):
        term /= 0.25 * x * x / (k * (k + order))
    for k in reversed(range(1, order + 1)):
        term /= 0.5 * x / k


@rg.reversible
def power(y, x, n):
    """y *= x to the n-th."""
    for _ in range(n):
        y *= x


def exp_of(x):
    """exp(x) as an ordinary function."""
    out = rg.fixed(np.zeros(len(x)))
    exp(out, x, TERMS)
    return out.floats


def bessel_of(x):
    """Bessel's function of order 2 as an ordinary function."""
    out, term = rg.fixed(np.zeros(len(x))), rg.logarithmic(np.ones(len(x)))
    bessel(out, term, x, TERMS, 2)
    return out.floats


def log_of_power(x):
    """The logarithm of x to the thousandth, which no float holds."""
    y = rg.logarithmic(np.ones(len(x)))
    power(y, rg.logarithmic(x), 1000)
    return y.logs


def exp_and_back(x):
    """How many units fixed-point numbers are off after exp has been added and taken off again."""
    out = rg.fixed(np.full(len(x), 0.1))
    before = out.units.copy()
    exp(out, x, TERMS)
    rg.inverse(exp)(out, x, TERMS)
    return np.max(np.abs(out.units - before))


def bessel_and_back(x):
    """The same with Bessel's function, and its terms."""
    out, term = rg.fixed(np.full(len(x), 0.1)), rg.logarithmic(np.ones(len(x)))
    before = out.units.copy()
    bessel(out, term, x, TERMS, 2)
    rg.inverse(bessel)(out, term, x, TERMS, 2)
    return np.max(np.abs(out.units - before))


@rg.custom_vjp
def force(x):
    """Minus the root y of y + y ** 3 = x, by Newton's method."""
    y = x / (1.0 + np.abs(x))
    for _ in range(40):
        y = y - (y + y**3 - x) / (1.0 + 3.0 * y * y)
    return -y


def force_and_root(x):
    """The rule that runs forward: the slope needs the root."""
    y = force(x)
    return y, y


def force_pullback(y, y_bar):
    """The slope of a root, by the theorem of the implicit function: no iteration is undone."""
    return (-y_bar / (1.0 + 3.0 * y * y),)


force.defvjp(force_and_root, force_pullback)


@rg.reversible
def swing(x, v, dt, steps):
    """The leapfrog method with this force."""
    for _ in range(steps):
        v += dt * force(x)
        x += dt * v


def swung(x, v, dt, steps):
    """The sum of squares of the end."""
    x, v = x.copy(), v.copy()
    swing(x, v, dt, steps)
    return np.sum(x * x) + np.sum(v * v)


def plainly_swung(x, v, dt, steps):
    """The same without inverses or rules."""
    for _ in range(steps):
        y = x / (1.0 + np.abs(x))
        for _ in range(40):
            y = y - (y + y**3 - x) / (1.0 + 3.0 * y * y)
        v = v - dt * y
        x = x + dt * v
    return np.sum(x * x) + np.sum(v * v)


@dataclass(frozen=True)
class Series:
    """A function, its values and slopes by formulas, and how it comes back."""

    name: str
    function: Callable[[Floats], Floats]
    values: Callable[[Floats], Floats]
    slopes: Callable[[Floats], Floats]
    back: Callable[[Floats], Any] | None = None

    def errors(self, x: Floats) -> tuple[float, float]:
        """How far values and slopes are off, relative to their size where that is above 1."""
        found = rg.jit(self.function)(x), rg.grad(lambda x: np.sum(self.function(x)))(x)
        pairs = zip(found, (self.values(x), self.slopes(x)), strict=True)
        one, other = (float(np.max(np.abs(a - b) / np.maximum(1.0, np.abs(b)))) for a, b in pairs)
        return one, other


def series() -> list[Series]:
    """All of them."""
    return [
        Series("exp", exp_of, np.exp, np.exp, exp_and_back),
        Series("J₂", bessel_of, lambda x: special.jv(2, x), lambda x: special.jvp(2, x),
               bessel_and_back),
        Series("log of x^1000", log_of_power, lambda x: 1000.0 * np.log(x), lambda x: 1000.0 / x),
    ]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints how far values, slopes and restored numbers are off."""
    asked = options(__doc__, arguments)
    x, table = np.array([0.5, 1.0, 3.5]), Table("", "values off", "slopes off", "restored")
    for one in series():
        values, slopes = one.errors(x)
        restored = "-"
        if one.back is not None:
            units = int(rg.jit(one.back)(x))
            restored = f"{units} units of 2^-43 off"
            assert units <= (0 if one.function is exp_of else 2)
        table.add_row(one.name, f"{values:.0e}", f"{slopes:.0e}", restored)
        assert values < 1e-11 > slopes
    Console().print(table)
    args = np.array([1.0, -0.5]), np.array([0.0, 0.4]), 0.05, 20 if asked.quick else 400
    ours, plain = (rg.grad(f, argnums=(0, 1, 2)) for f in (swung, plainly_swung))
    pairs = list(zip(ours(*args), plain(*args), strict=True))
    off = max(float(np.max(np.abs(np.asarray(a) - b))) for a, b in pairs)
    print(f"gradient through {args[3]} steps, of which each solves an equation: off by {off:.0e}")
    print(f"tape: {ours.stats().tape_bytes} bytes, without inverses {plain.stats().tape_bytes}")
    assert off < 1e-10


if __name__ == "__main__":
    main()
