"""Pictures of runs: in both formats, small, with what they are about in them."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from retrograd.report.timeline import save_timeline
from retrograd.runtime.schedule.trees import TreePlan, tree_schedule
from tests.report.schedules import recorded

pytest.importorskip("matplotlib")


def swing(x, n):
    for _ in range(n):
        x = x + 0.001 * math.sin(x)
    return x


@pytest.fixture(scope="module")
def ten():
    with rg.record() as run:
        rg.grad(swing, memory="6kB")(0.5, 4000)
    assert 5 < run.leaves < 30
    return run


def test_a_short_run_has_its_leaves_numbered(ten, tmp_path: Path) -> None:
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none"}):
        save_timeline(ten, tmp_path / "run.svg", tmp_path / "run.png")
    text = (tmp_path / "run.svg").read_text()
    assert "swing: 6 kB budget" in text
    for number in range(1, ten.leaves + 1):
        assert text.count(f">{number}</text>") >= 2  # in the diagram and in the tree
    for word in ("Execution diagram", "Checkpoint tree", "Memory", "memory (kB)", "budget: 6 kB"):
        assert word in text
    assert "<image" not in text
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_ten_thousand_leaves_are_a_small_file(tmp_path: Path) -> None:
    run = recorded(tree_schedule(TreePlan(12, None, 0, True)), 10_000)
    assert run.leaves == 10_000
    save_timeline(run, tmp_path / "run.svg", tmp_path / "run.png", clock="steps")
    assert (tmp_path / "run.svg").stat().st_size < 2_000_000
    assert "<image" in (tmp_path / "run.svg").read_text()
    shades = np.unique(pixels(tmp_path / "run.png").reshape(-1, 4), axis=0)
    assert len(shades) > 50


def test_by_steps_the_picture_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with rg.record() as run:
            rg.grad(swing, memory="6kB")(0.5, 4000)
        save_timeline(run, tmp_path / f"{name}.png", clock="steps")
    assert np.array_equal(pixels(tmp_path / "a.png"), pixels(tmp_path / "b.png"))


def test_one_leaf(tmp_path: Path) -> None:
    with rg.record() as run:
        rg.grad(swing, memory="6MB")(0.5, 400)
    save_timeline(run, tmp_path / "run.png")
    assert pixels(tmp_path / "run.png").shape[0] > 500


def test_a_run_that_failed_is_drawn_as_far_as_it_went(tmp_path: Path) -> None:
    def falls(x):
        a = np.zeros(10)
        for k in range(40):
            a[k % 10 if k < 30 else 10] = x * k
        return np.sum(a)

    with rg.record() as run, pytest.raises(IndexError):
        rg.grad(falls, memory="60kB")(1.0)
    assert run.leaves == 0
    save_timeline(run, tmp_path / "run.svg")
    assert (tmp_path / "run.svg").stat().st_size > 1000


@pytest.mark.parametrize("name", ["run.gif", "run", "svg", ".png", ""])
def test_endings_that_are_none(ten, name: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="RG6101: .* cannot be written"):
        save_timeline(ten, tmp_path / "fine.svg", name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", [-1, 1, 7])
def test_calls_that_are_none(ten, call: int) -> None:
    with pytest.raises(UserError, match="RG6101: .* no derivative"):
        save_timeline(ten, "run.svg", call=call)


def test_recordings_that_are_empty() -> None:
    with rg.record() as run:
        rg.grad(swing)(0.5, 10)
    with pytest.raises(UserError, match="RG6101: .* 0 with memory="):
        save_timeline(run, "run.svg")


def test_clocks_that_are_none(ten) -> None:
    with pytest.raises(UserError, match="RG6101: clock='hours'"):
        save_timeline(ten, "run.svg", clock="hours")


def test_without_matplotlib(ten, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UserError, match=r"RG6101: .*\n.*retrograd\[plots\]"):
        save_timeline(ten, "run.svg")


def pixels(path: Path) -> np.ndarray:
    from matplotlib.image import imread

    return imread(path)
