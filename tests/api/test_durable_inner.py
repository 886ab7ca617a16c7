"""Durable gradients of programs in which inner derivatives take the time (decisions/0020)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from retrograd.runtime.rotating_files import Generations
from retrograd.runtime.write_ahead_log import Journal
from tests.api.conftest import Cut
from tests.api.test_memory import bits

pytestmark = pytest.mark.thinned(3)


def rows(x, n, m):
    """Bodies of a few kB, which are no units in less than that; the last ones are longer."""
    a = np.outer(x, x)
    for k in range(n):
        for j in range(m if k < n - 5 else 10 * m):
            a[j % 3] = a[j % 3] + 0.001 * np.sin(a[j % 3] + a[(j + 1) % 3])
        a = a * 0.9
    return np.sum(a)


def days(x, w, n, m):
    """Three loops deep: bodies in bodies that have schedules of their own."""
    y = np.ones(3)
    for _ in range(2):
        for _ in range(n):
            for _ in range(m):
                y = y + 0.001 * np.sin(y * x)
            y = y * w
    return np.sum(y * y)


CAPPED = rg.grad(days, memory="6kB")


def fitted(x, w, n, m):
    """Inner derivatives of the user's own in the forward sweep, and what is asked for there."""
    for _ in range(3):
        x = x - 0.01 * CAPPED(x, w, n, m)
    return np.sum(x * x)


@pytest.mark.parametrize(
    ("f", "memory", "asked"),
    [(rows, "6kB", 3), (days, "6kB", 4), pytest.param(fitted, "30kB", 6, marks=pytest.mark.slow)],
)
def test_stopped_within_inner_derivatives(
    f: Callable[..., Any], memory: str, asked: int, tmp_path: Path,
    cutting: Callable[[int], list[int]],
) -> None:  # fmt: skip
    """What the ones before have given is there, and the one that was under way goes on."""
    x = np.array([0.5, -0.25, 1.0])
    args = (x, 3, 120) if f is rows else (x, 0.9, 2, 150)
    want = bits(rg.grad(f)(*args))
    limited = rg.grad(f, memory=memory, resume=rg.durable(tmp_path / "run.rg", every=0.0))
    done = cutting(-1)
    with rg.record() as run:
        assert bits(limited(*args)) == want
    total = done[0]
    assert run.inner >= asked
    assert total > 5 * asked
    for count in sorted({1, total, *range(1, total, total // 4)}):
        cutting(count)
        with pytest.raises(Cut):
            limited(*args)
        done = cutting(-1)
        assert bits(limited(*args)) == want
        assert done[0] <= total - count + 8
        assert list(tmp_path.iterdir()) == []


def test_answers_of_another_run_are_none(
    tmp_path: Path, cutting: Callable[[int], list[int]]
) -> None:
    """Whoever deletes the file alone, and begins another run there, gets that run's result."""
    x = np.array([0.5, -0.25, 1.0])
    limited = rg.grad(rows, memory="6kB", resume=rg.durable(tmp_path / "run.rg", every=0.0))
    done = cutting(-1)
    limited(x, 3, 120)
    cutting(3 * done[0] // 4)
    with pytest.raises(Cut):
        limited(x, 3, 120)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"run.rg", "run.rg.answers", "run.rg.inner"} <= names
    cutting(-1)
    (tmp_path / "run.rg").unlink()
    (tmp_path / "run.rg.1").unlink(missing_ok=True)
    assert bits(limited(2.0 * x, 3, 120)) == bits(rg.grad(rows)(2.0 * x, 3, 120))
    assert list(tmp_path.iterdir()) == []


def test_bodies_that_were_too_large(tmp_path: Path, cutting: Callable[[int], list[int]]) -> None:
    """The file is that of the sweeps that were tried last; others are not tried again."""
    x = np.array([0.5, -0.25, 1.0])
    want = bits(rg.grad(rows)(x, 300, 20))
    limited = rg.grad(rows, memory="9kB", resume=rg.durable(tmp_path / "run.rg", every=0.0))
    done = cutting(-1)
    assert bits(limited(x, 300, 20)) == want
    total = done[0]
    for count in sorted({1, total, *range(1, total, total // 4)}):
        cutting(count)
        with pytest.raises(Cut):
            limited(x, 300, 20)
        done = cutting(-1)
        assert bits(limited(x, 300, 20)) == want
        assert done[0] <= total - count + 8
    assert list(tmp_path.iterdir()) == []


def test_killed_between_an_inner_derivative_and_its_answer(
    tmp_path: Path, cutting: Callable[[int], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is as far as it was written last, which was near its end."""
    args = (np.array([0.5, -0.25, 1.0]), 3, 120)
    limited = rg.grad(rows, memory="6kB", resume=rg.durable(tmp_path / "run.rg", every=0.0))
    done = cutting(-1)
    want = bits(limited(*args))
    total = done[0]
    done = cutting(-1)

    def killed(*_: Any) -> None:
        raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "keep", killed)
        with pytest.raises(Cut):
            limited(*args)
    before, done = done[0], cutting(-1)
    assert before > 5
    assert bits(limited(*args)) == want
    assert done[0] <= total - before + 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", [".answers", ".inner"])
def test_files_of_somebody_else(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"run.rg{ending}"
    path.write_text("somebody else needs this")
    limited = rg.grad(rows, memory="6kB", resume=rg.durable(tmp_path / "run.rg", every=0.0))
    with pytest.raises(UserError, match=f"RG4006: .*run.rg{ending} is no file of a derivative"):
        limited(np.array([0.5, -0.25, 1.0]), 3, 120)
    assert path.read_text() == "somebody else needs this"


def test_a_folder_where_answers_would_be(tmp_path: Path) -> None:
    (tmp_path / "run.rg.answers").mkdir()
    limited = rg.grad(rows, memory="6kB", resume=rg.durable(tmp_path / "run.rg", every=0.0))
    with pytest.raises(UserError, match="RG4007: .*run.rg.answers cannot be used"):
        limited(np.array([0.5, -0.25, 1.0]), 3, 120)


def test_answers_of_other_types_are_none(
    tmp_path: Path, cutting: Callable[[int], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody has written them with care; they do not reach native code."""
    args = (np.array([0.5, -0.25, 1.0]), 3, 120)
    want = bits(rg.grad(rows)(*args))
    limited = rg.grad(rows, memory="6kB", resume=rg.durable(tmp_path / "run.rg", every=0.0))
    done = cutting(-1)
    limited(*args)
    cutting(3 * done[0] // 4)
    keep = Journal.keep

    def tampered(self: Journal, key: bytes, values: Sequence[Any]) -> None:
        keep(self, key, [np.zeros(1, np.int64) for _ in values])

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "keep", tampered)
        with pytest.raises(Cut):
            limited(*args)
    assert (tmp_path / "run.rg.answers").exists()
    cutting(-1)
    assert bits(limited(*args)) == want


def test_files_that_cannot_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gradient is there, and that is said."""
    args = (np.array([0.5, -0.25, 1.0]), 3, 120)
    limited = rg.grad(rows, memory="6kB", resume=rg.durable(tmp_path / "run.rg", every=0.0))

    def fixed(self: Generations) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Generations, "remove", fixed)
    with pytest.warns(RuntimeWarning, match="run.rg could not be removed: .*Permission denied"):
        found = limited(*args)
    assert bits(found) == bits(rg.grad(rows)(*args))
