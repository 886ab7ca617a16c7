"""The last part of the demo: gradients of longer and longer runs, their bytes and their picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from benchmarks import adapter, equinox_rival
from benchmarks.equinox_rival import EquinoxRival
from benchmarks.problems.fig8 import fig8, inner_iterations
from benchmarks.problems.fig8_oracle import STRIDE
from examples.demo import space_time
from examples.demo.space_time import BUDGETS, RIVAL, WHOLE, Sample

LENGTHS = (5, 100)


@pytest.fixture(scope="module")
def found() -> list[Sample]:
    return [s for s in space_time.samples(LENGTHS) if s.way != RIVAL]


def test_every_budget_is_kept_and_the_whole_tape_grows(found: list[Sample]) -> None:
    assert [(s.way, s.steps) for s in found] == [
        (way, steps) for steps in LENGTHS for way in (WHOLE, *BUDGETS)
    ]
    assert all(s.right and s.seconds is not None for s in found)
    whole = [s.peak_bytes for s in found if s.way == WHOLE]
    assert whole[0] is not None
    assert whole[1] is not None
    assert whole[1] > 10 * whole[0]
    small = next(s for s in found if s.way == "1 MB" and s.steps == LENGTHS[1])
    assert small.peak_bytes is not None
    assert small.peak_bytes <= 10**6 < whole[1]


def test_a_tape_that_is_too_large_is_left_out_with_a_reason() -> None:
    kept = [s for s in space_time.samples((5,), share=1 << 60) if s.way != RIVAL]
    whole = next(s for s in kept if s.way == WHOLE)
    assert whole.seconds is None
    assert "kB" in whole.note
    assert all(s.right and s.seconds is not None for s in kept if s.way != WHOLE)
    assert whole.note in text_of(kept)


def test_another_gradient_is_called_wrong(found: list[Sample]) -> None:
    assert "wrong" not in text_of(found)
    assert "wrong" in text_of([replace(found[1], right=False)])


def text_of(found: list[Sample]) -> str:
    console = Console(record=True, width=120)
    console.print(space_time.table(found))
    return console.export_text()


def test_picture(found: list[Sample], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from examples.demo import space_time_picture

    target = tmp_path / "out" / "picture.png"
    left_out = Sample(WHOLE, 1000, inner_iterations(1000), note="left out")
    space_time_picture.draw(target, [*found, left_out])
    assert target.read_bytes().startswith(b"\x89PNG")
    units = space_time_picture.BYTES
    assert space_time_picture.with_unit(2e7, units) == "20 MB"
    assert space_time_picture.with_unit(1e12, units) == "1000 GB"


@pytest.mark.skipif(not equinox_rival.available(), reason="JAX and Equinox are not installed")
@pytest.mark.filterwarnings("default")
def test_the_rival_has_the_same_gradient_in_less_space() -> None:
    x = np.arange(10, 0, -1, dtype=np.float64)
    few, many = (EquinoxRival.of(x, 30, checkpoints) for checkpoints in (5, 90))
    (expected,) = adapter.gradient(fig8, (0,))(x, 30, STRIDE)[1]
    np.testing.assert_allclose(few.run(), expected, rtol=1e-9)
    assert few.temp_bytes < many.temp_bytes
