"""Arguments that are parts of each other: in a capsule a whole array was taken for its beginning.

Pointers into inputs are written as input and offset; read beside other copies of the inputs, those
of the longer array went on behind the end of the shorter one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.runtime.arrays import apart
from retrograd.runtime.rotating_files import Generations

N = 300_000


class Cut(BaseException):
    """Ends a run after its file has been written, as a kill would."""


def mixed(y, x, n):
    t = 0.0
    for k in range(n):
        t = 0.5 * t * t / (1.0 + t * t) + x[k % len(x)] * y[k % len(y)]
    return t


def parts(x: np.ndarray) -> list[np.ndarray]:
    return [x[:10], x, x[3:40], x[-5:], x.copy()]


def test_a_capsule_of_overlapping_arrays() -> None:
    x = np.linspace(1.0, 2.0, 20_000)
    for y in parts(x):
        want = rg.jit(mixed)(y, x, N)
        for first, second in ((y, x), (x, y)):
            n = min(len(second), len(x))
            capsule = rg.interrupt(mixed, first, second, n, steps=20)
            assert isinstance(capsule, rg.Capsule) or n < 50
            if isinstance(capsule, rg.Capsule):
                assert rg.resume(capsule) == rg.jit(mixed)(first, second, n)
        assert rg.resume(rg.interrupt(mixed, y, x, N, steps=20)) == want


def test_a_capsule_has_inputs_of_its_own() -> None:
    x = np.linspace(1.0, 2.0, 20_000)
    want = rg.jit(mixed)(x, x, len(x))
    capsule = rg.interrupt(mixed, x, x, len(x), steps=20)
    x[:] = 0.0
    assert rg.resume(capsule) == rg.resume(capsule) == want


def test_a_durable_gradient_of_overlapping_arrays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Generations.write

    def write(self: Generations, *args: Any) -> None:
        written(self, *args)
        raise Cut

    x = np.linspace(1.0, 2.0, 20_000)
    for k, y in enumerate(parts(x)):
        place = rg.durable(tmp_path / f"{k}.rg", every=0.0)
        gradient = rg.grad(mixed, argnums=(0, 1), memory="900kB", resume=place)
        want = rg.grad(mixed, argnums=(0, 1))(y, x, N)
        monkeypatch.setattr(Generations, "write", write)
        with pytest.raises(Cut):
            gradient(y, x, N)
        monkeypatch.setattr(Generations, "write", written)
        found = gradient(y.copy(), x.copy(), N)  # as another process would have them
        for one, other in zip(found, want, strict=True):
            assert one.tobytes() == other.tobytes()


def test_apart() -> None:
    x = np.arange(10.0)
    given = [2.5, x[4:], x, x[:3], x[3:5], np.ones(3), x[2:2], 7]
    found = apart(given)
    arrays = [a for a in found if isinstance(a, np.ndarray)]
    assert not any(
        np.shares_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k] if a.size
    )
    assert [np.asarray(a).tolist() for a in found] == [np.asarray(a).tolist() for a in given]
    assert found[5] is given[5]
    assert found[2] is x
