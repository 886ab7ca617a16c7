"""Iterators give their items once; classes of `collections` and iterators of `itertools`."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict, deque
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

pytestmark = pytest.mark.thinned(3)

X = np.array([0.5, 1.5, 2.5, -0.5])


def of_a_name(x: Any) -> Any:
    pairs = zip(x, x * 0.5, strict=False)
    numbered = enumerate([x[0], x[1]], 1)
    back = reversed(range(3))
    s = sum(a * b for a, b in pairs)
    for k, v in numbered:
        s += k * v
    for k in back:
        s = s * x[k] + k
    terms = (v * v for v in x)
    return s + sum(terms)


def handed_on(x: Any) -> Any:
    def add(items: Any) -> Any:
        return sum(items)

    def scalar(pairs: Any) -> Any:
        s = 0.0
        for a, b in pairs:
            s += a * b
        return s

    def made() -> Any:
        return zip(x, x * 2.0, strict=False)

    first = scalar(zip(x, x, strict=False)) + add(v * v for v in x)
    return first + add(reversed([x[0], x[1]])) + scalar(made()) + len(list(made()))


class Window:
    def __init__(self, items: Any) -> None:
        self.items = list(items)

    def __iter__(self) -> Any:
        return iter(self.items)

    def __contains__(self, value: Any) -> Any:
        return value in self.items

    def __len__(self) -> int:
        return len(self.items)


def of_a_class(x: Any) -> Any:
    w = Window([x[0], x[1], 2.0])
    s = 0.0
    for v in w:
        s += v * v
    if 2.0 in w and 7.0 not in w:
        s *= len(w)
    a, b, _ = w
    return s + sum(w) + max(w) + a * b + sum(v for v in w if v > 1.0) + np.sum(np.array(list(w)))


def moving(x: Any) -> Any:
    window = deque(maxlen=3)
    out = []
    for v in x:
        window.append(v)
        out.append(sum(window) / len(window))
    return sum(o * o for o in out) + window[0] * window[-1]


def queue(x: Any) -> Any:
    q = deque([x[0], x[1]])
    q.appendleft(x[2])
    q.extend([x[3], 1.0])
    q.extendleft([2.0, 3.0])
    q.rotate(2)
    s, w = 0.0, 1.0
    while len(q) > 1:
        s += w * q.popleft() - 0.5 * q.pop()
        w *= 1.5
        if len(q) == 3:
            q[1] = x[0] * x[1]
    return s + sum(q)


def network(x: Any) -> Any:
    amounts = {"a": x[0], "b": x[1], "c": 1.0}
    rates = {("a", "b"): x[2], ("b", "c"): 0.5, ("c", "a"): x[3]}
    for _ in range(5):
        change = defaultdict(float)
        for (source, target), rate in rates.items():
            flux = rate * amounts[source]
            change[source] -= flux
            change[target] += flux
        for name in amounts:
            amounts[name] += 0.1 * change[name]
    return amounts["b"] * 2.0 + amounts["c"] + len(change)


def groups(x: Any) -> Any:
    found = defaultdict(list)
    for name, v in zip("abca", x, strict=True):
        found[name].append(v)
    counts = Counter("abca")
    counts["z"] += 2
    sizes = sum(len(v) * v[0] for v in found.values())
    return sizes + counts["a"] * x[1] + counts["none"] + ("b" in found) + len(counts)


def cumulated(x: Any) -> Any:
    best = list(itertools.accumulate(x, max))
    total = list(itertools.accumulate(x))
    later = list(itertools.accumulate([x[0], x[1]], lambda a, b: a * b, initial=2.0))
    s = sum(a * b for a, b in zip(best, total, strict=True)) + sum(later)
    return s + sum(abs(b - a) ** 1.5 for a, b in itertools.pairwise(x))


def chained(x: Any) -> Any:
    s = 0.0
    for k, v in enumerate(itertools.chain(x, [1.0, 2.0], (x[0],))):
        s += k * v
    shape = tuple(itertools.chain(*zip((2,), (2,), strict=True), (1,)))
    y = np.reshape(x, shape)
    few = list(itertools.islice(x, 1, 3)) + list(itertools.repeat(x[0], 2))
    return s + y[1, 1, 0] + sum(few) + sum(itertools.takewhile(lambda v: v < 2.0, x))


ALL = [of_a_name, handed_on, of_a_class, moving, queue, network, groups, cumulated, chained]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", ALL)
def test_values_and_gradients_are_those_of_python(f: Any) -> None:
    assert rg.jit(f)(X) == pytest.approx(f(X), rel=1e-14)
    assert rg.check_grads(f, (X,), 1).ok


@pytest.mark.parametrize("f", [moving, queue, network])
def test_a_budget_of_bytes_gives_the_same_bits(f: Any) -> None:
    np.testing.assert_array_equal(rg.grad(f, memory="20kB")(X), rg.grad(f)(X))


def twice(x: Any) -> Any:
    pairs = zip(x, x, strict=True)
    return sum(a * b for a, b in pairs) + sum(a for a, b in pairs)


def after_a_break(x: Any) -> Any:
    pairs = zip([1.0, 2.0], [x[0], x[1]], strict=True)
    for _ in pairs:
        break
    return sum(a * b for a, b in pairs)


def in_a_loop(x: Any) -> Any:
    pairs, s = enumerate(x), 0.0
    for _ in range(2):
        for k, v in pairs:
            s += k * v
    return s


def by_a_callee(x: Any) -> Any:
    def both(items: Any) -> Any:
        return sum(items) + sum(items)

    return both(v * v for v in x)


def later(x: Any) -> Any:
    a = 2.0
    terms = (a * v for v in x)
    a = 3.0
    return sum(terms) * a


def test_a_generator_expression_reads_names_where_its_items_are_taken() -> None:
    assert rg.jit(later)(X) == pytest.approx(later(X), rel=1e-15)


@pytest.mark.parametrize("f", [twice, after_a_break, in_a_loop, by_a_callee])
def test_what_is_used_up_or_evaluated_later_is_refused(f: Any) -> None:
    with pytest.raises(UserError, match="used up") as caught:
        rg.jit(f)(X)
    assert caught.value.code == "RG0101"


def test_classes_are_those_that_they_stand_for() -> None:
    def f(x: Any) -> Any:
        found = defaultdict(float)
        kinds = isinstance(found, dict) + 2 * isinstance(deque(), deque)
        return x * (kinds + 4 * isinstance(Counter(), dict) + 8 * isinstance(deque(), list))

    assert rg.jit(f)(1.0) == f(1.0) == 7.0


@pytest.mark.parametrize("make", [deque, lambda x: zip(x, x, strict=True), iter])
def test_they_are_no_results(make: Any) -> None:
    with pytest.raises(UserError, match="return a list, or a dict"):
        rg.jit(lambda x: make([x, x]))(1.0)


def test_exceptions_are_those_of_python() -> None:
    def empty(x: Any) -> Any:
        q = deque([x])
        q.pop()
        return q.popleft()

    def missing(x: Any) -> Any:
        return defaultdict(None, {"a": x})["b"]

    with pytest.raises(IndexError, match="pop from an empty deque"):
        rg.jit(empty)(1.0)
    with pytest.raises(KeyError, match="b"):
        rg.jit(missing)(1.0)


def test_lengths_are_compared_by_a_strict_zip() -> None:
    def f(x: Any, y: Any) -> Any:
        return sum(a * b for a, b in zip(x, y, strict=True))

    assert rg.jit(f)(X, X) == pytest.approx(f(X, X))
    assert rg.jit(f)(X[:2], [2.0, 3.0]) == f(X[:2], [2.0, 3.0])
    for y in (X[:3], [1.0, 2.0]):
        with pytest.raises(ValueError, match="zip"):
            rg.jit(f)(X, y)


def of_a_number_or_of_items(x):
    try:
        items = iter(x)
    except TypeError:
        return x * 2.0
    return sum(items)


def test_iter_of_a_number_raises() -> None:
    agree(of_a_number_or_of_items, 1.5)
    agree(of_a_number_or_of_items, [1.5, 2.0])
