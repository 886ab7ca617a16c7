"""A long simulation that is stopped now and then, kept on disk, and gone on with: the same bits.

The function knows nothing of it. It is an ordinary loop, with a loop inside whose length depends on
the data, and may be stopped at any iteration of either.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import retrograd as rg


def sandpile(height, grains, seed):
    """Drops grains on a line of piles; a pile that is too steep topples until it is not."""
    n, moved, state = len(height), 0, seed
    for _ in range(grains):
        state = (1103515245 * state + 12345) % 2147483648
        i = state % n
        height[i] += 1.0
        while height[i] - height[(i + 1) % n] > 2.0:
            height[i] -= 1.0
            height[(i + 1) % n] += 1.0
            i = (i + 1) % n
            moved += 1
    return height, moved


def main() -> None:
    """Prints where the run was stopped, and that it made no difference."""
    args = np.zeros(40), 30_000, 7
    want, moved = rg.jit(sandpile)(args[0].copy(), *args[1:])
    length = rg.primops(sandpile, *args)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.rg"
        capsule = rg.interrupt(sandpile, *args, steps=length // 4)
        while isinstance(capsule, rg.Capsule):
            capsule.save(path)
            print(f"stopped after {capsule.steps} of {length} steps: {path.stat().st_size} bytes")
            capsule = rg.resume(rg.Capsule.load(path, sandpile, *args), steps=length // 4)
    found, again = capsule
    print(f"{again} grains toppled; the same bits as in one run: {np.array_equal(found, want)}")
    assert again == moved
    assert np.array_equal(found, want)


if __name__ == "__main__":
    main()
