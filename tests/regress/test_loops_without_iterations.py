"""The interpreter looked for the block of a loop that had no iterations, and took another one's."""

from __future__ import annotations

import numpy as np
import pytest

from tests.random.calculus import Calculus, Interpreted, Native


def largest(x, n):
    top = -9.0
    for i in range(1, n):
        if x[i] > 2.4:
            raise ValueError("large")
        top = max(top, x[i - 3] * x[i - 3] + x[i - 1])
    return top


@pytest.mark.parametrize("n", [3, 4, 7])
def test_a_loop_that_is_divided_and_has_no_middle(n: int) -> None:
    x = np.array([0.4, -1.3, 0.2, 1.1, -0.6, 0.9, 0.1])[:n]
    calculi: tuple[Calculus, ...] = (Native(), Interpreted())
    bars = [calculus.vjp(largest, (x, n))[1](1.0)[0] for calculus in calculi]
    assert bars[0].tobytes() == bars[1].tobytes()
    eps = 1e-6 * np.eye(n)
    steps = [(largest(x + e, n) - largest(x - e, n)) / 2e-6 for e in eps]
    assert np.allclose(bars[0], steps, atol=1e-8)
