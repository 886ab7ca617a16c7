"""An item of a growing list was taken for arrays of different shapes: the buffer and its length.

A loop of a few literal iterations that looks at the last item was translated one iteration after
the other for that, and compiled many times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import retrograd as rg
from retrograd.report.stages import stage_text


def relaxed(x: Any) -> Any:
    history = {"norm": [], "x": []}
    for k in range(9):
        x = x - 0.1 * np.sin(x)
        history["norm"].append(np.sum(x * x))
        history["x"].append(x.copy())
        if k and abs(history["norm"][-1] - history["norm"][-2]) < 1e-3:
            break
    return history["norm"][-1] + np.sum(history["x"][0])


def test_the_loop_stays_a_loop() -> None:
    x = np.array([0.3, 0.7])
    text = stage_text(rg.jit(relaxed), (x,), "typed")
    assert text.count(" sin(") == 1
    assert rg.jit(relaxed)(x) == relaxed(x)
    rg.check_grads(relaxed, (x,))
