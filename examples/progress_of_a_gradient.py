"""A gradient that takes a while shows how far it is, on a terminal; here from the first moment.

Run it in a terminal to see the line: share of the steps that are taken back, time, time left.
"""

from __future__ import annotations

import math

import retrograd as rg


def ball(angle, steps):
    """How far a ball flies that is thrown at an angle, with drag, and bounces."""
    x, y, u, v = 0.0, 0.0, 30.0 * math.cos(angle), 30.0 * math.sin(angle)
    for _ in range(steps):
        speed = math.sqrt(u * u + v * v)
        u -= 1e-5 * 0.02 * speed * u
        v -= 1e-5 * (9.81 + 0.02 * speed * v)
        x += 1e-5 * u
        y += 1e-5 * v
        if y < 0.0:
            y, v = -y, -0.8 * v
    return x


def main() -> None:
    """Prints the slope; while it is calculated a bar is shown, and is gone afterwards."""
    with rg.progress(after=0.0), rg.record() as run:
        slope = rg.grad(ball, memory="2MB")(0.7, 1_000_000)
    with rg.progress(False):
        assert slope == rg.grad(ball, memory="20MB")(0.7, 1_000_000)
    print(f"slope {slope:.6f} m per radian, {run.leaves} leaves in {run.peak_bytes:,} bytes")


if __name__ == "__main__":
    main()
