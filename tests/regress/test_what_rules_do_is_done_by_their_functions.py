"""A call whose results nobody needs stays where a derivative rule of its function may raise, and so
does what it is given: the statements that calculate that had been left without their operands, and
code generation ended in a KeyError."""

from __future__ import annotations

import numpy as np
from scipy import optimize

import retrograd as rg


def rests(z):
    return np.array([z[0] - 1.0, 10.0 * (z[1] - z[0] ** 2)])


def test_only_whether_a_fit_succeeded() -> None:
    assert rg.jit(lambda p: optimize.least_squares(rests, p).success)(np.zeros(2))
