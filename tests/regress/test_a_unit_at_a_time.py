"""Where a leaf had to be one iteration, and its beginning was looked for by recording one iteration
after another, a gradient did the work of 10,000 runs, and some budgets above that were refused."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from examples.plan_of_a_gradient import spread


@pytest.mark.parametrize("states", [7, 8, 10])
def test_few_states(states: int) -> None:
    args = 0.1, np.sin(np.arange(500.0)), 200
    budget = states * args[1].nbytes
    within, want = rg.grad(spread, memory=budget), rg.grad(spread)(*args)
    for _ in range(2):
        with rg.record() as run:
            assert within(*args) == want
        assert run.peak_bytes <= budget
        assert run.recomputed_steps <= 20 * rg.primops(spread, *args)
