"""A reversible function that changes an array in a loop without iterations only hands it back.

Its caller used the argument after the call, which had consumed it, since functions with rules keep
all results.
"""

from __future__ import annotations

import numpy as np

import retrograd as rg
from tests.random.calculus import Interpreted

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false


@rg.reversible
def f(x, d):
    for i in range(1, 1):
        x[i] *= 2.0
    d += 1
    return d


def ends(x, d):
    d = f(x, d)
    return x, d


def test_the_array_is_that_which_the_call_gives_back() -> None:
    found, d = Interpreted().call(ends, (np.ones(3), 5))
    np.testing.assert_array_equal(found, np.ones(3))
    assert d == 6
