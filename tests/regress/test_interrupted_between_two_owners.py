"""Ctrl-C while frames were handed from one sweep to the other freed them twice."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import retrograd as rg

HOME = str(Path(rg.__file__).parent)
Place = tuple[str, str]


class Calls:
    """A trace function that counts calls of retrograd's functions by who calls whom.

    At the call `at` of a `place` it does what Ctrl-C would.
    """

    def __init__(self, place: Place = ("", ""), at: int = 0) -> None:
        self.seen = Counter[Place]()
        self.place, self.at = place, at

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        if not frame.f_code.co_filename.startswith(HOME) or frame.f_back is None:
            return
        place = frame.f_back.f_code.co_qualname, frame.f_code.co_qualname
        self.seen[place] += 1
        if place == self.place and self.seen[place] == self.at:
            sys.settrace(None)
            raise KeyboardInterrupt


def traced(calls: Calls, call: Callable[[], Any]) -> None:
    before = sys.gettrace()
    sys.settrace(calls)
    try:
        call()
    finally:
        sys.settrace(before)


def flat(x, n):
    y = x * 1.0
    for _ in range(n):
        y = y + 0.001 * np.sin(y * x)
    return np.sum(y * y)


def rows(x, n):
    for _ in range(n):
        for _ in range(100):
            x = x + 0.001 * np.sin(x)
    return np.sum(x * x)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.parametrize(
    ("f", "n", "memory", "durable"),
    [
        (flat, 300, 3000, False),
        (rows, 2, 6000, False),
        pytest.param(rows, 2, 6000, True, marks=pytest.mark.slow),
    ],
)
def test_wherever_it_comes(
    f: Callable[..., Any], n: int, memory: int, durable: bool, tmp_path: Path
) -> None:
    """The next call is as if nothing had been."""
    x = np.linspace(0.1, 0.9, 5)
    want = rg.grad(f)(x, n).tobytes()
    place = rg.durable(tmp_path / "run.rg", every=0.0) if durable else None
    limited = rg.grad(f, memory=memory, resume=place)
    limited(x, n)
    whole = Calls()
    traced(whole, lambda: limited(x, n))
    stopped = 0
    assert ("TurnTaking.reverse", "TurnTaking._take_mirror") in whole.seen
    for place_, count in whole.seen.items():
        for at in sorted({1, count}):
            try:
                traced(Calls(place_, at), lambda: limited(x, n))
            except KeyboardInterrupt:
                stopped += 1
            assert limited(x, n).tobytes() == want
    assert stopped > len(whole.seen)
    assert list(tmp_path.iterdir()) == []
