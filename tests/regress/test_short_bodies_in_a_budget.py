"""A map whose element has a small array: its bodies were derivatives with schedules of their own.

Each recorded some twenty numbers, in a loop that counts as long by its looks. In 1 MB, which is
more than the whole tape, a gradient took 700 times as long as without a budget, one Python action
after the other for each element.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg


def gathered(x: Any, upstream: Any, steps: Any) -> Any:
    for _ in range(steps):

        def cell(sources: Any) -> Any:
            arriving = np.array([x[s, q] for q, s in enumerate(sources)])
            return arriving + 0.1 * np.sin(arriving)

        x = rg.map(cell, upstream)
    return np.sum(x * x)


@pytest.mark.parametrize("memory", ["250kB", "120kB"])
def test_elements_are_units(memory: str) -> None:
    draw = np.random.default_rng(1)
    args = 0.1 * draw.normal(size=(64, 19)), draw.integers(0, 64, (64, 19)), 10
    whole = rg.grad(gathered)(*args)
    with rg.record() as run:
        found = rg.grad(gathered, memory=memory)(*args)
    np.testing.assert_array_equal(found, whole)
    assert run.inner == 0
