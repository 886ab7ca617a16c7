"""Small things that functions of other people were refused for."""

from __future__ import annotations

import heapq
import sys
from functools import partial

import numpy as np
import pytest

import retrograd as rg


def leaves(x):
    if x > 100.0:
        sys.exit("too large")
    if x > 50.0:
        raise SystemExit(3)
    try:
        if x > 25.0:
            sys.exit()
    except ValueError:
        x = 0.0
    return x * x


def caught(x):
    try:
        if x > 1.0:
            sys.exit("no")
    except ArithmeticError:
        return 0.0
    except SystemExit:
        return 3.0 * x
    return x


def by_default(x, f=None):
    if f is None or f == 0:
        f = partial(max, 0.5)
    return f(x) if f != 0 else 0.0


def scaled(a, k, x):
    return a * x**k


def mapped(x):
    return sum(map(partial(scaled, 2.0), [1, 2, 3], [x, x + 1.0, x]))


def locked(x):
    x.setflags(write=1)
    y = x * x
    y.setflags(write=True)
    y[0] = 1.0
    return np.sum(y)


def best_of(x):
    options, best, cost = [[x, 2.0 * x], [0.5 * x], []], None, 10.0
    for option in options:
        if len(option) > 0 and sum(option) < cost:
            best, cost = option, sum(option)
    return best[0] * 3.0 if best and cost < 5.0 else cost


@pytest.mark.parametrize("f", [leaves, caught, by_default, mapped, best_of])
@pytest.mark.parametrize("x", [0.7, 1.5])
def test_values_and_slopes(f, x) -> None:
    value, slope = rg.value_and_grad(f)(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-7)


def test_flags_of_arrays() -> None:
    np.testing.assert_array_equal(rg.grad(locked)(np.array([3.0, 2.0])), [0.0, 4.0])


@pytest.mark.parametrize(("x", "code"), [(200.0, "too large"), (60.0, 3), (30.0, None)])
def test_exits_have_their_codes(x, code) -> None:
    for run in (leaves, rg.grad(leaves)):
        with pytest.raises(SystemExit) as left:
            run(x)
        assert left.value.code == code


def with_paths(w):
    edges = {"A": [(w[0], "B"), (w[1], "C")], "B": [(w[2], "C")], "C": []}
    waiting, seen = [(0.0, "A", ())], set()
    while waiting:
        cost, node, path = heapq.heappop(waiting)
        if node not in seen:
            seen.add(node)
            path = (node, path)
            if node == "C":
                return cost * cost
            for more, other in edges.get(node, ()):
                if other not in seen:
                    heapq.heappush(waiting, (cost + more, other, path))
    return 99.0


def test_items_that_are_nested_ever_deeper_are_refused() -> None:
    with pytest.raises(rg.UserError):
        rg.grad(with_paths)(np.array([1.0, 5.0, 0.5]))
