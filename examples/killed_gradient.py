"""A gradient whose process is killed, and that another process continues: the same bits.

`resume=` writes what is done so far into a file, every few seconds (here as often as can be). The
call that finds the file there goes on from it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import retrograd as rg


def settled(rates, n):
    """A chain of reactions, integrated in small steps."""
    x = np.ones(40)
    for _ in range(n):
        flow = np.zeros(40)
        for i in range(1, 40):
            flow[i] = rates[0] * x[i - 1] - rates[1] * x[i] * x[i]
        x = x + 0.001 * flow
    return np.sum(x)


ARGS = np.array([0.7, 0.4]), 40_000


def gradient(path: Path) -> np.ndarray:
    """In 300 kB, with a file to continue from."""
    place = rg.durable(path, every=0.0)
    return rg.grad(settled, memory="300kB", resume=place)(*ARGS)


def main() -> None:
    """Begins the gradient in another process, kills that, and continues here."""
    want = rg.grad(settled)(*ARGS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.rg"
        process = subprocess.Popen([sys.executable, "-m", "examples.killed_gradient", str(path)])
        while not path.exists() and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        process.wait()
        assert path.exists()
        print(f"killed; {path.stat().st_size:,} bytes are in {path.name}")
        with rg.record() as run:
            found = gradient(path)
        assert np.isfinite(want).all()
        same = np.array_equal(found, want)
        print(f"continued with {run.leaves} leaves; same bits: {'yes' if same else 'no'}")
        assert same


if __name__ == "__main__":
    if len(sys.argv) > 1:
        gradient(Path(sys.argv[1]))
    else:
        main()
