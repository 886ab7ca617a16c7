"""The gradient of a recursive function: adaptive quadrature that splits where it must.

How deep the recursion goes depends on the data. The derivative of the integral with respect to a
parameter of the integrand goes through every call.
"""

from __future__ import annotations

import math

import retrograd as rg


def bump(x, width):
    """A peak that gets narrow as `width` gets small."""
    return width / (width * width + x * x)


def integral(low, high, width, tolerance):
    """Simpson's rule where two estimates agree, otherwise the two halves."""
    middle = 0.5 * (low + high)
    left = bump(0.5 * (low + middle), width)
    right = bump(0.5 * (middle + high), width)
    ends = bump(low, width) + bump(high, width)
    centre = bump(middle, width)
    coarse = (high - low) / 6.0 * (ends + 4.0 * centre)
    fine = (high - low) / 12.0 * (ends + 4.0 * left + 2.0 * centre + 4.0 * right)
    if abs(fine - coarse) < tolerance:
        return fine + (fine - coarse) / 15.0
    half = 0.5 * tolerance
    return integral(low, middle, width, half) + integral(middle, high, width, half)


def main() -> None:
    """The integral of the bump from -1 to 1 is 2 atan(1 / width)."""
    width = 0.05
    value, slope = rg.value_and_grad(integral, argnums=2)(-1.0, 1.0, width, 1e-9)
    known = 2.0 * math.atan(1.0 / width), -2.0 / (1.0 + width * width)
    print(f"integral       = {value:.10f}   must be {known[0]:.10f}")
    print(f"its derivative = {slope:.10f}   must be {known[1]:.10f}")
    assert math.isclose(value, known[0], rel_tol=1e-8)
    assert math.isclose(slope, known[1], rel_tol=1e-6)


if __name__ == "__main__":
    main()
