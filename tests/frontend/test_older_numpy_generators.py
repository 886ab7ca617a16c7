"""`np.random.RandomState(seed)` in a program: NumPy's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import RandomState

import retrograd as rg
from retrograd.errors import UserError
from retrograd.frontend.library.plain import mersenne

SEEDS = (0, 42, 2**32 - 1)


def uniform(rng):
    found = rng.rand(), rng.rand(3, 2), rng.random_sample(4), rng.random((2, 3))
    return *found, rng.uniform(-1.0, 3.0, 700), rng.uniform()


def whole(rng):
    found = rng.randint(10), rng.randint(3, 9, (3, 4)), rng.randint(0, 2**32, 5), rng.randint(5, 6)
    order = rng.permutation(9), rng.permutation(np.arange(6.0).reshape(3, 2)), rng.randint(5, 6, 3)
    chosen = rng.choice(7), rng.choice(20, 6), rng.choice(20, 6, replace=False)
    values = np.arange(4) * 0.5
    chosen = *chosen, rng.choice(values, 5, p=[0.1, 0.2, 0.3, 0.4]), rng.choice(5, replace=False)
    rng.shuffle(values)
    return *found, *order, *chosen, values


def by_logarithms(rng):
    found = rng.randn(7), rng.randn(), rng.standard_normal((2, 5)), rng.normal(1.0, 2.0, 6)
    return *found, rng.exponential(2.0, 5), rng.standard_exponential(), rng.lognormal(0.0, 1.0, 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_program_draws_as_numpy_does(seed: int) -> None:
    ours, theirs = mersenne.seeded(seed), RandomState(seed)
    for draws in (uniform, whole):
        for one, other in zip(draws(ours), draws(theirs), strict=True):
            assert np.array_equal(one, other)
            assert np.asarray(one).dtype == np.asarray(other).dtype
    for one, other in zip(by_logarithms(ours), by_logarithms(theirs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-15)


def everything(seed):
    rng = RandomState(seed)
    return *uniform(rng), *whole(rng), *by_logarithms(rng)


def test_compiled() -> None:
    compiled = rg.jit(everything)
    for seed in SEEDS:
        for one, other in zip(compiled(seed), everything(seed), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-15)


class Noise:
    def __init__(self, seed):
        self.rng = seed if isinstance(seed, RandomState) else RandomState(seed)

    def of(self, n):
        return 0.1 * self.rng.randn(n)


def walk(x):
    noise, total = Noise(RandomState(7)), 0.0
    for _ in range(50):
        total = 0.9 * total + np.sum(noise.of(3) * x)
    return total


def test_a_gradient_in_a_budget() -> None:
    x = np.array([0.3, 1.2, -0.7])
    value, slope = rg.value_and_grad(walk)(x)
    assert value == pytest.approx(walk(x), rel=1e-13)
    assert rg.check_grads(walk, (x,), 1).ok
    np.testing.assert_array_equal(rg.grad(walk, memory="200kB")(x), slope)


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (lambda x: x * RandomState().rand(), "RG0134"),
        (lambda x: x * RandomState([1, 2]).rand(), "RG0108"),
        (lambda x: x * RandomState(1).gamma(2.0), "RG0107"),
        (lambda x: x * RandomState(1).integers(3), "RG0107"),
        (lambda x: x * RandomState(1).randint([0, 1], [4, 5]), "RG0108"),
        (lambda x: x * RandomState(1).randint(9, dtype=np.int32), "RG0108"),
        (lambda x: RandomState(1), "RG0103"),
    ],
)
def test_what_is_refused(f: Callable[[float], Any], code: str) -> None:
    with pytest.raises(UserError) as caught:
        rg.jit(f)(1.5)
    assert caught.value.code == code
    assert "way out" in str(caught.value)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * RandomState(-1).rand(),
        lambda x: x * RandomState(2**32).rand(),
        lambda x: RandomState(1).normal(0.0, -x),
        lambda x: x * RandomState(1).randint(3, 3),
        lambda x: RandomState(1).choice(3, 4, replace=False) * x,
    ],
)
def test_what_numpy_refuses_is_a_value_error(f: Callable[[float], Any]) -> None:
    for run in (f, rg.jit(f)):
        with pytest.raises(ValueError, match=r"."):
            run(1.5)
