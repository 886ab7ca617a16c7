"""A gradient through days of many small steps, in the memory of one day's first few.

Where a loop body records much more than what it reads, the reverse sweep does it again, one body
at a time, so that the tape is as long as one body. Here that is a day, with ten thousand steps of
its own. In a budget a day is divided as the whole run is: it has a schedule of its own.
"""

from __future__ import annotations

import numpy as np

import retrograd as rg

DAYS, STEPS = 4, 10_000


def swarm(x, pull, days, steps):
    """Oscillators that pull at each other; in the morning they are slowed down."""
    v = np.zeros_like(x)
    rest = 0.0
    for _ in range(days):
        v = 0.5 * v
        for _ in range(steps):
            v = v + 0.001 * (pull * (np.mean(x) - x) - np.sin(x))
            x = x + 0.001 * v
        rest += np.sum(x * x)
    return rest / days


def main() -> None:
    """The gradient with a tape of a whole day, and in a hundredth of that."""
    x = np.linspace(-1.0, 1.5, 8)
    whole = rg.value_and_grad(swarm, argnums=(0, 1))
    value, want = whole(x, 2.0, DAYS, STEPS)
    stats = whole.stats()
    print(f"{DAYS} days of {STEPS} steps: {value:.6f}, with {stats.peak_bytes / 1e6:.2f} MB")

    budget = stats.peak_bytes // 100
    little = rg.value_and_grad(swarm, argnums=(0, 1), memory=budget)
    with rg.record() as run:
        same, found = little(x, 2.0, DAYS, STEPS)
    print(f"in {run.peak_bytes / 1e3:.1f} kB of {budget / 1e3:.1f} the same to the bit", end="")
    print(f", with {run.inner} days in schedules of their own")
    assert same == value
    assert all(np.array_equal(a, b) for a, b in zip(found, want, strict=True))
    assert run.peak_bytes <= budget
    assert run.inner >= DAYS


if __name__ == "__main__":
    main()
