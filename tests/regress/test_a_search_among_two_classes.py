"""An object of the one class was garbage on the path of the other: RG0106 where it was used."""

from __future__ import annotations

import pytest

import retrograd as rg


class Shape:
    def __init__(self, k, r=0.0):
        self.k, self.r = k, r

    def hit(self, x):
        d = self.k - x * x
        return d if d > 0.0 else None

    def colour(self, t):
        return self.k * t


class Plane(Shape):
    def hit(self, x):
        return x if x > 0.1 else None

    def colour(self, t):
        return self.k + t


def trace(x, scene, depth=0):
    nearest, best = float("inf"), None
    for shape in scene:
        t = shape.hit(x)
        if t is not None and t < nearest:
            nearest, best = t, shape
    if best is None:
        return 0.5 * x
    colour = best.colour(nearest)
    if depth < 2 and best.r > 0.0:
        return colour + best.r * trace(0.3 * colour, scene, depth + 1)
    return colour


def seen(x):
    return trace(x, [Shape(2.0, 0.4), Shape(1.5), Plane(0.3)])


def test_the_nearest_is_found():
    slope = rg.value_and_grad(seen)
    for x in (0.05, 0.7, 1.3, -1.3, -2.0):
        value, bar = slope(x)
        assert value == pytest.approx(seen(x), rel=1e-15)
        assert bar == pytest.approx((seen(x + 1e-6) - seen(x - 1e-6)) / 2e-6, rel=1e-6)
