"""What a search has found, or None: looked for in lists, and as an index of an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

pytestmark = pytest.mark.thinned(2)

X = np.array([1.2, 0.3, 0.7, 1.9])
SMALL = np.array([0.2, 0.3, 0.7, 0.9])
ONES = np.ones(4)


def nearest(x: Any) -> Any:
    free, total = list(range(len(x))), 0.0
    for j in range(len(x)):
        least, best = 1e10, None
        for k in free:
            if abs(x[k] * x[k] - x[j]) <= least:
                least, best = abs(x[k] * x[k] - x[j]), k
        free.pop(free.index(best))
        total += x[best] * j
    return total


def removed(x: Any) -> Any:
    free, total = list(range(len(x))), 0.0
    for j in range(3):
        best = None
        for k in free:
            if best is None or x[k] > x[best]:
                best = k
        free.remove(best)
        total += x[best] ** 2 * (j + 1)
    return total + x[free[0]]


def among_ints(x: Any) -> Any:
    held = [None] + [i for i in range(len(x)) if x[i] > 0.5]
    best = None
    for i in range(len(x)):
        if x[i] > 1.0:
            best = i
    return x[0] * held.index(best) + x[1] ** 2 * held.count(best) + x[2] * (best in held)


def among_floats(x: Any) -> Any:
    held, best = [v for v in x if v > 0.5], None
    for v in x:
        if v > 1.0:
            best = v
    return x[0] * (held.count(best) + 1) + x[1] ** 2 * (best in held)


def among_texts(x: Any) -> Any:
    held, best = ["a" for v in x if v > 0.5], None
    held.append("b")
    for v in x:
        if v > 1.0:
            best = "b"
    return x[0] * (held.count(best) + 1) + x[1] ** 2 * (best in held)


def among_pairs(x: Any) -> Any:
    held, best = [(i, i + 1) for i in range(len(x)) if x[i] > 0.5], None
    for i in range(len(x)):
        if x[i] > 1.0:
            best = (i, i + 1)
    return x[0] * (held.count(best) + 1) + x[1] ** 2 * (best in held)


def placed(x: Any) -> Any:
    best = None
    for i in range(len(x)):
        if x[i] > 1.0:
            best = i
    free = [i for i in range(len(x)) if x[i] > 0.5]
    return x[free.index(best)] ** 2


def first_above(x: Any) -> Any:
    found = None
    for i in range(len(x)):
        if found is None and x[i] > 1.0:
            found = i
    y = x.copy()
    y[found] = 2.0 * x[found]
    return np.sum(y**2)


def least(x: Any, below: float) -> Any:
    found = None
    for i in range(len(x)):
        if x[i] < below:
            below, found = x[i], i
    return found


def parts(x: Any) -> Any:
    k = least(x, 0.5)
    y = x.copy()
    y[k:] = y[k:] * 2.0
    return np.sum(x[:k] ** 2) + np.sum(y[k:] ** 3) + np.sum(x[1:k:2])


def parts_of_lists(x: Any) -> Any:
    k, held = least(x, 0.5), [v * v for v in x]
    return sum(held[:k]) + 2.0 * sum(held[k:]) + 3.0 * len(held[k:][:2]) * x[0]


def elements(x: Any) -> Any:
    k = least(x, 0.5)
    return np.sum(x**2 * (np.arange(len(x)) == k)) + np.sum(x * (k != np.arange(len(x))))


def backwards(x: Any) -> Any:
    return np.sum(x[least(x, 0.5) :: -1])


def by_a_step(x: Any) -> Any:
    return np.sum(x[:: least(x, 0.5)])


def slope(f: Callable[[Any], Any], x: Any) -> Any:
    step = 1e-6 * np.eye(len(x))
    return np.array([(f(x + e) - f(x - e)) / 2e-6 for e in step])


SEARCHED = (nearest, removed, among_ints, among_floats, among_texts, among_pairs)
USED = (parts, parts_of_lists, elements)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        *((f, x) for f in SEARCHED for x in (X, SMALL)),
        *((f, x) for f in USED for x in (X, X[::-1].copy(), X + 1.0)),
    ],
)
def test_as_in_python(f: Callable[[Any], Any], x: Any) -> None:
    value, bars = rg.value_and_grad(f)(x)
    assert value == pytest.approx(f(x))
    assert np.allclose(bars, slope(f, x), atol=1e-8)
    assert np.array_equal(rg.grad(f, memory=10**5)(x), bars)
    value, tangent = rg.jvp(f, (x,), (ONES,))
    assert (value, tangent) == (pytest.approx(f(x)), pytest.approx(np.sum(bars)))


@pytest.mark.parametrize(
    ("f", "words"),
    [(backwards, "a bound of a slice that goes backwards"), (by_a_step, "the step of a slice")],
)
def test_other_bounds_are_refused(f: Callable[[Any], Any], words: str) -> None:
    with pytest.raises(rg.UserError, match=f"{words} that may be None"):
        rg.jit(f)(X)


def test_nothing_found_is_in_no_list_of_numbers() -> None:
    assert rg.jit(placed)(X) == placed(X)
    for f in (placed, rg.jit(placed)):
        with pytest.raises(ValueError, match=r"not in list"):
            f(SMALL)


def test_none_as_an_index_is_refused_in_the_run() -> None:
    value, bars = rg.value_and_grad(first_above)(X)
    assert value == first_above(X)
    assert np.allclose(bars, [8.0 * X[0], *(2.0 * X[1:])])
    assert np.array_equal(rg.grad(first_above, memory=10**5)(X), bars)
    assert rg.jvp(first_above, (X,), (ONES,))[1] == pytest.approx(np.sum(bars))
    with pytest.raises(rg.UserError, match="an index that is None in this run") as caught:
        rg.grad(first_above)(SMALL)
    assert caught.value.code == "RG0109"
    assert "decide before" in str(caught.value)


def test_an_array_says_what_array_it_is() -> None:
    def f(x: Any) -> Any:
        y = x.copy()
        z = y.__array__()
        z[0] = 3.0 * x[1]
        return np.sum(z * x) + np.sum(y.__array__(dtype=float))

    value, bars = rg.value_and_grad(f)(X)
    assert value == f(X)
    assert np.allclose(bars, slope(f, X))
