"""The gradient of a program that goes down a gradient itself, all of it in one budget.

How good is a step length? The loss after a few steps of gradient descent on a long simulation is
differentiated with respect to it. Each step's gradient has a long tape of its own.
"""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

import retrograd as rg


def misfit(rates, steps):
    """How far predator and prey are from where they should be."""
    prey, predator = 1.0, 0.5
    for _ in range(steps):
        eaten = rates[0] * prey * predator
        prey = prey + 0.001 * (prey - eaten)
        predator = predator + 0.001 * (rates[1] * eaten - predator)
    return (prey - 1.2) ** 2.0 + (predator - 0.8) ** 2.0


def after_descent(length, rates, steps):
    """The misfit after some steps of that length down its gradient."""
    for _ in range(3):
        rates = rates - length * rg.grad(misfit)(rates, steps)
    return misfit(rates, steps)


def main() -> None:
    """Prints what each budget takes."""
    args = 0.05, np.array([1.0, 0.9]), 5000
    whole = rg.grad(after_descent)
    want = whole(*args)
    stats = whole.stats()
    assert stats is not None
    table = Table("budget", "peak", "inner derivatives by schedule", "same bits")
    table.add_row("none", f"{stats.tape_bytes:,} on the tape", "0", "")
    for memory in ("200kB", "50kB", "10kB"):
        with rg.record() as run:
            found = rg.grad(after_descent, memory=memory)(*args)
        assert found == want
        table.add_row(memory, f"{run.peak_bytes:,}", f"{run.inner}", "yes")
    Console().print(table)
    print(f"the misfit changes by {want:.6g} for each unit of step length")


if __name__ == "__main__":
    main()
