"""What a gradient in a budget did, as a picture: sweeps over time, snapshots, the checkpoint tree.

Writes `run.svg` into the folder that is given as an argument, by default one that is thrown away.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path

import retrograd as rg
from retrograd.report.timeline import save_timeline


def orbit(speed, steps):
    """How far a planet is from where it began, after so many steps."""
    x, y, vx, vy = 1.0, 0.0, 0.0, speed
    for _ in range(steps):
        r = math.sqrt(x * x + y * y)
        vx -= 0.001 * x / r**3
        vy -= 0.001 * y / r**3
        x += 0.001 * vx
        y += 0.001 * vy
    return (x - 1.0) ** 2 + y * y


def draw(folder: Path) -> None:
    """Calculates a gradient in 100 kB and draws how."""
    with rg.record() as run:
        slope = rg.grad(orbit, memory="100kB")(1.0, 6283)
    assert slope == rg.grad(orbit)(1.0, 6283)
    save_timeline(run, folder / "run.svg")
    size = (folder / "run.svg").stat().st_size
    print(f"slope {slope:.6f}, {run.leaves} leaves, {run.snapshots} snapshots")
    print(f"most bytes in all {run.peak_bytes:,}; run.svg has {size:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            draw(Path(made))
