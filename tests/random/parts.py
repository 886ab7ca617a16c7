"""Straight-line code in very short parts: what random programs are too short for on their own."""

from __future__ import annotations

import os

import pytest

from retrograd.backends.llvm import functions, returns
from retrograd.transforms import parts, straight

__all__ = ["short_lines", "short_parts"]


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


def _forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was compiled before must not be found again."""
    monkeypatch.setenv("RETROGRAD_CACHE", os.devnull)
