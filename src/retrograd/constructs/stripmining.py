"""Loops that are divided into loops inside each other, for their reverse sweep."""

from __future__ import annotations

from retrograd.tracebacks import library_program

__all__ = ["stripmine"]


@library_program
def stripmine(numbers: range, levels: int = 2) -> range:
    """The same numbers, for a `for` that is to be run as `levels` loops inside each other.

    The reverse sweep of n iterations then records n**(1/levels) states at each level, instead of n,
    and runs an iteration at most `levels` times before it goes back: 3 x 100 states and three runs
    instead of 1,000,000 states with `levels=3`. It divides one loop by its count; `memory=` divides
    whole runs, wherever they are, and takes the number of bytes.

    Args:
        numbers: a range.
        levels: how many loops, an int that is known when the program is compiled; 1 to 8.

    Returns:
        The range.

    Raises:
        ValueError: other levels.

    Source: Schenck et al. 2022, section 6.2; Griewank 1992, "Achieving logarithmic growth".

    >>> import retrograd as rg
    >>> def decay(x):
    ...     for step in rg.stripmine(range(10_000)):
    ...         x = x - 1e-4 * x * x
    ...     return x
    >>> slope = rg.grad(decay)
    >>> round(slope(1.0), 6), slope.stats().tape_bytes < 10_000
    (0.250013, True)
    """
    if not 1 <= levels <= 8:
        raise ValueError("levels are 1 to 8")
    return numbers
