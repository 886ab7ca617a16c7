"""Steps that forget something, made reversible by a stack of what they leave behind.

The mean of an array, whose sum is left over; an int that is halved, whose lowest bit is lost; and
Newton's method, which forgets where it came from. `rg.push` moves such values to a stack. The
inverse, and the derivative, pop them again, so that the stack is empty afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

import retrograd as rg
from examples.reversible.plots import options

__all__ = ["halved", "main", "mean", "root", "root_of", "squared_mean"]


@rg.reversible
def mean(s, out, x):
    """out += the mean of x; the sum is left on the stack."""
    total = 0.0
    for value in x:
        total += value
    out += total / len(x)
    total = rg.push(s, total)
    return out


@rg.reversible
def halved(s, n, times):
    """n becomes n // 2, again and again; the bits that are lost are left on the stack."""
    for _ in range(times):
        half = 0
        bit = 0
        half += n // 2
        bit += n % 2
        n -= half + bit
        half -= n
        bit = rg.push(s, bit)
    return n


@rg.reversible
def root(s, x, a, steps):
    """x becomes the square root of a by Newton's method; the iterates are left on the stack."""
    for _ in range(steps):
        new = 0.0
        new += 0.5 * (x + a / x)
        x = rg.push(s, x)
        x += new
        new -= x
    return x


def squared_mean(x):
    """A loss; the stack in it is as good as any array."""
    return mean(rg.stack(1), 0.0, x) ** 2


def root_of(a, steps):
    """The square root as an ordinary function."""
    return root(rg.stack(steps), 1.0, a, steps)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints what is left behind, and gradients."""
    options(__doc__, arguments)
    x, table = np.array([1.0, 2.0, 6.0]), Table("", "result", "left behind", "restored")
    s, bits, iterates = rg.stack(1), rg.stack(8, like=0), rg.stack(5)
    out = mean(s, 0.0, x)
    n = halved(bits, 201, 8)
    y = root(iterates, 1.0, 2.0, 5)
    rows = (
        ("mean of (1, 2, 6)", out, str(s.items.tolist()), rg.inverse(mean)(s, out, x)),
        ("201, halved 8 times", n, str(bits.items.tolist()), rg.inverse(halved)(bits, n, 8)),
        ("root of 2", y, f"{iterates.count} numbers", rg.inverse(root)(iterates, y, 2.0, 5)),
    )
    for row in rows:
        table.add_row(*map(str, row))
    Console().print(table)
    assert s.count == bits.count == iterates.count == 0
    slopes = rg.grad(squared_mean)(x), rg.grad(root_of)(2.0, 5)
    print(f"gradients of the squared mean and of the root: {slopes[0]}, {slopes[1]:.12f}")
    assert np.allclose(slopes[0], np.full(3, 2.0), rtol=1e-14)
    assert abs(slopes[1] - 0.5 / math.sqrt(2.0)) < 1e-12


if __name__ == "__main__":
    main()
