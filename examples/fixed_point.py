"""The derivative of a number that a `while` loop finds.

Newton's method for the square root of a knows nothing of derivatives; its own is 1 / (2 sqrt a).
"""

from __future__ import annotations

import math

import retrograd as rg


def root(a):
    """Newton's method, until two iterates agree."""
    now = a
    change = 1.0
    while change > 1e-14 * now:
        after = 0.5 * (now + a / now)
        change = abs(after - now)
        now = after
    return now


def main() -> None:
    """Prints value and derivative next to what they must be."""
    value, slope = rg.value_and_grad(root)(2.0)
    print(f"root(2)  = {value:.15f}   must be {math.sqrt(2.0):.15f}")
    print(f"root'(2) = {slope:.15f}   must be {0.5 / math.sqrt(2.0):.15f}")
    assert math.isclose(slope, 0.5 / math.sqrt(2.0), rel_tol=1e-14)


if __name__ == "__main__":
    main()
