"""Arrays and tape could each take all the memory that there is: together that was twice as much."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.runtime.context import Memory

PART = 4_000_000


def filled(x, n):
    a = np.cos(np.arange(n) * x)
    for k in range(n):
        x = x - 0.001 * x * a[k]
    return x


def test_they_share_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = rg.grad(filled)
    gradient(0.5, PART // 8)
    stats = gradient.stats()
    assert stats is not None
    assert stats.tape_bytes == PART
    both = stats.peak_bytes + stats.tape_bytes
    for available, fits in ((both + PART // 2, True), (both - PART // 2, False)):
        monkeypatch.setattr(Memory, "available", lambda self, n=available: n)
        if fits:
            gradient(0.5, PART // 8)
            continue
        with pytest.raises(MemoryError) as caught:
            gradient(0.5, PART // 8)
        assert any("memory=" in note for note in caught.value.__notes__)
