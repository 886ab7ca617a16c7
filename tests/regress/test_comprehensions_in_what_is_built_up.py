"""The test that a local which is built up shares no memory named the variable of a comprehension,
which is not there outside: a NameError under plain Python."""

from __future__ import annotations

import numpy as np

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


@rg.reversible
def added(x, w):
    s = w[1] if sum([a * a for a in w]) > 0.1 else 0.5 * w[1]
    for _ in range(3):
        s += 1.0
    x += s


def test_a_comprehension_in_what_is_built_up() -> None:
    x, w = np.zeros(2), np.array([2.0, 4.0])
    added(x, w)
    assert x.tolist() == [7.0, 7.0]
    rg.inverse(added)(x, w)
    assert x.tolist() == [0.0, 0.0]
