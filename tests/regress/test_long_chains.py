"""What has to be repeated for what is repeated, a thousand times over, was found by recursion."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.random.calculus import Interpreted
from tests.random.programs.module import load

STATEMENTS = 1100


def test_a_thousand_array_statements(tmp_path: Path) -> None:
    lines = ["import numpy as np", "def f(x):", "    y = x.copy()"]
    lines += [f"    y = np.sin(y) * x + {0.001 * k:.3f}" for k in range(STATEMENTS)]
    f = load("\n".join([*lines, "    return np.sum(y)"]), tmp_path).f
    x = np.array([0.1, 0.4, 0.8])
    x_bar = Interpreted().vjp(f, (x,))[1](1.0)[0]
    steps = [(f(x + e) - f(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    assert np.allclose(x_bar, steps, rtol=1e-6)
