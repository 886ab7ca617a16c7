"""After RG4004 the budget that was named was refused with RG4006, since the file of `resume=` was
from a run with other options."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.runtime.schedule.actions import TooSmall
from retrograd.runtime.schedule.budget import BudgetPlanner

X = np.linspace(0.1, 0.9, 400)
STEPS = 3000


def narrowing(x, n):
    """Arrays at its beginning, of which a reverse sweep needs more than the forward one; then a
    number for long."""
    for _ in range(4):
        x = np.sin(x) * np.cos(x + 0.1) + x * np.exp(-x * x)
    y = np.sum(x * x) / len(x)
    for _ in range(n):
        y = y + 0.001 * np.sin(y)
    return y


def refused(path: Path, budget: int) -> str:
    """What is named instead of a budget that is refused after the run has been written."""
    place = rg.durable(path, every=0.0)
    with pytest.raises(rg.UserError, match="RG4004") as caught:
        rg.grad(narrowing, memory=budget, resume=place)(X, STEPS)
    assert path.exists()
    (named,) = re.findall("give it more: (.*) is enough", str(caught.value.way_out))
    return named


def test_what_is_named_goes_on(tmp_path: Path) -> None:
    path, want = tmp_path / "run.rg", rg.grad(narrowing)(X, STEPS).tobytes()
    named = refused(path, 20_000)
    before = path.read_bytes()
    with pytest.raises(rg.UserError, match="RG4006: .* is from a run with other options"):
        rg.grad(narrowing, memory=19_000, resume=path)(X, STEPS)
    assert path.read_bytes() == before
    with rg.record() as run:
        assert rg.grad(narrowing, memory=named, resume=path)(X, STEPS).tobytes() == want
    with rg.record() as whole:
        rg.grad(narrowing, memory=named)(X, STEPS)
    assert run.steps < whole.steps / 10
    assert list(tmp_path.iterdir()) == []


def test_no_limit_goes_on(tmp_path: Path) -> None:
    path, want = tmp_path / "run.rg", rg.grad(narrowing)(X, STEPS).tobytes()
    refused(path, 20_000)
    assert rg.grad(narrowing, resume=path)(X, STEPS).tobytes() == want


def test_where_what_was_done_does_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has been done in less memory is in the way: the run begins from its start."""
    path, want = tmp_path / "run.rg", rg.grad(narrowing)(X, STEPS).tobytes()
    named = refused(path, 20_000)
    read = BudgetPlanner.read

    class Unlucky(BudgetPlanner):
        def schedule(self) -> Any:
            raise TooSmall

    def unlucky(given: dict[str, Any]) -> BudgetPlanner:
        planner = read(given)
        return Unlucky(**{one.name: getattr(planner, one.name) for one in fields(planner)})

    monkeypatch.setattr(BudgetPlanner, "read", unlucky)
    assert rg.grad(narrowing, memory=named, resume=path)(X, STEPS).tobytes() == want
    assert list(tmp_path.iterdir()) == []
