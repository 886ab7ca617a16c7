"""Programs that are timed as interruptible code: a scalar `while`, and recursions."""

from __future__ import annotations

import math

__all__ = ["collatz", "fib", "quadrature"]


def collatz(limit):
    """The most steps that any number below `limit` takes to come to one."""
    most = 0
    for start in range(1, limit):
        n = start
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        most = max(most, steps)
    return most


def fib(n):
    """A recursion that does nothing else."""
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def humps(x):
    return math.sin(30.0 * x) * math.exp(-x) + 1.0 / (0.01 + (x - 0.7) * (x - 0.7))


def refined(left, right, low, middle, high, tolerance):
    """Simpson's rule, halved until it agrees with itself."""
    centre = 0.5 * (left + right)
    below = humps(0.5 * (left + centre))
    above = humps(0.5 * (centre + right))
    coarse = (right - left) * (low + 4.0 * middle + high) / 6.0
    fine = (right - left) * (low + 4.0 * below + 2.0 * middle + 4.0 * above + high) / 12.0
    if abs(fine - coarse) < tolerance:
        return fine
    return refined(left, centre, low, below, middle, 0.5 * tolerance) + refined(
        centre, right, middle, above, high, 0.5 * tolerance
    )


def quadrature(left, right, tolerance, repeats):
    """Adaptive quadrature over shorter and shorter intervals: recursions with work in each call."""
    total = 0.0
    for k in range(repeats):
        a = left + (right - left) * k / (2.0 * repeats)
        middle = humps(0.5 * (a + right))
        total += refined(a, right, humps(a), middle, humps(right), tolerance)
    return total / repeats
