"""`sorted` and `sort` of tuples, lists and rows sorted the numbers inside of each of them.

Tuples of which one is known further than the other were ordered by what is known of both. `max` and
`min` of rows gave the extreme number of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree


class Pair(NamedTuple):
    a: float
    b: float


@dataclass(frozen=True)
class Record:
    a: float
    b: float


def tuples(x):
    return sorted([(2.0, 1), (x, 9), (x, 1)]), sorted([(2.0, 1), (x, 9), (x, 1)], reverse=True)


def partly_known(x):
    return sorted([(1, 6.0 * x), (1, 2.0), (0, x)])


def nested(x):
    return sorted([((x, 1), 2.0), ((x, 0), 3.0)]), sorted([Pair(2.0, x), Pair(x, 2.0)])


def by_keys(x):
    one = sorted([(2.0, 1), (x, 9), (x, 1)], key=lambda p: p[0], reverse=True)
    other = sorted([Record(2.0, x), Record(x, 2.0)], key=lambda r: (-r.b, r.a))
    return one, other[0].a, sorted(np.array([x, -x, 2.0]), key=lambda v: (abs(v), v))


def filled(x):
    events = []
    for k in range(70):
        events.append((np.cos(k * x), k))
    events.sort(reverse=True)
    total = 0.0
    for value, k in events[:9]:
        total += value * k
    return total, events[3][1], len(events)


def lists(x):
    """They stay the same lists."""
    one, two = [x, 1.0], [0.2, 5.0]
    every = sorted([one, two, [0.2]])
    every[0].append(7.0)
    every[1][0] = 9.0
    return one[0] * 10.0 + two[0] + len(one) + 100.0 * len(two) + every[2][1]


def least_tuple(x):
    pairs = []
    for k in range(70):
        pairs.append((x, 1.0 * k))
    return min(pairs)[0]


@pytest.mark.parametrize("f", [tuples, partly_known, nested, by_keys, filled, lists, least_tuple])
def test_it_is_as_in_python(f) -> None:
    agree(f, 0.5)


def test_its_derivative() -> None:
    def f(x):
        return filled(x)[0]

    slope = (f(0.500001) - f(0.499999)) / 2e-6
    assert abs(rg.grad(f)(0.5) - slope) < 1e-5
    assert rg.jvp(f, (0.5,), (1.0,))[1] == pytest.approx(rg.grad(f)(0.5), rel=1e-12)


def rows(x):
    return sorted(np.array([[2.0, 1.0], [x, 0.0]]))[1][0]


def with_texts(x):
    return len(sorted([(x, "a"), (0.2, "b")])[1][1]) * x


def greatest_row(x):
    return max(np.array([[2.0, x]]))[0]


def test_texts_of_tuples_have_a_length():
    agree(with_texts, 0.5)
    assert rg.grad(with_texts)(0.5) == 1.0


@pytest.mark.parametrize("f", [rows, greatest_row])
def test_all_else_is_refused(f) -> None:
    with pytest.raises(UserError, match="RG0110"):
        rg.jit(f)(0.5)
