"""Straight-line code in very short parts: what random programs are too short for on their own."""

from __future__ import annotations

import os

import pytest

from retrograd.transforms import straight

__all__ = ["short_parts"]


def short_parts(monkeypatch: pytest.MonkeyPatch, statements: int = 3) -> None:
    """Until the end of the test, a run can stop wherever so many scalars have been calculated."""
    # What was compiled without this must not be found again.
    monkeypatch.setenv("RETROGRAD_CACHE", os.devnull)
    monkeypatch.setattr(straight, "PART", statements)
    monkeypatch.setattr(straight, "LONG", statements)
