"""`next`: the first item of a generator expression, and items of iterators one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

X = np.array([0.5, -1.5, 2.5, -0.5])


def first_negative(x: Any) -> Any:
    return next(v * v for v in x if v < 0.0)


def place_of_a_large_one(x: Any) -> Any:
    return next((k for k in range(len(x)) if x[k] > 2.0), -1)


def place_of_none(x: Any) -> Any:
    return next((k for k in range(len(x)) if x[k] > 200.0), -1)


def no_item(x: Any) -> Any:
    return next(v for v in x if v > 100.0)


def no_item_caught(x: Any) -> Any:
    try:
        return next(v for v in x if v > 100.0)
    except StopIteration:
        return x[0]


def two_of_an_array(x: Any) -> Any:
    it = iter(x)
    a = next(it)
    b = next(it)
    return a * b + sum(it)


def list_that_ends(x: Any) -> Any:
    it = iter([x[0], x[1]])
    a = next(it)
    b = next(it)
    c = next(it, 3.0)
    return a * b * c


def first_key_and_value(x: Any) -> Any:
    d = {"a": x[0], "b": x[1]}
    k = next(iter(d))
    v = next(iter(d.values()))
    return d[k] * v


def pairs(x: Any) -> Any:
    z = zip(x, range(7), strict=False)
    p, q = next(z)
    s = p * q
    for a, b in z:
        s += a * b
    return s


def numbered(x: Any) -> Any:
    e = enumerate(x, 2)
    k, v = next(e)
    m, w = next(e)
    return k * v + m * w + sum(i * j for i, j in e)


def list_of_run_time(x: Any) -> Any:
    out = [v for v in x if v < 1.0]
    it = iter(out)
    f = next(it, None)
    if f is None:
        return 0.0
    return f + sum(it)


def empty_list(x: Any) -> Any:
    it = iter([v for v in x if v > 100.0])
    f = next(it, None)
    if f is None:
        return 0.0
    return f


def text_or_default(x: Any) -> Any:
    return next((n for n, t in (("lo", 1.0), ("hi", 3.0)) if t > 2.0), "none")


def filtered_and_mapped(x: Any) -> Any:
    g = next(filter(lambda v: v > 1.0, x))
    h = next(map(abs, x))
    return g * h


def known_range(x: Any) -> Any:
    r = iter(range(3))
    a = next(r)
    b = next(r)
    c = next(r)
    return x[a] * x[b] + x[c]


def range_of_run_time(x: Any) -> Any:
    n = int(x[2])
    r = iter(range(n))
    a = next(r)
    b = next(r)
    return x[a] * x[b] + sum(x[i] for i in r)


def backwards(x: Any) -> Any:
    it = reversed(x)
    return next(it) * 2.0 + next(it)


def letters(x: Any) -> Any:
    it = iter("abc")
    return {"a": x[0], "b": x[1]}[next(it)]


class Counting:
    def __init__(self, x):
        self.x = x
        self.k = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.k >= len(self.x):
            raise StopIteration
        self.k += 1
        return self.x[self.k - 1]


def own_iterator(x: Any) -> Any:
    c = Counting(x)
    return next(c) * next(c)


def array_changed(x: Any) -> Any:  # bad: changes
    it = iter(x)
    a = next(it)
    x[1] = 7.0
    return a + next(it)


def list_changed(x: Any) -> Any:
    held = [x[0], x[1], x[2]]
    it = iter(held)
    a = next(it)
    held[1] = 5.0
    return a + next(it)


def of_an_array(x: Any) -> Any:
    return next(x)


def of_a_list(x: Any) -> Any:
    return next([1.0])


def empty_array(x: Any) -> Any:
    return next(iter(x[2:2]), 5.0)


def empty_array_raises(x: Any) -> Any:
    return next(iter(x[2:2]))


def given_to_a_function(x: Any) -> Any:
    def h(it):
        return next(it)

    it = iter(x)
    return h(it) + h(it)


def pairs_given_to_a_function(x: Any) -> Any:
    def h(it):
        return next(it)

    it = zip(x, x, strict=True)
    return h(it)[0] + h(it)[1]


def on_one_path(x: Any) -> Any:
    it = iter([x[0], x[1], x[2]])
    s = 0.0
    if x[0] > 0:
        s = next(it)
    return s + next(it)


def of_a_generator(x: Any) -> Any:
    it = (v * v for v in x)
    return next(it)


def two_loops(x: Any) -> Any:
    return next(v * w for v in x for w in x if v * w < 0)


def order_of_tests(x: Any) -> Any:
    return next(v for v in x if v < 0 and 1.0 / v < 0)


def no_item_after_the_found_one(x: Any) -> Any:
    w = [x[0], x[1]]
    return next((w[k] for k in range(9) if w[k] < 0), None)


def rows(x: Any) -> Any:
    return next(row for row in np.outer(x, x) if row[0] < 0)[1]


def in_a_loop(x: Any) -> Any:
    it = iter(x)
    s = 0.0
    for k in range(int(x[2])):
        s += next(it) * k
    return s


def key_by_search(x: Any) -> Any:
    ks = ["a", "b"]
    d = {"a": 1.0, "b": 2.0}
    k = next((k for k in ks if k == "b"), None)
    return d[k] * x[0]


def none_or_a_number(x: Any) -> Any:
    m = next((v for v in x if v > 0), None)
    if m is None:
        return 0.0
    return m * m


def changed_in_the_loop(x: Any) -> Any:
    it = iter(x)
    next(it)
    for v in it:
        x[0] += v
    return x[0]


ALL = [
    first_negative,
    place_of_a_large_one,
    place_of_none,
    no_item,
    no_item_caught,
    two_of_an_array,
    list_that_ends,
    first_key_and_value,
    on_one_path,
    pairs,
    numbered,
    list_of_run_time,
    empty_list,
    text_or_default,
    filtered_and_mapped,
    known_range,
    range_of_run_time,
    backwards,
    letters,
    own_iterator,
    empty_array,
    empty_array_raises,
    of_a_generator,
    order_of_tests,
    no_item_after_the_found_one,
    rows,
    key_by_search,
    none_or_a_number,
    given_to_a_function,
]


@pytest.mark.parametrize("f", ALL)
def test_items_are_those_of_python(f: Any) -> None:
    agree(f, X.copy())


def test_items_that_a_loop_takes() -> None:
    x = np.array([0.5, 1.5, 3.0, -1.0])
    assert rg.jit(in_a_loop)(x) == in_a_loop(x)
    np.testing.assert_array_equal(rg.grad(in_a_loop)(x), [0.0, 1.0, 2.0, 0.0])


def test_gradients_go_to_the_item() -> None:
    np.testing.assert_array_equal(rg.grad(first_negative)(X), [0.0, -3.0, 0.0, 0.0])
    assert rg.check_grads(pairs, (X,), 1).ok
    with pytest.raises(StopIteration):
        rg.jit(no_item)(X)


@pytest.mark.parametrize(
    ("f", "code", "words"),
    [
        (array_changed, "RG0101", "may change before its items"),
        (list_changed, "RG0101", "may change before its items"),
        (of_an_array, "RG0107", "`next` of an array"),
        (of_a_list, "RG0107", "`next` of a list"),
        (pairs_given_to_a_function, "RG0101", "that the function is given"),
        (two_loops, "RG0101", "several `for`"),
        (changed_in_the_loop, "RG0101", "may change before its items"),
    ],
)
def test_refusals(f: Any, code: str, words: str) -> None:
    with pytest.raises(UserError, match=words) as found:
        rg.jit(f)(X)
    assert found.value.code == code
