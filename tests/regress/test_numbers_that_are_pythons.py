"""`isinstance(2.0, np.floating)` was true: a number of Python's counted as one of NumPy's, too."""

from __future__ import annotations

import numpy as np

import retrograd as rg


def asked(x):
    total = 1.0 if isinstance(2.0, np.floating) else 2.0
    total += 10.0 if isinstance(len(x), np.integer) else 20.0
    total += 100.0 if isinstance(np.argmax(x), int) else 200.0
    total += 1000.0 if isinstance(x[0], float) else 2000.0
    return total * x[0]


def test_answers_are_pythons() -> None:
    x = np.array([1.0, 2.0])
    assert rg.jit(asked)(x) == asked(x)
    assert rg.grad(asked)(x)[0] == 1222.0
