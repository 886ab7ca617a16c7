"""One gradient of many steps, paid for in four ways: tape, treeverse, Bennett's scheme, reversal.

The first step is a wave on a ring, which can be undone. The second is heat on a ring, which cannot:
what treeverse forgets and Bennett's scheme calculates away, reversal would have to keep.
"""

from __future__ import annotations

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import retrograd as rg

STEPS, SNAPSHOTS = 64, 5


@rg.reversible
def wave_step(u, v, c):
    """A leapfrog step of the wave equation: displacement u, velocity v, squared speed c."""
    n = len(u)
    for k in range(n):
        v[k] += c[k] * (u[(k + 1) % n] - 2.0 * u[k] + u[k - 1])
    u += v


def heat_step(u):
    """A step of the periodic heat equation."""
    return u + 0.2 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))


def wave_end(u, v, c, n):
    """The energy in displacements after n steps."""
    u, v = u.copy(), v.copy()
    for _ in range(n):
        wave_step(u, v, c)
    return np.sum(u * u)


def taped_wave_end(u, v, c, n):
    """The same, with a step that records."""
    u, v = u.copy(), v.copy()
    for _ in range(n):
        v += c * (np.roll(u, -1) - 2.0 * u + np.roll(u, 1))
        u += v
    return np.sum(u * u)


def heat_end(u, n):
    """The unevenness that n steps leave."""
    for _ in range(n):
        u = u + 0.2 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
    return np.sum(u * u)


def binomial(snapshots: int, repetitions: int) -> int:
    """The steps that treeverse goes back through with so many snapshots and repetitions."""
    found = 1
    for k in range(1, snapshots + 1):
        found = found * (repetitions + k) // k
    return found


def treeverse_calls(n: int, snapshots: int) -> int:
    """The fewest forward steps with which n steps are gone back through in so many snapshots."""
    repetitions = 0
    while binomial(snapshots, repetitions) < n:
        repetitions += 1
    return repetitions * n - binomial(snapshots + 1, repetitions - 1)


def bytes_of(gradient, args) -> int:
    """The bytes of the tape of a gradient."""
    gradient(*args)
    return gradient.specialise(args, {})[1].stats.tape_bytes


def rows() -> list[tuple[str, str, int, int]]:
    """For each way: the equation, evaluations of the step, states that are held."""
    u, v = np.sin(np.arange(32.0)), np.zeros(32)
    c = np.full(32, 0.1)
    undone, taped = (rg.grad(f, argnums=(0, 1, 2)) for f in (wave_end, taped_wave_end))
    args = u, v, c, STEPS
    for a, b in zip(undone(*args), taped(*args), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
    assert bytes_of(undone, args) == bytes_of(undone, (u, v, c, 10 * STEPS))
    found = [("reversal", "wave", 2 * STEPS, 1), ("tape", "wave", STEPS, STEPS + 1)]
    expected = rg.grad(heat_end)(u, STEPS)
    found.append(("tape", "heat", STEPS, STEPS + 1))
    found.append(("treeverse", "heat", treeverse_calls(STEPS, SNAPSHOTS), SNAPSHOTS + 1))
    for parts in (2, 4, 8):
        run = rg.bennett(heat_step, u, STEPS, parts, 2.0 * rg.jit(after)(u, STEPS))
        np.testing.assert_allclose(run.state_bar, expected, rtol=1e-10)
        found.append((f"Bennett, k = {parts}", "heat", run.calls + run.pullbacks, run.peak_states))
    return found


def after(u, n):
    """The state after n steps."""
    for _ in range(n):
        u = u + 0.2 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
    return u


def main() -> None:
    """Prints the table."""
    table = Table(title=f"A gradient of {STEPS} steps", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("way", "step", "evaluations", "states"):
        table.add_column(heading, justify="left" if heading in ("way", "step") else "right")
    for way, step, calls, states in rows():
        table.add_row(way, step, f"{calls:,}", str(states))
    Console().print(table)


if __name__ == "__main__":
    main()
