"""`heapq`, `bisect`, `statistics`, `zip_longest`, `asdict`; `max` and `min` of objects."""

from __future__ import annotations

import bisect
import heapq
import itertools
import queue
import statistics
from dataclasses import asdict, astuple, dataclass
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree, slopes_of

X = np.array([0.7, -0.4, 1.3, 0.2])


class Item:
    def __init__(self, weight: Any, value: Any) -> None:
        self.weight, self.value = weight, value

    def __lt__(self, other: Any) -> Any:
        return self.value / self.weight < other.value / other.weight

    def __gt__(self, other: Any) -> Any:
        return self.value / self.weight > other.value / other.weight


def objects_and_tuples(x: Any) -> Any:
    best = max(Item(x[0], x[1]), Item(x[2], x[3]))
    least = min([Item(x[0], x[1]), Item(x[2], x[3]), Item(x[1], x[3])])
    first = min((x[0] * x[1], 0, x[2]), (x[1], 1, x[3]), (x[2], 2, x[0]))
    return best.weight * 2 + least.value * 3 + first[0] * first[2] + first[1]


def of_nothing(x: Any) -> Any:
    large = max([v for v in x if v > 5.0], default=2.0)
    return large * min([v for v in x if v > 0], default=1.0, key=lambda v: -v)


def heaps(x: Any) -> Any:
    heap: list[Any] = []
    for v in x:
        heapq.heappush(heap, v * v)
    s = 0.0
    while heap:
        s = s * 1.5 + heapq.heappop(heap)
    other = [x[1], x[0], x[3]]
    heapq.heapify(other)
    first = heapq.heapreplace(other, x[2])
    second = heapq.heappushpop(other, x[2] * 3)
    ends = sum(heapq.nlargest(2, x)) * sum(heapq.nsmallest(2, list(x), key=lambda v: v * v))
    return s + first * second + ends


def heaps_of_tuples(x: Any) -> Any:
    heap = [(x[0], 0), (x[1], 1)]
    heapq.heapify(heap)
    heapq.heappush(heap, (x[2], 2))
    heapq.heappush(heap, (x[3], 3))
    s = 0.0
    while len(heap) > 0:
        v, k = heapq.heappop(heap)
        s = s * 1.3 + v * (k + 1)
    return s


def sorted_in(x: Any) -> Any:
    items: list[Any] = []
    for v in x:
        bisect.insort(items, v)
    places = bisect.bisect(items, 0.3) + bisect.bisect_left(items, x[2])
    return items[0] + 2 * items[1] + 3 * items[-1] + places


def numbers(x: Any) -> Any:
    y, sizes = list(x), [abs(v) for v in x]
    s = statistics.fmean(y) * statistics.pstdev(y) + statistics.variance(y) + statistics.mean(y)
    s += statistics.median_low(y) * statistics.median(y) + statistics.stdev(y)
    s += statistics.covariance(y, sizes) * statistics.correlation(y, [v**3 for v in y])
    s += statistics.geometric_mean(sizes) + statistics.harmonic_mean(sizes)
    return s + statistics.fmean(y, [1.0, 2.0, 3.0, 4.0])


def longest(x: Any) -> Any:
    s = 0.0
    for p, q in itertools.zip_longest(x, x[:2] * 3, fillvalue=1.5):
        s += p * q * q
    return s


def known_with_counted(x: Any) -> Any:
    s, positive = 0.0, [v for v in x if v > 0]
    for k, v in zip((1.0, 2.0, 3.0), positive, strict=False):
        s += k * v * v
    for k, v in zip([1, 2, 3], positive, strict=False):
        s += k * v**3
    weights = [x[0], 2.0, x[1]]
    for k, v in zip(weights, positive, strict=False):
        s += k * v
        weights[2] = x[3] * s
    return s


@dataclass
class Inner:
    w: Any
    items: Any


@dataclass
class Outer:
    inner: Inner
    n: Any
    pair: Any


def fields(x: Any) -> Any:
    made = Outer(Inner(x[0], [x[1], x[2]]), x[3], (x[0], Inner(x[1], [])))
    named, plain = asdict(made), astuple(made)
    made.inner.items[0] = 0.0
    made.n = 9.0
    s = named["inner"]["w"] * named["inner"]["items"][0] + named["n"] * plain[2][1][0]
    return s + len(named) + named["pair"][1]["w"] ** 2


STANDARD = statistics.NormalDist()
below = statistics.NormalDist(0.1, 2.0).cdf


def normal_laws(x: Any) -> Any:
    one, other = statistics.NormalDist(x[0], x[2]), statistics.NormalDist(mu=x[1])
    both = one + other * 3.0
    s = one.pdf(x[3]) + one.inv_cdf(x[3]) * other.cdf(0.4) + one.overlap(other)
    s += STANDARD.cdf(x[1]) * STANDARD.inv_cdf(0.3 * x[0]) + below(x[2])
    s += both.mean * both.variance + sum(one.quantiles(3)) + one.zscore(0.2)
    return s + statistics.NormalDist.from_samples([x[0], x[3], 2.0]).stdev


EVERY = [
    objects_and_tuples, of_nothing, heaps, heaps_of_tuples, sorted_in, numbers, longest,
    known_with_counted, fields, normal_laws,
]  # fmt: skip


@pytest.mark.thinned(4)
@pytest.mark.parametrize("f", EVERY)
def test_values_and_gradients_are_those_of_python(f: Any) -> None:
    slopes = slopes_of(f, X)
    assert np.all(np.isfinite(slopes))


def test_what_python_raises() -> None:
    def popped(x: Any) -> Any:
        return heapq.heappop([v for v in x if v > 9.0])

    def nothing(x: Any) -> Any:
        return statistics.mean([v for v in x if v > 9.0])

    def outside(x: Any) -> Any:
        return STANDARD.inv_cdf(2.0 * x[0])

    with pytest.raises(statistics.StatisticsError, match="in the range"):
        rg.jit(outside)(X)
    with pytest.raises(IndexError, match="heap"):
        rg.jit(popped)(X)
    with pytest.raises(statistics.StatisticsError, match="at least one"):
        rg.jit(nothing)(X)


def test_what_is_refused() -> None:
    def of_a_number(x: Any) -> Any:
        return asdict(x[0])

    def of_texts(x: Any) -> Any:
        return sum(b * len(a) for a, b in zip(("a", 2.0), [v for v in x if v > 0], strict=False))  # pyright: ignore[reportArgumentType]

    with pytest.raises(UserError, match="RG0108.*asdict"):
        rg.jit(of_a_number)(X)
    with pytest.raises(UserError, match="RG0101.*zip"):
        rg.jit(of_texts)(X)


def waiting(x: Any, n: Any) -> Any:
    first: Any = queue.PriorityQueue()
    for i in range(n):
        first.put((x * ((i * 5) % 7), i))
    s = 0.0
    while not first.empty():
        d, i = first.get()
        s = s * 0.5 + d * i
    line: Any = queue.Queue(maxsize=n)
    pile: Any = queue.LifoQueue()
    for i in range(n):
        line.put(x * i)
        pile.put(x * i)
    full, front, top = line.full(), line.get(), pile.get()
    try:
        queue.Queue().get_nowait()
    except queue.Empty:
        front += 3 * x
    return s + front + 2 * top + line.qsize() + full


def test_queues() -> None:
    agree(waiting, 0.7, 5)
    slope = (waiting(0.7 + 1e-6, 5) - waiting(0.7 - 1e-6, 5)) / 2e-6
    assert abs(rg.grad(waiting)(0.7, 5) - slope) < 1e-6
