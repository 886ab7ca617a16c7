"""Runs that are stopped after their file has been written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from retrograd.runtime.rotating_files import Generations

__all__ = ["Cut", "cutting"]


class Cut(BaseException):
    """Stops a run after its file has been written."""


@pytest.fixture
def cutting(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[int]]:
    """A function that has the run stopped after so many writings; how many there were so far.

    Leaves end where memory does, not when they have taken long: so there are always as many.
    """
    written = Generations.write
    monkeypatch.setattr("retrograd.api.checkpoint.sweeping.leaf_seconds", lambda way: None)

    def after(count: int) -> list[int]:
        done = [0]

        def write(self: Generations, *args: Any) -> None:
            written(self, *args)
            done[0] += 1
            if done[0] == count:
                raise Cut

        monkeypatch.setattr(Generations, "write", write)
        return done

    return after
