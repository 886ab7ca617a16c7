"""How much memory does a gradient need, and how much time does less of it cost? Asked before.

The prediction is made from one look at the run; then one of its rows is put to the test.
"""

from __future__ import annotations

import numpy as np

import retrograd as rg


def spread(rate, heat, steps):
    """Heat on a ring after so many steps: how unevenly it still lies."""
    for _ in range(steps):
        flow = np.zeros(len(heat))
        flow[1:] = heat[1:] - heat[:-1]
        flow[0] = heat[0] - heat[-1]
        heat = heat - rate * flow * np.cos(heat)
    return np.sum((heat - np.mean(heat)) ** 2)


def main() -> None:
    """Prints the plan, and what one of its budgets took."""
    args = 0.1, np.sin(np.arange(500.0)), 2000
    plan = rg.plan(spread, *args)
    print(plan)
    row = plan.rows[len(plan.rows) // 2]
    with rg.record() as run:
        slope = rg.grad(spread, memory=row.budget)(*args)
    assert slope == rg.grad(spread)(*args)
    assert run.peak_bytes <= row.budget
    print(f"{row.budget:,} bytes: planned {row.leaves} leaves, {row.snapshots} snapshots;")
    print(f"found {run.leaves} leaves, {run.snapshots} snapshots")


if __name__ == "__main__":
    main()
