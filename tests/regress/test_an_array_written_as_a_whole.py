"""A loop whose elements are run again writes an array as a whole, at no index.

Whether both sweeps may be one loop was asked of the index that it is written at, which raised an
IndexError of the compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import retrograd as rg


def entry(p: Any, q: Any) -> Any:
    for _ in range(3):
        p[:] = np.ones((1, 3)) @ np.ones(3) * q[1]
        for k in range(2):
            q[k] = 0.45
    return np.sum(p)


def test_the_last_write_counts() -> None:
    p_bar, q_bar = rg.grad(entry, (0, 1))(np.ones(1), np.ones(2))
    assert p_bar.tolist() == [0.0]
    assert q_bar.tolist() == [0.0, 0.0]
