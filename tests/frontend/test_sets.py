"""Frozen sets, sets from outside, and the keys of dicts as sets."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

pytestmark = pytest.mark.thinned(2)

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

NUMS, KINDS, PAIRS = {1, 2, 3}, frozenset(["linear", "cubic"]), {("a", 1), ("b", 2)}
MIXED, HALVES, NOTHING = {"x", 3, None, True}, {0.5, 1.5}, frozenset[int]()


def asked_of_texts(x, kind="cubic"):
    return x if KINDS.issuperset({kind}) and kind in KINDS and "quintic" not in KINDS else -x


def asked_of_numbers(x):
    u = NUMS | {7, 8}
    found = (1 in NUMS, 9 in NUMS, 0.5 in HALVES, 3 in MIXED, None in MIXED, ("b", 2) in PAIRS)
    return found, u > NUMS, NUMS == {3, 2, 1}, NUMS <= u, NUMS.isdisjoint({9}), sum(sorted(u)) * x


def gone_through(x):
    total = 0.0
    for k in NUMS:
        total += k * x
    first = next(iter(NUMS)), next(iter({7})), next(iter(frozenset({5})))
    return total, first, list(NUMS), min(NUMS), max(NUMS), sum(NUMS), len(KINDS), bool(NOTHING)


def changed_copies(x):
    u = NUMS - {1}
    u.add(9)
    v = set(NUMS)
    v |= {4, 5}
    v.intersection_update({1, 4, 5}, [4, 5])
    return x * len(u), sorted(u), sorted(v)


def frozen_ones(x):
    a, b = frozenset((1, 2)), frozenset([2, 3])
    c, d = a & b, a.symmetric_difference(b)
    kinds = isinstance(a, frozenset), isinstance(a, set), isinstance(NUMS, set)
    return (
        x * len(c),
        sorted(d | {9}),
        a.isdisjoint({9}),
        kinds,
        len(frozenset("hello")),
        a.copy() == a,
    )


def of_the_run(x):
    f = frozenset([int(x), 2, 3, int(x)])
    return len(f) * x, 1 in f, sorted(f), f == {1, 2, 3}


def copies(x, n=5):
    s = {1, 2}
    for i in range(n):
        s |= {i}
    f, c = frozenset(s), set(s)
    c.add(9)
    t = {int(x), 7}
    u = set(t)
    u.discard(7)
    grown = frozenset[int]()
    for i in range(n):
        grown = grown | {i % 3}
    found = len(f) * x, 9 in s, sorted(c), sorted(t), sorted(u)
    return found, set(f) == s, set(NUMS), len(grown)


def given_back(x):
    grown = set[int]()
    for k in range(7):
        grown.add(k * k % 5)
    return {1, 2}, frozenset([1]), NUMS, {x, 2.0 * x}, grown, set[int]()


def keys_as_sets(x):
    d, e = {"a": x, "b": 2.0}, {"b": 2.0, "a": x}
    same = d.keys() == e.keys(), d.items() == e.items(), d.keys() >= {"a"}, d.keys() < e.keys()
    left = {"a", "q"} - d.keys()
    return same, sorted(d.keys() - KINDS), sorted(d.keys() ^ ["a"]), len(d.keys() & e), len(left)


def keys_of_the_run(x, n=5):
    d = {}
    for i in range(n):
        d[i * i % 7] = x * i
    return len(d.keys() & {1, 2, 3}), d.keys() >= {0, 1}, d.keys() == {0, 1, 4, 2}


class Model:
    allowed = frozenset({"a", "b"})

    def __init__(self, **given):
        if not self.allowed.issuperset(given):
            raise TypeError("unexpected")
        self.a = given.get("a", 1.0)


def checked(x):
    return Model(a=x).a


def refused_by_itself(x):
    return Model(q=x).a


@pytest.mark.parametrize(
    "f",
    [
        asked_of_texts, copies, asked_of_numbers, gone_through, changed_copies, frozen_ones,
        of_the_run, given_back, keys_as_sets, keys_of_the_run, checked, refused_by_itself,
    ],
)  # fmt: skip
def test_as_in_python(f) -> None:
    agree(f, 1.5)


def test_arguments_are_read_at_each_call() -> None:
    compiled = rg.jit(lambda s, k, x: x if k in s else -x)
    assert compiled({1, 2}, 2, 1.5) == 1.5
    assert compiled({1, 3}, 2, 1.5) == -1.5
    assert compiled(frozenset({2}), 2, 1.5) == 1.5
    assert rg.grad(lambda x, s: x * x * len(s))(3.0, {1, 2}) == 12.0
    assert rg.grad(lambda p: p["x"] ** 2 * len(p["s"]))({"x": 3.0, "s": {1}}) == {
        "x": 6.0,
        "s": None,
    }


def changes_one_from_outside(x):
    NUMS.add(5)
    return x


def gives_another_name(x):
    s = NUMS
    s |= {9}
    return x


@pytest.mark.parametrize("f", [changes_one_from_outside, gives_another_name])
def test_what_is_from_outside_does_not_change(f) -> None:
    with pytest.raises(UserError, match="a set from outside is changed"):
        rg.jit(f)(1.0)
    assert NUMS == {1, 2, 3}


def test_refusals() -> None:
    with pytest.raises(UserError, match="the order is not known"):
        rg.jit(lambda x: [k * x for k in frozenset((1, 2)) | {int(x)}])(1.0)
    with pytest.raises(UserError, match="what is differentiated"):
        rg.grad(lambda x: np.sum(rg.vjp(lambda y: {y}, x)[1](1.0)))(1.0)
