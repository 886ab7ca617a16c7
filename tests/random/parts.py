"""Very short parts, and bodies that count as long: random programs are too short on their own."""

from __future__ import annotations

import os

import pytest

from retrograd.backends.llvm import functions, returns
from retrograd.transforms import again, parts, straight

__all__ = ["all_bodies_apart", "short_lines", "short_parts"]


def short_parts(monkeypatch: pytest.MonkeyPatch, statements: int = 3) -> None:
    """Until the end of the test, a run can stop wherever so many scalars have been calculated."""
    _forgets(monkeypatch)
    monkeypatch.setattr(straight, "PART", statements)
    monkeypatch.setattr(straight, "LONG", statements)


def short_lines(monkeypatch: pytest.MonkeyPatch, statements: int = 2) -> None:
    """Until the end of the test, so many statements on arrays are a function of their own.

    Few results and arguments are as many, too: those have a way of their own in native code.
    """
    _forgets(monkeypatch)
    for name in ("LEAST", "LONG", "IN_LOOPS"):
        monkeypatch.setattr(parts, name, statements)
    monkeypatch.setattr(parts, "MOST", 2 * statements)
    monkeypatch.setattr(returns, "_MANY", statements)
    monkeypatch.setattr(functions, "_MANY", 2 * statements)


def all_bodies_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the end of the test, each loop body that is run again is an inner derivative."""
    _forgets(monkeypatch)
    monkeypatch.setattr(again, "LONG", 0.0)


def _forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was compiled before must not be found again."""
    monkeypatch.setenv("RETROGRAD_CACHE", os.devnull)
