"""A condition that counts was translated with the literal that its counter began with.

`while (i := i + 1) < 5` in a loop with `break` is true at first, whatever runs, which was taken
for a condition that is always true; what it had assigned was lost, and the loop did not end. And
the flag of such a loop's `break` was left over where the loop was in another one, after whose
`continue` the types of the outer loop did not settle.
"""

from __future__ import annotations

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false


def counts(x, n):
    i, s = -1, 0.0
    while (i := i + 1) < 5:
        s += x * i
        if i == n:
            break
    return s


def goes_on(x, n):
    s = 0.0
    while n > 0:
        n -= 1
        k = n
        while (k := k - 1) > 0:
            s += x
            if k == 3:
                break
        if n == 2:
            continue
        s *= 0.5
    return s


def test_the_counter_counts() -> None:
    for n in (2, 9):
        assert rg.jit(counts)(1.5, n) == counts(1.5, n)
        assert rg.grad(counts)(1.5, n) == counts(1.0, n)


def test_a_loop_around_goes_on() -> None:
    assert rg.jit(goes_on)(1.5, 6) == goes_on(1.5, 6)
    assert rg.grad(goes_on)(1.5, 6) == goes_on(1.0, 6)
