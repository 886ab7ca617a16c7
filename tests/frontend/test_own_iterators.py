"""Objects with `__next__`, iterators whose items loops take, and loops over combinations."""

from __future__ import annotations

import itertools
import math
from enum import Flag, auto

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree, slopes_of

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false


class Reader:
    def __init__(self, items):
        self.items = items
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= len(self.items):
            raise StopIteration
        x = self.items[self.at]
        self.at += 1
        return x


class Halves:
    """Gives a new iterator each time."""

    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return Reader(self.x * 0.5)


def looped(v):
    it, s = Reader(v), 0.0
    first = next(it)
    for x in it:
        if x > 1.2:
            continue
        s += x * first
    else:
        s *= 2.0
    return s + next(it, 0.25) + it.at


def left(v):
    s = 0.0
    for k, x in enumerate(Reader(v)):
        if x > 1.2:
            break
        s += x * k
    it = Reader(v)
    for x in it:
        if x > 1.0:
            break
        s += x
    else:
        s = -1.0
    return s + sum(it)


def taken(v):
    s = sum(x * x for x in Reader(v)) + max(Reader(v)) + len(list(Halves(v)))
    for a, b in zip(Reader(v), Halves(v), strict=False):
        s += a * b
    twice = Halves(v)
    return s + sum(twice) + sum(twice) + sorted(Reader(v))[1]


def until_none(v):
    it, s = iter(v), 0.0
    while (x := next(it, None)) is not None:
        s += x * x
    return s


def until_it_stops(v):
    it, s = iter(v), 0.0
    while True:
        try:
            x = next(it)
        except StopIteration:
            break
        s = s * 0.5 + x
    return s


def of_a_list(v):
    it, s = iter([v[0], v[1], v[2] * v[3]]), 1.0
    while (x := next(it, None)) is not None:
        s *= x
    return s


class Kind(Flag):
    READ = auto()
    WRITE = auto()


class Site:
    def __init__(self, name, x):
        self.name = name
        self.x = x


def of_objects(v):
    sites = [Site(n, v[k]) for k, n in enumerate("abc")]
    s = 0.0
    for one, other in itertools.combinations(sites, 2):
        r = abs(one.x - other.x)
        if r > 5.0:
            continue
        s += r * (2.0 if one.name == "a" else 1.0)
    pairs = [(p, q) for p, q in itertools.product(sites, [np.sin, np.cos])]
    kinds = Kind.READ | Kind.WRITE
    return s + sum(f(p.x) for p, f in pairs) + (1.0 if Kind.READ in kinds else 0.0)


def shortest(v):
    n = len(v) // 2
    x, y = v[:n], v[n:]
    best = math.inf
    for order in itertools.permutations(range(1, n)):
        path = (0, *order, 0)
        steps = itertools.pairwise(path)
        best = min(best, sum(np.hypot(x[i] - x[j], y[i] - y[j]) for i, j in steps))
    return best


def until_far(v):
    s = 0.0
    for i, j in itertools.combinations(range(len(v)), 2):
        if i + j > 5:
            break
        s += v[i] * v[j]
    else:
        s = -1.0
    for a, b in itertools.product([0.5, 1.5], v):
        if b > 1.2:
            break
        s += a * b
    return s


ALL = [
    looped, left, taken, until_none, until_it_stops, of_a_list, of_objects, until_far,
]  # fmt: skip

X = np.array([0.3, 0.8, 1.1, 0.7, -0.4, 0.9, 1.5, -1.1])


@pytest.mark.parametrize("f", ALL)
def test_as_in_python(f) -> None:
    agree(f, X)
    agree(f, X[::-1].copy())


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", ALL)
def test_gradients(f) -> None:
    assert np.all(np.isfinite(slopes_of(f, X)))


def test_all_permutations() -> None:
    assert rg.jit(shortest)(X) == pytest.approx(shortest(X), rel=1e-13)
    assert np.all(np.isfinite(slopes_of(shortest, X)))


def chunks(v):
    it = Reader(v)
    return sum(a * b for a, b in zip(it, it, strict=False))


def test_one_iterator_twice() -> None:
    with pytest.raises(rg.UserError, match="taken from twice"):
        rg.grad(chunks)(X)


def many(v):
    return sum(v[p[0]] for p in itertools.permutations(range(9)))


def test_too_many_permutations() -> None:
    with pytest.raises(rg.UserError, match="permutations of 9 items"):
        rg.grad(many)(X)


def parts_of_text(v):
    word, s = "kinetic", 0.0
    for i in range(len(v)):
        if word[i : i + 2] in ("in", "et"):
            s += 2.0 * v[i]
        if word[:i].endswith("ki"):
            s += v[i] * v[0]
        s += len(word[-i:]) * v[i]
    names = ["low", "high", "mid"]
    return s * len(names[int(np.argmax(v[:3]))])


def test_parts_of_texts_at_places_of_the_run() -> None:
    agree(parts_of_text, X)
    assert np.all(np.isfinite(slopes_of(parts_of_text, X)))
