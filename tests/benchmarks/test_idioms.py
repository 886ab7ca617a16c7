"""Whole-array idioms: all figures there, each with a bar, and wrong numbers refused."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import idioms as part
from benchmarks.figures import Bounds
from benchmarks.idioms import IDIOMS, Idiom, idioms
from benchmarks.jax_rival import available
from benchmarks.validate import WrongGradient

KINDS = ("idiom_over_numpy", "idiom_over_jax") if available() else ("idiom_over_numpy",)


def figures_of(monkeypatch: pytest.MonkeyPatch, *chosen: Idiom) -> list[tuple[str, str]]:
    monkeypatch.setattr(part, "IDIOMS", chosen)
    found = list(idioms(Bounds.load(), True))
    assert all(f.value is not None and f.value > 0 and f.bar is not None for f in found)
    return [(f.kind, f.subject) for f in found]


def test_figures_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    (idiom,) = (i for i in IDIOMS if i.name == "unit_rows")
    assert figures_of(monkeypatch, idiom) == [(kind, "unit_rows") for kind in KINDS]


@pytest.mark.slow
def test_figures_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [(kind, i.name) for i in IDIOMS for kind in KINDS]
    assert figures_of(monkeypatch, *IDIOMS) == expected


def test_a_wrong_gradient_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(f, argnums):
        return lambda *arguments: (f(*arguments), [np.ones_like(arguments[k]) for k in argnums])

    monkeypatch.setattr(part.adapter, "gradient", wrong)
    with pytest.raises(WrongGradient, match="slope"):
        figures_of(monkeypatch, IDIOMS[0])


def test_a_wrong_value_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def off(f):
        return lambda *arguments: f(*arguments) + 1e-3

    monkeypatch.setattr(part.adapter, "primal", off)
    with pytest.raises(WrongGradient, match="off"):
        figures_of(monkeypatch, IDIOMS[0])
