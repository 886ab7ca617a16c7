"""A loop that counts puts values on the tape one by one. A reverse sweep that decides what is
counted expected a block of them: the process crashed, by what was in memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import numpy as np
import retrograd as rg


def f(x):
    u = x[1:5]
    for _ in range(1):
        for i in range(2):
            s = 0.9
            for j in range(2):
                s += u[j] * u[i]
            u[i] = 0.2 * s
        break
    v = np.zeros(len(x))
    t = 0.25 * (v @ x[:5] + 1.0)
    y = np.sum(x) - np.sum(u) - 0.5 * np.sum(v) + u @ u
    return y + t / (1.0 + x[-3] * x[-3])


x = np.array([-0.52986899, 1.47413105, 0.58922674])
least = rg.value_and_grad(rg.checkpoint(f))
value, slopes = least(x)
stats = least.stats()
for spare in (100, 500, 2100, 24):
    room = rg.checkpoint_policies.budget(stats.peak_bytes + stats.tape_bytes + spare)
    within = rg.value_and_grad(rg.checkpoint(f, policy=room))
    for _ in range(2):
        found = within(x)
        assert found[0] == value
        assert found[1].tobytes() == slopes.tobytes()
"""


def test_a_reverse_sweep_that_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "counted.py"
    path.write_text(PROGRAM)
    ran = subprocess.run([sys.executable, str(path)], check=False, timeout=300)
    assert ran.returncode == 0
