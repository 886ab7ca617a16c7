"""`rg.inverse_pair` of functions that return nothing made numbers nan: None was put in arrays.

They change their arguments in place, and the pair asks for new values.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


def doubled(a):
    a *= 2.0


def halved(a):
    a *= 0.5
    return


def nested(a):
    def inner(b):
        return b

    inner(a)


def by_branches(a):
    if a > 0.0:
        return math.sqrt(a)
    else:
        return a


def squared(a):
    if a > 0.0:
        return a * a
    return a


def test_they_are_refused() -> None:
    for one, other in ((doubled, halved), (nested, nested), (lambda a: 2.0 * a, halved)):
        with pytest.raises(rg.UserError, match="each returns the first of them anew"):
            rg.inverse_pair(one, other)


def test_a_return_in_a_branch_is_one() -> None:
    pair = rg.inverse_pair(by_branches, squared)
    assert pair(4.0) == rg.jit(pair)(4.0) == 2.0
    assert rg.inverse(pair)(2.0) == 4.0
    assert np.isclose(rg.grad(lambda a: pair(a))(4.0), 0.25)
