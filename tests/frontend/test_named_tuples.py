"""`collections.namedtuple` in a program, and one item taken out of a set."""

from __future__ import annotations

import collections
from collections import namedtuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

pytestmark = pytest.mark.thinned(2)

SIZE = 3


def _point(x):
    Point = collections.namedtuple("Point", "x y, z", defaults=(1, 2.5))
    return Point(x)


def made(x, n):
    Pair = namedtuple("Pair", ["a", "a"], rename=True)
    p, q = _point(x), _point(x * x)
    r = q if n > 2 else p
    first, second, _ = r._replace(y=n)
    pair = Pair(first, _1=np.array([second, x]))
    kept = pair._asdict()
    kept["_1"][0] = 3.0 * x
    kept["a"] *= 2.0
    known = isinstance(p, tuple) and Pair._fields == ("a", "_1")
    return kept["a"] * r.z + pair._1.sum() * pair.a + (1.0 if known and len(r) == 3 else 2.0)


def in_a_list(x, n):
    Point = namedtuple("Point", ("a", "b"))
    points = []
    for i in range(n):
        points.append(Point(x * i, b=x))
    return sum(p.a * p.b for p in points) + (x if points == [(0.0, x), (x, x)] else 0.0)


def taken(x, n):
    one = {n}
    found = x * one.pop()
    some = set()
    for i in range(n):
        some.add(0 * i)
    return found * (some.pop() + 2.0) + len(some) + len(one)


@pytest.mark.parametrize("f", [made, in_a_list, taken])
def test_derivatives(f):
    for n in (2, 4):
        agree(f, 0.7, n)
        slope = (f(0.7 + 1e-6, n) - f(0.7 - 1e-6, n)) / 2e-6
        assert rg.grad(f)(0.7, n) == pytest.approx(slope, rel=1e-6)
    assert rg.grad(f, memory="100kB")(0.7, 4) == rg.grad(f)(0.7, 4)


def test_a_result():
    found = rg.jit(lambda x: _point(x))(0.5)
    assert found == (0.5, 1, 2.5)
    assert found._fields == ("x", "y", "z")


def test_bad():
    with pytest.raises(UserError, match="RG0108.*keyword: 'class'"):
        rg.jit(lambda x: namedtuple("P", "a class")(x, x))(1.0)
    with pytest.raises(UserError, match="RG0108.*at run time only"):
        rg.jit(lambda x, n: namedtuple("P", [f"v{n}"])(x))(1.0, 2)
    with pytest.raises(UserError, match="RG0108"):
        rg.jit(lambda x: namedtuple("P", "a", True)(x))(1.0)
    with pytest.raises(UserError, match="RG0108.*more default values"):
        rg.jit(lambda x: namedtuple("P", "a", defaults=(1, 2))(x))(1.0)


def several(x, n):
    some = set()
    for i in range(n):
        some.add(i)
    return x * some.pop()


def test_which_item_of_a_set():
    assert rg.jit(several)(1.5, 1) == 0.0
    with pytest.raises(RuntimeError, match=r"m = min\(s\)"):
        rg.jit(several)(1.5, 2)
    with pytest.raises(KeyError, match="pop from an empty set"):
        rg.jit(several)(1.5, 0)
