"""Programs that run backwards as they stand; their first arguments change in place."""

from __future__ import annotations

import math

import numpy as np

__all__ = ["SOFTENING", "coupling", "csr", "nine_bodies", "two_bodies", "wave", "wave_np"]

SOFTENING = 0.01


def two_bodies(x, v, mass, dt, steps):
    """The leapfrog method for the way from one body to the other, in a plane."""
    for _ in range(steps):
        r = math.sqrt(x[0] * x[0] + x[1] * x[1])
        w = mass * dt / (r * r * r)
        v[0] -= w * x[0]
        v[1] -= w * x[1]
        x[0] += dt * v[0]
        x[1] += dt * v[1]


def nine_bodies(x, v, mass, dt, steps):
    """The same for all pairs of bodies, softened; coordinates are in rows."""
    n = x.shape[1]
    for _ in range(steps):
        for j in range(n):
            for i in range(n):
                dx = x[0, j] - x[0, i]
                dy = x[1, j] - x[1, i]
                dz = x[2, j] - x[2, i]
                square = dx * dx + dy * dy + dz * dz + SOFTENING
                force = dt * mass[j] / (square * math.sqrt(square))
                v[0, i] += force * dx
                v[1, i] += force * dy
                v[2, i] += force * dz
        for d in range(3):
            for i in range(n):
                x[d, i] += dt * v[d, i]


def wave(u, p, c, dt, steps):
    """The wave equation, point by point."""
    n = len(u)
    for _ in range(steps):
        for i in range(1, n - 1):
            p[i] += dt * c[i] * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        for i in range(1, n - 1):
            u[i] += dt * p[i]


def wave_np(u, p, c, dt, steps):
    """The same by slices."""
    for _ in range(steps):
        p[1:-1] += dt * c[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u[1:-1] += dt * p[1:-1]


def csr(y, values, x, rows, columns):
    """Adds the product of a sparse matrix and a vector."""
    for i in range(len(y)):
        for k in range(rows[i], rows[i + 1]):
            y[i] += values[k] * x[columns[k]]


def coupling(y, x, w, b, u, c):
    """A layer that adds to one half of a vector what a network makes of the other one."""
    y += np.tanh(x @ w + b) @ u + c
