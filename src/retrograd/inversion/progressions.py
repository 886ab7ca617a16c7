"""Arithmetic progressions: whether two of them have a number in common.

Uncompiled and compiled alike; it imports nothing of ours, since the frontend calls it.
"""

from __future__ import annotations

from typing import Any

__all__ = ["common"]


def common(a: Any, n: Any, s: Any, b: Any, m: Any, t: Any) -> Any:
    """Whether a, a + s, .. (n numbers) and b, b + t, .. (m numbers) have one in common."""
    if n <= 0 or m <= 0:
        return False
    if s < 0:
        a, s = a + (n - 1) * s, -s
    if t < 0:
        b, t = b + (m - 1) * t, -t
    low, high = max(a, b), min(a + (n - 1) * s, b + (m - 1) * t)
    if low > high:
        return False
    divisor, rest, factor, other = s, t, 1, 0  # divisor = s * factor modulo t
    while rest != 0:
        times = divisor // rest
        divisor, rest = rest, divisor - times * rest
        factor, other = other, factor - times * other
    if (b - a) % divisor != 0:
        return False
    one = a + ((b - a) // divisor * factor) % (t // divisor) * s
    return low + (one - low) % (s // divisor * t) <= high
