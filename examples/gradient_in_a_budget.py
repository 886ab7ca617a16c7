"""The gradient of a long simulation in less and less memory: the same bits every time.

Reaction and diffusion on a line, with rates that are to be fitted. The tape of the whole run is
what reverse mode usually takes; with `memory=` parts of the run are done again instead.
"""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

import retrograd as rg


def pattern(rates, u, v, steps):
    """Gray-Scott: how much of the second substance there is after so many steps."""
    feed, kill = rates[0], rates[1]
    n = len(u)
    for _ in range(steps):
        du, dv = np.zeros(n), np.zeros(n)
        for i in range(1, n - 1):
            reaction = u[i] * v[i] * v[i]
            du[i] = 0.16 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) - reaction + feed * (1.0 - u[i])
            dv[i] = 0.08 * (v[i - 1] - 2.0 * v[i] + v[i + 1]) + reaction - (feed + kill) * v[i]
        u = u + du
        v = v + dv
    return np.sum(v)


def main() -> None:
    """Prints what each budget takes."""
    n, steps = 200, 2000
    u, v = np.ones(n), np.zeros(n)
    u[90:110], v[90:110] = 0.5, 0.25
    args = np.array([0.035, 0.06]), u, v, steps
    want = rg.grad(pattern)(*args)
    table = Table("budget", "peak", "leaves", "snapshots", "steps done again", "same bits")
    for memory in ("1GB", "4MB", "1MB", "200kB"):
        with rg.record() as run:
            found = rg.grad(pattern, memory=memory)(*args)
        again = run.recomputed_steps / (run.steps - run.recomputed_steps)
        same = np.array_equal(found, want)
        row = f"{run.peak_bytes:,}", f"{run.leaves}", f"{run.live_snapshots}", f"{again:.0%}"
        table.add_row(memory, *row, "yes" if same else "no")
        assert same
    Console().print(table)


if __name__ == "__main__":
    main()
