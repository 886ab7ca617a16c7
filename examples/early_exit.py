"""Loops that stop early, and branches, differentiated as they ran.

A ball thrown at an angle flies with drag until it is below the ground; where in the last step it
crossed is interpolated, so the range is a smooth function of the angle. Its best angle, with drag,
is below 45 degrees; bisection on the derivative finds it.
"""

from __future__ import annotations

import math

import retrograd as rg


def distance(angle, drag):
    """How far the ball flies when thrown at 30 m/s."""
    x = 0.0
    y = 0.0
    vx = 30.0 * math.cos(angle)
    vy = 30.0 * math.sin(angle)
    dt = 0.001
    landed = 0.0
    for _ in range(100000):
        speed = math.sqrt(vx * vx + vy * vy)
        before_x = x
        before_y = y
        x += dt * vx
        y += dt * vy
        vx -= dt * drag * speed * vx
        vy -= dt * (9.81 + drag * speed * vy)
        if y < 0.0:
            share = before_y / (before_y - y)
            landed = before_x + share * (x - before_x)
            break
    return landed


def main() -> None:
    """Bisects the derivative of the distance."""
    slope = rg.grad(distance)
    low, high = math.radians(20.0), math.radians(60.0)
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        if slope(middle, 0.01) > 0.0:
            low = middle
        else:
            high = middle
    best = math.degrees(low)
    print(f"best angle {best:.2f} degrees, {distance(low, 0.01):.2f} m")
    assert 38.0 < best < 44.0
    assert distance(low, 0.01) >= max(distance(low - 0.01, 0.01), distance(low + 0.01, 0.01))


if __name__ == "__main__":
    main()
