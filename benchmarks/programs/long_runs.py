"""Programs whose tape is long and whose state is small: each a different shape of control flow."""

from __future__ import annotations

import math

import numpy as np

__all__ = ["branching", "grey_scott", "growing", "layered", "oscillator", "walk", "walk_tree"]


def walk(node, left, right, weight):
    """The value of a subtree: of its left child mostly, bent by its right one."""
    if node < 0:
        return 0.1
    a = walk(left[node], left, right, weight)
    b = walk(right[node], left, right, weight)
    return math.tanh(weight[node] + 0.9 * a - 0.3 * a * b)


def walk_tree(weight, left, right):
    """A recursion as deep as the tree, with a little work on the way back."""
    return walk(0, left, right, weight)


def branching(x, lengths):
    """A `while` whose iterations are inner loops of lengths between one and very many."""
    y = x.copy()
    n = len(y)
    at = 0
    energy = 0.0
    while at < len(lengths) and energy < 1e12:
        for i in range(lengths[at]):
            k = i % n
            y[k] = y[k] + 0.01 * math.sin(y[(k + 1) % n] - 0.5 * y[k])
        energy += y[at % n] * y[at % n]
        at += 1
    return energy / (1 + at)


def grey_scott(u0, v0, feed, steps):
    """Two substances that diffuse and react on a torus of n by n cells."""
    n = u0.shape[0]
    u = u0.copy()
    v = v0.copy()
    for _ in range(steps):
        du = np.empty((n, n))
        dv = np.empty((n, n))
        for i in range(n):
            up = (i - 1) % n
            down = (i + 1) % n
            for j in range(n):
                west = (j - 1) % n
                east = (j + 1) % n
                reaction = u[i, j] * v[i, j] * v[i, j]
                around_u = u[up, j] + u[down, j] + u[i, west] + u[i, east] - 4.0 * u[i, j]
                around_v = v[up, j] + v[down, j] + v[i, west] + v[i, east] - 4.0 * v[i, j]
                du[i, j] = 0.16 * around_u - reaction + feed * (1.0 - u[i, j])
                dv[i, j] = 0.08 * around_v + reaction - (feed + 0.06) * v[i, j]
        u = u + du
        v = v + dv
    return np.sum(v * v)


def slope(x, v, stiffness):
    return v, stiffness * (1.0 - x * x) * v - x


def oscillator(start, stiffness, until, tolerance):
    """Van der Pol's oscillator by Bogacki and Shampine's pair; large errors are redone."""
    x = start[0]
    v = start[1]
    t = 0.0
    h = 0.1
    while t < until:
        h = min(h, until - t)
        k1x, k1v = slope(x, v, stiffness)
        k2x, k2v = slope(x + 0.5 * h * k1x, v + 0.5 * h * k1v, stiffness)
        k3x, k3v = slope(x + 0.75 * h * k2x, v + 0.75 * h * k2v, stiffness)
        nx = x + h * (2.0 * k1x + 3.0 * k2x + 4.0 * k3x) / 9.0
        nv = v + h * (2.0 * k1v + 3.0 * k2v + 4.0 * k3v) / 9.0
        k4x, k4v = slope(nx, nv, stiffness)
        ex = h * (-5.0 * k1x / 72.0 + k2x / 12.0 + k3x / 9.0 - k4x / 8.0)
        ev = h * (-5.0 * k1v / 72.0 + k2v / 12.0 + k3v / 9.0 - k4v / 8.0)
        error = math.sqrt(ex * ex + ev * ev) + 1e-30
        if error <= tolerance:
            t += h
            x = nx
            v = nv
        h = h * min(3.0, max(0.2, 0.9 * (tolerance / error) ** (1.0 / 3.0)))
    return x * x + 0.1 * v


def growing(seed, steps):
    """A history that grows by one number in each step, which depends on all before."""
    history = seed.copy()
    total = 0.0
    for k in range(steps):
        n = len(history)
        mean = np.sum(history * history) / n
        fresh = math.sin(3.0 * mean + 0.01 * k) + 0.5 * history[n - 1]
        history = np.concatenate((history, np.array([fresh])))
        total += fresh * fresh
    return total / steps + history[0]


def layered(x, layers):
    """Residual layers; a tuple has no length at run time, so that their loop is written out."""
    y = x
    for weights, shift in layers:
        y = y + 0.1 * np.tanh(y @ weights + shift)
    return np.sum(y * y)
