"""Loops over combinations, arrays as arguments, and other everyday idioms."""

from __future__ import annotations

import dataclasses
import itertools
import math
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import NamedTuple

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false


def pairs(x):
    e = 0.0
    for i, j in combinations(range(len(x)), 2):
        e += np.sum((x[i] - x[j]) ** 2) * (i + j)
    return e


def rows(x):
    """Rows themselves, some of which are left out."""
    e = 0.0
    for p, q in itertools.combinations(x, 2):
        if p[0] > 0.9:
            continue
        e += np.sum(np.sin(p - q) ** 2)
    return e


def table(x):
    d = np.zeros((len(x), 2))
    for i, j in product(range(len(x)), range(2)):
        d[i, j] = x[i, j] ** 2 * (i + 1)
    return d.sum()


def ordered(x):
    return sum(x[i, 0] * x[j, 1] for i, j in permutations(range(len(x)), 2))


def of_rows(x):
    return sum(np.sum(p * q) for p, q in combinations(x, 2))


def largest(x):
    return max(abs(x[i, 0] - x[j, 0]) for i, j in combinations(range(4), 2))


def repeated(x):
    s = 0.0
    for a, b, c in itertools.combinations_with_replacement([0, 1, 2], 3):
        s += x[a, 0] * x[b, 0] * x[c, 1]
    return s


def signs(x):
    s = 0.0
    for t in product([-1, 1], repeat=3):
        s += x[0, 0] * t[0] * t[1] + t[2] * x[1, 1] ** 2 * t[0] * t[2]
    return s


def listed(x):
    even = [x[i] @ x[j] for i, j in combinations(range(len(x)), 2) if (i + j) % 2 == 0]
    return np.sum(np.array(even))


class Point(NamedTuple):
    """Two numbers."""

    x: float
    y: float


class Gains:
    """Three numbers."""

    def __init__(self, p, i, d):
        self.p, self.i, self.d = p, i, d


@dataclass
class Rates:
    """Two numbers, one of them with a default."""

    up: float
    down: float = 0.5


def of_two(a, b):
    return a * a * b


def spread(x):
    point, gains = Point(*x[0]), Gains(*x[:3, 0])
    return np.hypot(*x[1]) + point.x * point.y + gains.p * gains.d + of_two(*x[2]) + gains.i


def replaced(x):
    one = Rates(x[0, 0])
    other = dataclasses.replace(one, down=x[1, 1])
    return one.up * one.down + other.up * other.down


def single(x):
    return (x[:1] @ x[:1].T).item() + np.logaddexp.reduce(x[:, 0])


def placed(x):
    out = np.zeros(3)
    np.add.at(out, [0, 1, 1, 2], x[:, 0])
    return out @ out


def ranked(x):
    order = sorted(range(len(x)), key=lambda i: -x[i, 0])
    near = sorted(x[:, 1], key=lambda v: abs(v - 0.5))
    back = sorted([v * v for v in x[:, 0]], key=lambda v: -v, reverse=True)
    return sum(w * x[i, 0] for w, i in enumerate(order)) + near[0] * back[0] + near[-1] * back[1]


def other_names(x):
    """What changes in the loop has been taken before, where itertools has."""
    column, total = x[:, 0].copy(), 0.0
    same = column
    for a, b in combinations(column, 2):
        same[0] += 1.0
        total += a * b
    for a, b in product(column, column):
        same[1] += 1.0
        total += a * b
    items = list(x[:, 1])
    names = items
    for a, b in combinations(items, 2):
        names[0] = 5.0
        names.append(1.0)
        total += a * b
    return total + column[0] * column[1]


def live_rows(x):
    """Rows are views: they change."""
    x = x.copy()
    for p, q in combinations(x, 2):
        x[0] = p + q
    return x[0, 0] * x[0, 1]


def within(x):
    """Combinations in combinations, with jumps, and ranges with a step."""
    s = 0.0
    for i, j in combinations(range(3), 2):
        for k, m in product(range(2), repeat=2):
            if k == m:
                continue
            s += x[i, k] * x[j, m] * (k + 2 * m)
    s += sum(x[i, 0] * x[j, 1] for i, j in permutations(range(1, 4, 2), 2))
    return s + sum(
        x[i, 0] * x[j, 1] * x[k, 0] * x[m, 1] * (i + 2 * j + 3 * k)
        for i, j in combinations(range(3), 2)
        for k, m in combinations(range(4), 2)
    )


X = np.random.default_rng(5).uniform(0.2, 1.0, (4, 2))
MANY = np.ones((80, 2))


@pytest.mark.thinned(8)
@pytest.mark.parametrize(
    "f",
    [
        pairs, rows, table, ordered, of_rows, largest, repeated, signs, listed, spread, replaced,
        single, placed, ranked,
        other_names, live_rows, within,
    ],
)  # fmt: skip
def test_values_and_gradients(f):
    assert rg.jit(f)(X) == pytest.approx(float(f(X)), rel=1e-13)
    way = np.random.default_rng(6).standard_normal(X.shape)
    slope = (f(X + 1e-6 * way) - f(X - 1e-6 * way)) / 2e-6
    assert np.sum(rg.grad(f)(X) * way) == pytest.approx(slope, rel=1e-6)


def left_early(x):
    for i, _ in combinations(range(len(x)), 2):
        if x[i, 0] > 0.5:
            break
    return x[0, 0]


def test_a_loop_that_is_left():
    slopes = np.zeros((4, 2))
    slopes[0, 0] = 1.0
    assert np.array_equal(rg.grad(left_early)(X), slopes)


def shortened(x, n):
    s = 0.0
    for i, j in product(range(2), range(n)):
        n = 1
        s += x[i, j] * n
    return s


def star_twice(x):
    return of_two(*x[:1, 0], *x[:1, 1])


def with_default(x):
    return Rates(*x[:1, 0]).down


def of_many(x, n):
    return sum(x[c[0], 0] for c in combinations(range(4), n))


@pytest.mark.parametrize(
    ("f", "args", "code", "words"),
    [
        (shortened, (X, 2), "RG0101", "another name"),
        (star_twice, (MANY,), "RG0101", "use a tuple"),
        (with_default, (MANY,), "RG0101", "use a tuple"),
        (lambda x: sum(x[0, 0] for _ in product(range(2), repeat=0)), (X,), "RG0108", "run over"),
        (of_many, (X, 2), "RG0113", "known at run time only"),
        (lambda x: sum(1.0 for _ in np.ndindex()), (X,), "RG0108", "extents"),
        (lambda x: sum(v for _, v in np.ndenumerate(x[0, 0])), (X,), "RG0108", "an array"),
        (lambda x: math.fsum(*x), (X[0],), "RG0101", "use a tuple"),
    ],
)
def test_refusals(f, args, code, words):
    with pytest.raises(rg.UserError, match=words) as caught:
        rg.jit(f)(*args)
    assert caught.value.code == code
    assert caught.value.span is not None


@pytest.mark.parametrize(
    ("f", "error", "words"),
    [
        (lambda x: of_two(*x), TypeError, "2 arguments are needed"),
        (lambda x: x.item(), ValueError, "size 1"),
    ],
)
def test_what_fails_when_it_runs(f, error, words):
    with pytest.raises(error, match=words):
        rg.jit(f)(np.ones(3))


def of_places(x, d):
    new, total = x.copy(), 0.0
    for i, j in np.ndindex(*x.shape):
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            if 0 <= i + di < x.shape[0] and 0 <= j + dj < x.shape[1]:
                new[i, j] += d * (x[i + di, j + dj] - x[i, j])
    for (i, j), v in np.ndenumerate(new):  # the last row is read after it has been changed
        new[-1, j] += v * i
    for place in np.ndindex(x.shape):
        total += new[place] ** 2 * (place[0] + 2 * place[1])
    for (k,) in np.ndindex(len(x)):
        total += x[k, 0] * k
    total += sum(v * k[0] for k, v in np.ndenumerate(x))
    return total + sum(x[i, j] * i for i, j in np.ndindex(2, 3))


def test_places_of_arrays():
    x = np.linspace(-0.4, 0.9, 20).reshape(4, 5)
    value, bars = rg.value_and_grad(of_places)(x, 0.1)
    assert value == pytest.approx(of_places(x, 0.1), rel=1e-14)
    step = np.cos(np.arange(20.0)).reshape(4, 5)
    along = (of_places(x + 1e-6 * step, 0.1) - of_places(x - 1e-6 * step, 0.1)) / 2e-6
    assert np.sum(bars * step) == pytest.approx(along, rel=1e-7)
    assert rg.grad(of_places, memory="20kB")(x, 0.1).tobytes() == bars.tobytes()


def kept(x):
    states = list(itertools.product(range(2), repeat=2))
    values = {state: x[state] for state in states}
    total = sum(values[i, j] * (i + 2 * j) for i, j in states) + len(states)
    for k, (a, b) in enumerate(combinations([x[0, 0], 2.0, x[1, 1]], 2)):
        total += k * a * b
    pairs = combinations(range(len(x)), 2)
    for i, j in pairs:
        total += x[i, 0] * x[j, 1]
    table = np.array(list(product([0.0, x[1, 0]], [x[0, 1], 2.0])))
    near = min(permutations([x[0, 0], 0.5, x[2, 1]], 2), key=lambda p: abs(p[0] - p[1]))
    return total + np.sum(table**2) * near[0]


def test_combinations_outside_of_loops():
    x = np.linspace(0.3, 1.4, 8).reshape(4, 2)
    value, bars = rg.value_and_grad(kept)(x)
    assert value == pytest.approx(kept(x), rel=1e-14)
    step = np.cos(np.arange(8.0)).reshape(4, 2)
    along = (kept(x + 1e-6 * step) - kept(x - 1e-6 * step)) / 2e-6
    assert np.sum(bars * step) == pytest.approx(along, rel=1e-7)
    assert rg.grad(kept, memory="20kB")(x).tobytes() == bars.tobytes()


def used_up(x):
    pairs = combinations(range(len(x)), 2)
    total = sum(x[i, 0] * x[j, 1] for i, j in pairs)
    return total + sum(1.0 for _ in pairs)


def test_combinations_are_used_up():
    """They give their items once, as in Python, or are refused."""
    with pytest.raises(rg.UserError, match="used up"):
        rg.jit(used_up)(X)
