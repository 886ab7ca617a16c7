"""Programs that run backwards as they stand; their first arguments change in place."""

from __future__ import annotations

import math

import numpy as np

__all__ = ["SOFTENING", "coupling", "csr", "nine_bodies", "two_bodies", "wave", "wave_np"]

SOFTENING = 0.01


def two_bodies(x, v, mass, dt, steps):
    """The leapfrog method for two bodies, which are rows."""
    for _ in range(steps):
        dx = x[1, 0] - x[0, 0]
        dy = x[1, 1] - x[0, 1]
        dz = x[1, 2] - x[0, 2]
        square = dx * dx + dy * dy + dz * dz
        pull = dt / (square * math.sqrt(square))
        v[0, 0] += pull * mass[1] * dx
        v[0, 1] += pull * mass[1] * dy
        v[0, 2] += pull * mass[1] * dz
        v[1, 0] -= pull * mass[0] * dx
        v[1, 1] -= pull * mass[0] * dy
        v[1, 2] -= pull * mass[0] * dz
        for i in range(2):
            for d in range(3):
                x[i, d] += dt * v[i, d]


def nine_bodies(x, v, mass, dt, steps):
    """The same for all pairs of bodies, softened; here coordinates are rows."""
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
