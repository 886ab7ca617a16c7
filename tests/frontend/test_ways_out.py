"""Refusals name what to write: a sample of them, and that what they name is accepted."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X = np.arange(4.0)


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


def number_expected(x, n):
    return np.sum(x) + float((x, x))


def number_given(x, n):
    return np.sum(x) + float(x[0])


SAMPLE = [
    (growing_tuple, "l.append(x)", growing_list),
    (ints_to_ints, "x.astype(float) ** n", floats_to_ints),
    (axis_of_run_time, "write the number, or name its argument in static_argnames", literal_axis),
    (wrong_axis, "write an axis from -1 to 0", literal_axis),
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


class Counter:
    """Counts its calls in an attribute of the class, or in a dict that the class has."""

    total = 0
    state: ClassVar = {"total": 0}

    @classmethod
    def counted(cls, x):
        cls.total += 1
        return x * cls.total

    @staticmethod
    def kept(x):
        Counter.state["total"] += 1
        return x * Counter.state["total"]


def test_attributes_of_classes():
    for count in (1, 2, 3):
        assert rg.jit(lambda x: Counter.counted(x))(1.5) == 1.5 * count
        assert Counter.total == count
    for count in (1, 2, 3):
        assert rg.jit(lambda x: Counter.kept(x))(1.5) == 1.5 * count
        assert Counter.state == {"total": count}
    assert rg.grad(lambda x: Counter.kept(x))(1.5) == 4.0
    assert Counter.state == {"total": 3}


def test_rows_of_different_lengths_begin_empty() -> None:
    def together(x: float, n: int) -> float:
        rows: list[list[float]] = []
        for i in range(n):
            rows.append([x * k for k in range(i + 1)])
        return sum(rows[-1])

    def item_by_item(x: float, n: int) -> float:
        rows: list[list[float]] = []
        for i in range(n):
            row: list[float] = []
            for k in range(i + 1):
                row.append(x * k)
            rows.append(row)
        return sum(rows[-1])

    assert rg.jit(together)(2.0, 3) == 6.0
    assert rg.jit(item_by_item)(2.0, 3) == 6.0
