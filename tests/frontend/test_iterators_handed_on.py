"""Iterators that functions take items of, or `zip` is given twice; objects that `*` unpacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

X = np.array([0.3, 1.2, -0.7, 0.9, 1.6])


def pairs_of_an_array(x):
    it, total = iter(x), 0.0
    for a, b in zip(it, it, strict=False):
        total += a * b**2
    return total


def pairs_of_a_list(x):
    it, total = iter([x[0], x[1:3], x[2], x[3:]]), 0.0
    for a, b in zip(it, it, strict=False):
        total += a * np.sum(b**2)
    return total


def pairs_of_some(x):
    it = iter(x[: int(x[1]) + 3])
    return sum(a * b for a, b in zip(it, it, strict=False))


def groups(x):
    every = [iter(np.concatenate([x, x]))] * 3
    return sum(a * b - c for a, b, c in zip(*every, strict=False))


def take(it):
    return next(it) * 2.0


def header(it, n):
    return [next(it) for _ in range(n)]


def handed_on(x):
    it = iter(x)
    a, b = take(it), take(it)
    return a * b + sum(it)


def of_several_kinds(x):
    it = iter([x[0], x[1], x[2:]])
    a, b = take(it), take(it)
    return a * b + np.sum(next(it) ** 2)


def rest_after_a_header(x):
    it = iter(list(x))
    first = header(it, 2)
    rest = [v for v in it]
    return first[0] * first[1] + sum(rest) * len(rest)


def array_that_changes(x):
    y = x.copy()
    it = iter(y)
    a = take(it)
    y[1] = 4.0 * x[0]
    return a + take(it)


class Reader:
    def __init__(self, items):
        self.items = iter(items)

    def number(self):
        return next(self.items)


def held_by_an_object(x):
    r = Reader(x)
    return r.number() * x[0] + r.number() ** 2


def past_the_end(x):
    it = iter(x)
    return sum([take(it) for _ in range(7)])


class Quaternion:
    def __init__(self, w, v):
        self.w, self.v = w, v

    def __iter__(self):
        yield self.w
        yield from self.v


def unpacked(x):
    w, *v = Quaternion(x[0], x[1:])
    return w * v[2] + sum(v)


def last_of_an_object(x):
    *v, z = Quaternion(x[0], x[1:])
    return z * len(v) + v[0]


def schedule(x, n):
    total = 1.0
    for k in range(n):
        total *= x[0]
        yield k, total


def last_of_a_generator(x):
    *_, last = schedule(x, 3)
    first, *between, end = schedule(x, int(x[1]) + 2)
    return last[1] + last[0] + first[1] * end[1] + len(between)


def too_few_of_a_generator(x):
    a, b, *rest = schedule(x, 1)
    return a[1] * b[1] + len(rest)


def dicts_of_iterators(x):
    pairs, it = zip(["a", "b"], x, strict=False), iter(["c", x[2], "d", x[3]])
    d = dict(pairs)
    d.update(zip(it, it, strict=False))
    return d["a"] * d["b"] + d["c"] * d["d"] + sum(dict.fromkeys(iter("xy"), x[0]).values())


def numbers_as_keys(x):
    pairs = zip(range(int(x[1]) + 2), x, strict=False)
    d = dict(pairs)
    return d[1] * 2.0 + sum(d.values())


def sets_of_iterators(x):
    it = iter([3, 1, 3])
    numbers = map(int, ["3", "1", "3"])
    return x[0] * len(set(it)) + x[1] * len(frozenset(numbers))


ALL = (
    pairs_of_an_array, pairs_of_a_list, pairs_of_some, groups, handed_on, of_several_kinds,
    rest_after_a_header, array_that_changes, held_by_an_object, past_the_end, unpacked,
    last_of_an_object, last_of_a_generator, too_few_of_a_generator, dicts_of_iterators,
    numbers_as_keys, sets_of_iterators,
)  # fmt: skip


@pytest.mark.parametrize("f", ALL)
def test_items_are_those_of_python(f: Any) -> None:
    agree(f, X.copy())


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [pairs_of_some, rest_after_a_header, held_by_an_object, unpacked])
def test_gradients(f: Any) -> None:
    assert rg.check_grads(f, (X,), 1).ok
    np.testing.assert_array_equal(rg.grad(f, memory="64kB")(X), rg.grad(f)(X))


def changed_between(x):
    y = x.copy()
    it, total = iter(y), 0.0
    for a, b in zip(it, it, strict=False):
        total += a * b
        y[2] = 5.0
    return total


def changed_before(x):
    y = x.copy()
    it = iter(y)
    both = zip(it, it, strict=False)
    y[0] = 2.0
    return sum(a * b for a, b in both)


def with_something_else(x):
    it = iter(x)
    return sum(a * b * c for a, b, c in zip(it, it, x, strict=False))


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (changed_between, "may change before its items"),
        (changed_before, "may change before its items"),
        (with_something_else, "twice, with something else"),
    ],
)
def test_refusals(f: Any, words: str) -> None:
    with pytest.raises(UserError, match=words) as found:
        rg.jit(f)(X)
    assert found.value.code == "RG0101"
