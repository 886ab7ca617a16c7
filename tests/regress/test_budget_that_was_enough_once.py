"""A budget that was enough for the first call was not for the second, which expected a run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import retrograd as rg
from retrograd.api.checkpoint.checkpointed import Budgeted


def flow(x, n):
    for _ in range(n):
        x = x + 0.01 * np.sin(x) * np.sum(x)
    return np.sum(x)


def test_without_what_was_learnt() -> None:
    x = np.linspace(-1.0, 1.0, 30)
    want = rg.grad(flow)(x, 300)
    limited = rg.grad(flow, memory="20kB")
    limited(x, 300)
    ((_, runner),) = limited.made.values()
    assert isinstance(runner, Budgeted)
    assert runner.before is not None
    runner.before = replace(runner.before, live=10**9)
    for _ in range(2):
        np.testing.assert_array_equal(limited(x, 300), want)
        assert runner.before is not None
        assert runner.before.live < 20_000  # another run, so all is learnt anew
