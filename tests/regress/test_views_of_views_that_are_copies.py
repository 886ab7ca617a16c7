"""A write to a transposed `x.reshape(..)` left x as it was, and the program gave another value."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def by_a_transpose(x):
    m = x.reshape(2, 2).T
    m[0, 1] = 7.0
    return x[2]


def the_other_way(x):
    m = x.reshape(2, 2).T
    x[2] = 7.0
    return m[0, 1]


def _transposed(m):
    return m.T


def by_a_function(x):
    m = _transposed(x.reshape(2, 2))
    m[0, 1] = 7.0
    return x[2]


def in_place(x):
    m = x.reshape(2, 2).T
    m.fill(2.0)
    return x[0]


def reshaped_again(x):
    m = np.outer(x, x)
    part = m.reshape(2, 8)[0].reshape(2, 4)
    part[0, 1] = 7.0
    return m[0, 1]


PROGRAMS = [by_a_transpose, the_other_way, by_a_function, in_place, reshaped_again]


@pytest.mark.parametrize("f", PROGRAMS)
def test_reading_it_is_refused(f) -> None:
    with pytest.raises(UserError, match="RG0106"):
        rg.jit(f)(np.arange(4.0))
