"""Elementary functions as reversible ones: what was added is taken off again, and differentiated.

A norm, the logarithm of a complex number as a pair, Fibonacci's numbers by a loop and by recursion,
and Taylor series of exp and of Bessel's functions. Locals that are only built up need no
declaration: they are built again on the way back. `rg.adjoint` makes pullbacks of one's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import special

import retrograd as rg
from examples.reversible.plots import options

__all__ = [
    "Case",
    "bessel",
    "cases",
    "complex_log",
    "exp",
    "fibonacci",
    "length",
    "main",
    "norm",
    "pairs",
]


@rg.reversible
def norm(out, x):
    """out += |x|."""
    total = 0.0
    for value in x:
        total += value * value
    out += math.sqrt(total)
    return out


@rg.custom_vjp
def length(x):
    """|x| by NumPy, with the adjoint of `norm` as its derivative."""
    return np.sqrt(np.sum(x * x))


def length_and_residuals(x):
    """The rule that runs forward: the adjoint needs the result, and x."""
    y = length(x)
    return y, (y, x)


def length_pullback(residuals, y_bar):
    """The cotangent of x: what the adjoint of `norm` adds to zeros."""
    y, x = residuals
    _, (_, x_bar) = rg.adjoint(norm)(y, x, y_bar, np.zeros_like(x))
    return (x_bar,)


length.defvjp(length_and_residuals, length_pullback)


@rg.reversible
def complex_log(re, im, a, b):
    """re + i im += log(a + i b)."""
    re += 0.5 * math.log(a * a + b * b)
    im += math.atan2(b, a)
    return re, im


@rg.reversible
def pairs(a, b, n):
    """From two of Fibonacci's numbers to those n places later; its inverse goes n places back."""
    for _ in range(n):
        a += b
        a, b = b, a
    return a, b


@rg.reversible
def fibonacci(out, n):
    """out += the n-th of Fibonacci's numbers, by the recursion that defines them."""
    if n >= 1:
        if n <= 2:
            out += 1
        else:
            out = fibonacci(out, n - 1)
            out = fibonacci(out, n - 2)
    return out


@rg.reversible
def exp(out, x, atol):
    """out += exp(x), by Taylor's series, up to terms below atol."""
    term = 1.0
    total = 0.0
    k = 0
    while abs(term) > atol:
        total += term
        k += 1
        term *= x / k
    out += total
    return out


@rg.reversible
def bessel(out, order, x, atol):
    """out += Bessel's function of the first kind, of an order that is no negative integer."""
    term = 1.0
    for k in range(1, order + 1):
        term *= 0.5 * x / k
    total = 0.0
    k = 0
    while abs(term) > atol:
        total += term
        k += 1
        term *= -0.25 * x * x / (k * (k + order))
    out += total
    return out


@dataclass(frozen=True)
class Case:
    """A call, its result, and the gradient of the first number of the result."""

    name: str
    function: Any
    args: tuple[Any, ...]
    result: Any
    gradient: tuple[Any, ...] | None = None

    def ends(self) -> tuple[Any, ...]:
        """The arguments after the call."""
        found = rg.jit(self.function)(*self.args)
        results = found if isinstance(found, tuple) else (found,)
        return (*results, *self.args[len(results) :])

    def slopes(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The restored arguments, and the gradient by those that are floats."""
        floats = [a for a in self.args if isinstance(a, float | np.ndarray)]
        bars = [0.0 * a for a in floats]
        return rg.adjoint(self.function)(*self.ends(), 1.0, *bars[1:])


def cases() -> list[Case]:
    """Calls of all functions of this module."""
    x, z = np.array([1.0, 2.0, 3.0]), complex(2.0, -1.0)
    log, by_z = np.log(z), 1.0 / z
    return [
        Case("norm of (1, 2, 3)", norm, (0.0, x), math.sqrt(14.0), (1.0, x / math.sqrt(14.0))),
        Case("log(2 - i)", complex_log, (0.0, 0.0, z.real, z.imag), (log.real, log.imag),
             (1.0, 0.0, by_z.real, -by_z.imag)),
        Case("exp(3.5)", exp, (0.0, 3.5, 1e-18), math.exp(3.5), (1.0, math.exp(3.5), 0.0)),
        Case("J₂(1)", bessel, (0.0, 2, 1.0, 1e-18), special.jv(2, 1.0),
             (1.0, special.jvp(2, 1.0), 0.0)),
        Case("Fibonacci, 50 places on", pairs, (0, 1, 50), (12586269025, 20365011074)),
        Case("Fibonacci by recursion", fibonacci, (0, 20), 6765),
    ]  # fmt: skip


def size_of(found: Any, expected: Any) -> float:
    """The largest difference of two structures of numbers."""
    pairs_ = zip(found, expected, strict=True)
    return max(float(np.max(np.abs(np.asarray(a) - np.asarray(b)))) for a, b in pairs_)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints results, and how far they, restored arguments and gradients are off."""
    options(__doc__, arguments)
    table = Table("", "result", "off", "restored to within", "gradient off")
    for case in cases():
        ends = case.ends()
        expected = case.result if isinstance(case.result, tuple) else (case.result,)
        off = size_of(ends[: len(expected)], expected)
        drift = max(row[1] for row in rg.check_inverse(case.function, *case.args).rows)
        slope = "-" if case.gradient is None else f"{size_of(case.slopes()[1], case.gradient):.0e}"
        table.add_row(case.name, f"{ends[0]:.12g}", f"{off:.0e}", f"{drift:.0e}", slope)
        assert off < 1e-13
    Console().print(table)
    slope = rg.grad(length)(np.array([3.0, 4.0]))
    print(f"gradient of a norm by a pullback of one's own: {slope}")
    assert np.allclose(slope, [0.6, 0.8], rtol=1e-14)


if __name__ == "__main__":
    main()
