"""An extent of -1 that functions of the program hand on to `reshape`."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree, slopes_of, traced

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false


def flat(x, n=-1):
    return x.reshape(n)


def shaped(x, shape):
    return np.reshape(x, shape)


def spread(x, *shape):
    return handed_on(x, shape, scale=-1)


def handed_on(x, shape, scale):
    return scale * shaped(x, shape)


def column(x, rows=-1, columns=1):
    if rows > 2:
        return column(x, rows - 1, columns)
    return x.reshape(rows, columns)


def by_functions(x):
    def inner(v, shape=(-1,)):
        return v.reshape(shape)

    lists = shaped(x, (-1, 2))[:, 0] + shaped(x, [2, -1])[1] + spread(x, 3, -1)[:, 1]
    picked = flat(shaped(x, (2, 3)))[2:5] * inner(x)[1] + flat(x, len(x))[3:]
    return np.sum(lists * picked) + column(x)[3, 0] * np.sum(column(x, columns=3)[0])


def twice(x, n):
    return flat(x, n)[0] + flat(x, -1)[1] + flat(x, 2 * n // 2)[2]


def endless(x, n, depth):
    y = x.reshape(n)
    return endless(y, -1, depth - 1) if depth > 0 else y


def by_recursion(x, depth):
    return np.sum(endless(x, 6, depth)[2:])


def chosen(x):
    return flat(x, -1 if x[0] > 0.0 else len(x))


X = np.array([0.3, 0.7, 0.2, 0.9, 1.2, 0.4])


def test_as_in_numpy():
    agree(by_functions, X)
    slopes_of(by_functions, X)


def test_an_extent_that_is_also_a_number():
    """The function is there twice: with the number, and with -1."""
    agree(twice, X, 6)
    agree(by_recursion, X, 3)
    assert rg.jit(lambda x, shape: shaped(x, shape), static_argnums=1)(X, (-1, 3)).shape == (2, 3)


def test_of_the_run_it_is_no_extent():
    """Whether it is -1 is not asked: NumPy's error for negative extents."""
    with pytest.raises(ValueError, match="negative dimensions"):
        rg.jit(flat)(X, -1)
    with pytest.raises(ValueError, match="negative dimensions"):
        rg.jit(chosen)(X)


def unknown(x, n):
    return x.reshape(n[0])


def test_what_is_no_extent_is_refused():
    with pytest.raises(UserError) as caught:
        traced(unknown, X, (0.5,))
    assert caught.value.span is not None
