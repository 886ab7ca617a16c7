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


def in_two_ints(x, n, m):
    halves = x.reshape(n, m)
    return np.sum(halves[:, 0] ** 2) + np.sum(x.reshape(m, n, order="F")[0]) * len(halves)


def half(x):
    k = x.shape[0] // 2
    return np.sum(x.reshape(k, -1)[:, 0] ** 2) * np.sum(x.reshape((-1, k))[0])


def of_a_number(x, n, m):
    return np.reshape(x[1], (n, m))


SHAPES = [
    (-1, 3), (3, -1), (2, 3), (2, -1, 3), (-2, 3), [3, -1], (1, -1, 6),
    (-1, -1), (-1, 3, -1), (-1, 4), (0, -1), (4, 2), (-3, -2),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_of_the_run(shape):
    agree(shaped, X, shape)


def test_of_the_run_in_other_places():
    agree(flat, X, -1)
    agree(chosen, X)
    agree(chosen, -X)
    agree(half, X)
    assert rg.jit(shaped)(X, np.array([3, -1])).shape == (3, 2)
    agree(shaped, X + 1j, (-1, 3))
    agree(shaped, np.zeros(0), (-1, 3))
    for n, m in [(-1, 3), (2, -1), (2, 3), (-1, -1), (5, 2), (-1, 5)]:
        agree(in_two_ints, X, n, m)
    for n, m in [(-1, 1), (1, 1), (-1, -1), (2, -1)]:
        agree(of_a_number, X, n, m)


def test_derivatives_where_it_is_of_the_run():
    slopes_of(half, X)
    slopes = slopes_of(lambda x: in_two_ints(x, -1, 3), X)
    for n, m in [(2, -1), (2, 3)]:
        assert np.array_equal(rg.grad(in_two_ints)(X, n, m), slopes)
    with pytest.raises(ValueError, match="one unknown dimension"):
        rg.grad(in_two_ints)(X, -1, -1)


def unknown(x, n):
    return x.reshape(n[0])


def test_what_is_no_extent_is_refused():
    with pytest.raises(UserError) as caught:
        traced(unknown, X, (0.5,))
    assert caught.value.span is not None
