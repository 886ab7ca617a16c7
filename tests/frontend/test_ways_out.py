"""Refusals name what to write: a sample of them, and that what they name is accepted."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X = np.arange(4.0)


def zero_before_array(x, n):
    y = 0
    for _ in range(n):
        y = y + x
    return y


def array_before_array(x, n):
    y = np.zeros(x.shape)
    for _ in range(n):
        y = y + x
    return y


def number_or_array(x, n):
    y = 0.0
    if n > 2:
        y = x
    return y


def array_or_array(x, n):
    y = np.full(x.shape, 0.0)
    if n > 2:
        y = x
    return y


def sum_of_arrays(x, n):
    total = 0
    for v in [x * i for i in range(n)]:
        total = total + v
    return total


def np_sum_of_arrays(x, n):
    return np.sum([x * i for i in range(n)], axis=0)


def growing_tuple(x, n):
    p = ()
    for i in range(n):
        p = (*p, x[i])
    return sum(p)


def growing_list(x, n):
    p = []
    for i in range(n):
        p.append(x[i])
    return sum(p)


def ints_to_ints(x, n):
    return np.sum(np.arange(3) ** np.arange(3)) * n


def floats_to_ints(x, n):
    return np.sum(np.arange(3).astype(float) ** np.arange(3)) * n


def axis_of_run_time(x, n):
    return np.sum(x, axis=n - 3)


def literal_axis(x, n):
    return np.sum(x, axis=0)


def wrong_axis(x, n):
    return np.sum(x, axis=1)


def two_texts(x, n):
    kind = np.sin if n > 2 else np.cos
    return kind(x)


def two_calls(x, n):
    return np.sin(x) if n > 2 else np.cos(x)


def number_expected(x, n):
    return np.sum(x) + float((x, x))


def number_given(x, n):
    return np.sum(x) + float(x[0])


SAMPLE = [
    (zero_before_array, "start with y = np.zeros(x.shape)", array_before_array),
    (number_or_array, "np.full(x.shape, number)", array_or_array),
    (sum_of_arrays, "start with total = np.zeros(x.shape)", np_sum_of_arrays),
    (growing_tuple, "l.append(x)", growing_list),
    (ints_to_ints, "x.astype(float) ** n", floats_to_ints),
    (axis_of_run_time, "write the number, or name its argument in static_argnames", literal_axis),
    (wrong_axis, "write an axis from -1 to 0", literal_axis),
    (two_texts, "choose between calls", two_calls),
    (number_expected, "one number", number_given),
]


@pytest.mark.parametrize(("refused", "way_out", "accepted"), SAMPLE)
def test_a_refusal_names_what_to_write(refused, way_out, accepted):
    with pytest.raises(UserError) as caught:
        rg.jit(refused)(X, 3)
    assert way_out in (caught.value.way_out or ""), caught.value
    assert np.allclose(rg.jit(accepted)(X, 3), accepted(X, 3))


def test_zero_before_an_array_where_it_is_known_what_happens():
    def f(x):
        y, z = 0, sum([x, 2.0 * x])
        for k in range(3):
            y = y + x * k
        z = np.outer(z, y)
        return z

    assert np.array_equal(rg.jit(f)(X), f(X))
