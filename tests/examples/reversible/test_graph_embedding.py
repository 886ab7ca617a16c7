"""The Petersen graph needs five dimensions, and there its distances have the ratio √2."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retrograd as rg
from examples.reversible.graph_embedding import (
    BACK,
    EDGES,
    HESSIAN,
    OTHERS,
    SLOPES,
    adam,
    distances,
    main,
    newton,
    ratio,
)


def test_the_graph() -> None:
    assert (len(EDGES), len(OTHERS)) == (15, 30)
    assert np.bincount(EDGES.ravel()).tolist() == [3] * 10
    assert np.bincount(OTHERS.ravel()).tolist() == [6] * 10
    near, x = np.zeros(15), np.random.default_rng(0).normal(size=(10, 3))
    assert rg.check_inverse(distances, near, x, EDGES, atol=1e-14).ok
    assert BACK(x.ravel(), 3, EDGES, OTHERS) == 0.0


def test_the_hessian() -> None:
    x, along = np.random.default_rng(1).normal(size=(2, 50))
    found = HESSIAN(x, 5, EDGES, OTHERS)
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    ends = [SLOPES(x + h * along, 5, EDGES, OTHERS)[1] for h in (-1e-5, 1e-5)]
    np.testing.assert_allclose(found @ along, (ends[1] - ends[0]) / 2e-5, atol=1e-7)


def test_five_dimensions_are_enough() -> None:
    x, losses = newton(np.random.default_rng(6).normal(size=50), 5, 60)
    assert losses[-1] < 1e-20
    assert ratio(x, 5) == pytest.approx(np.sqrt(2.0), abs=1e-9)


def test_four_are_not() -> None:
    starts = np.random.default_rng(7).normal(size=(5, 40))
    assert min(newton(start, 4, 60)[1][-1] for start in starts) > 0.1


def test_adam_takes_more_steps() -> None:
    start = np.random.default_rng(6).normal(size=50)
    assert adam(start, 5, 60)[1][-1] > 1e-3
    assert adam(start, 5, 1500)[1][-1] < 1e-20


def test_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    main(["--quick", "--out", str(tmp_path)])
    assert (tmp_path / "graph_embedding.png").read_bytes().startswith(b"\x89PNG")
