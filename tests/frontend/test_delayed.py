"""Generators that are handed to generators, have names, or have no end: they run in turns."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

X = np.array([0.5, 1.2, -0.3, 2.0, 0.9, 1.7])


def smooth(x: Any, a: float = 0.7) -> Iterator[Any]:
    s = x[0]
    for v in x:
        s = a * s + (1 - a) * v
        yield s


def scale(items: Iterable[Any], k: Any) -> Iterator[Any]:
    for v in items:
        yield k * v


def multiples(a: Any) -> Iterator[Any]:
    n = 0
    while True:
        yield a * n
        n += 1


def take(items: Iterable[Any], n: int) -> Iterator[Any]:
    for k, v in enumerate(items):
        if k >= n:
            return
        yield v


def twice_each(items: Iterable[Any]) -> Iterator[Any]:
    for v in items:
        yield v
        yield -0.5 * v


def find(items: Iterable[Any], limit: float) -> tuple[Any, Any]:
    for k, v in enumerate(items):
        if v > limit:
            return k, v
    return -1, 0.0


def random_numbers(seed: int) -> Iterator[float]:
    s = seed
    while True:
        s = (1103515245 * s + 12345) % 2147483648
        yield s / 2147483648


def pipelines(x: Any) -> Any:
    """Generators of generators, with names and without."""
    total = 0.0
    for v in scale(smooth(x), 2.0):
        total += v * v
    g = smooth(x)
    h = scale((v * v for v in g), x[1])
    total += sum(h) + max(scale(smooth(x), 3.0)) + len([v for v in scale(x, 1.0) if v > 0.6])
    for k, v in enumerate(twice_each(twice_each(smooth(x))), 1):
        if k > 9:
            break
        total += k * v * v
    array = np.array(list(scale(smooth(x), 2.0)))
    k, v = find(scale(multiples(x[1]), 2.0), 9.0)
    return total + np.sum(array * array) * k * v


def with_the_library(x: Any) -> Any:
    """Functions of Python's that are lazy, over generators."""
    total = 0.0
    for a, b in zip(scale(smooth(x), 2.0), x, strict=False):
        total += a * b
    for k, v, w in zip(range(3), multiples(x[0]), x, strict=False):
        total += k * v * w
    total += sum(map(lambda v: v * v, filter(lambda v: v > 0.7, scale(smooth(x), 2.0))))
    total += sum(itertools.islice(multiples(x[1]), 2, 9, 3))
    total += sum(v * v for v in itertools.takewhile(lambda v: v < 7.0, multiples(x[1])))
    for v in itertools.chain(scale(smooth(x), 2.0), x, take(multiples(x[0]), 3)):
        total += v * v
    total += sum(a * b for a, b in itertools.pairwise(scale(smooth(x), 2.0)))
    total += sum(v * v for v in itertools.accumulate(scale(smooth(x), 2.0)))
    return total * 2 if any(v > 5 * x[0] for v in multiples(x[1])) else total


def without_end(x: Any) -> Any:
    """`next` of generators that never end, which go on where they were left."""
    draws, names, total = random_numbers(42), itertools.count(1), 0.0
    weights = itertools.cycle([1.0, 2.0, x[0]])
    for v in x:
        if next(draws) > 0.4:
            total += v * next(draws) * next(names)
        total += next(weights) * v * v
    g = multiples(x[3])
    total += next(g) + next(g) * 2 + sum(take(g, 3)) + next(g)
    for k, v in zip(itertools.count(2, 3), x, strict=False):
        total += k * v
    return total + sum(map(lambda a, b: a * b, x, itertools.repeat(x[2]))) + next(names)


def in_turns(x: Any) -> Any:
    """The generator, what hands its items on, and the loop see what the others change."""
    state = [0.0]

    def adding() -> Iterator[Any]:
        for v in x:
            state[0] += v
            yield v * v

    total = 0.0
    for v in scale(adding(), 2.0):
        total += v * state[0]
        state[0] *= 0.5
    return total + state[0]


HEAVY = (pytest.param(f, marks=pytest.mark.slow) for f in (pipelines, with_the_library))
PROGRAMS = (without_end, in_turns, *HEAVY)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_slopes_are_those_of_python(f: Any) -> None:
    agree(f, X)
    assert rg.check_grads(f, (X,), 1).ok
    np.testing.assert_array_equal(rg.grad(f, memory="64kB")(X), rg.grad(f)(X))


def test_what_is_asked_for_is_all_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    def talking(x: Any) -> Iterator[Any]:
        for k in range(5):
            print(k)
            yield k * x

    def program(x: Any) -> Any:
        total = 0.0
        for v in itertools.islice(scale(talking(x), 2.0), 2):
            print("then")
            total += v
        return total

    assert rg.jit(program)(1.5) == 3.0
    assert capsys.readouterr().out == "0\nthen\n1\nthen\n"


def used_twice(x: Any) -> Any:
    g = scale(smooth(x), 2.0)
    return sum(g) + sum(g)


def used_in_one_branch(x: Any) -> Any:
    g, total = scale(smooth(x), 2.0), 0.0
    if x[0] > 0:
        for v in g:
            total += v
    for v in g:
        total += v
    return total


def used_in_a_loop(x: Any) -> Any:
    g, total = scale(smooth(x), 2.0), 0.0
    for _ in range(3):
        for v in g:
            total += v
    return total


def one_of_two(x: Any) -> Any:
    return sum(scale(smooth(x), 2.0) if x[0] > 0 else scale(smooth(x), 3.0))


def two_at_once(x: Any) -> Any:
    return sum(a * b for a, b in zip(multiples(x[0]), scale(smooth(x), 2.0), strict=False))


def all_of_it(x: Any) -> Any:
    g = multiples(x[0])
    return next(g) + sum(g)


@pytest.mark.parametrize(
    "f", [used_twice, used_in_one_branch, used_in_a_loop, one_of_two, two_at_once, all_of_it]
)
def test_what_cannot_be_is_refused(f: Any) -> None:
    with pytest.raises(UserError, match="RG0101") as caught:
        rg.jit(f)(X)
    assert caught.value.span is not None
    assert "list(" in caught.value.way_out or "islice" in caught.value.way_out
