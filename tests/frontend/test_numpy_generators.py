"""Generators of NumPy that a program makes of a seed: NumPy's numbers, to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

import retrograd as rg
from retrograd.errors import UserError
from retrograd.frontend.library.plain import pcg

pytestmark = pytest.mark.thinned(2)

SEEDS = (0, 5, 2**32 - 1, 2**33 + 5, 2**63 - 1)


def streams(rng):
    yield rng.random(1000), rng.standard_normal((20, 50)), rng.integers(0, 10, 1001)
    yield rng.uniform(-1.0, 2.5, 1000), rng.normal(0.5, 3.0, 1000), rng.standard_exponential(1000)
    yield rng.integers(-3, 2**32 - 3), rng.integers(-3, 2**31, endpoint=True), rng.integers(5, 6)
    yield rng.permutation(12), rng.permutation(np.arange(12.0).reshape(6, 2)), rng.integers(7)
    yield rng.choice(20, 6, replace=False), rng.choice(10050, 300, replace=False), rng.choice(7)
    values = np.arange(5) * 0.5
    yield rng.choice(values, 9, p=[0.1, 0.2, 0.3, 0.15, 0.25]), rng.choice(7, replace=False)
    yield rng.normal(np.arange(3.0), np.ones((2, 3))), rng.uniform(0.0, [3.0, 4.5]), rng.normal()
    rng.shuffle(values)
    yield values, rng.exponential(2.0, 3), rng.normal(size=0), rng.random((0, 3))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_program_draws_as_numpy_does(seed: int) -> None:
    for ours, theirs in zip(streams(pcg.seeded(seed)), streams(default_rng(seed)), strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert np.array_equal(one, other)
            assert np.asarray(one).dtype == np.asarray(other).dtype


def test_tails_of_both_distributions_are_numpys() -> None:
    ours, theirs = pcg.seeded(1), default_rng(1)
    assert np.array_equal(ours.standard_normal(20_000), theirs.standard_normal(20_000))
    assert np.array_equal(ours.standard_exponential(20_000), theirs.standard_exponential(20_000))


@pytest.mark.slow
def test_compiled_tails_are_equal_to_the_last_digits() -> None:
    def both(seed):
        rng = np.random.default_rng(seed)
        return rng.standard_normal(200_000), rng.standard_exponential(200_000)

    for ours, theirs in zip(rg.jit(both)(1), both(1), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-15)
        assert np.count_nonzero(ours != theirs) < 10


def numbers(seed):
    rng = np.random.default_rng(seed)
    return rng.random(1000), rng.normal(0.5, 3.0, 1000), rng.integers(0, 10, 1001)


def orders(seed):
    rng = np.random.default_rng(seed)
    listed = rng.permutation([1.0, 2.0, 3.0]), rng.choice([1.0, 2.0]), rng.choice([4, 5], (2, 3))
    found = rng.choice(20, 6, replace=False), rng.permutation(12), rng.exponential(2.0, 1000)
    found = *listed, *found, rng.uniform(-1.0, 2.5, 1000), rng.standard_normal(1000)
    return *found, rng.choice(np.arange(5) * 0.5, 9, p=[0.1, 0.2, 0.3, 0.15, 0.25])


@pytest.mark.parametrize("f", [numbers, pytest.param(orders, marks=pytest.mark.slow)])
def test_compiled(f: Callable[[int], Any]) -> None:
    compiled = rg.jit(f)
    for seed in SEEDS:
        for one, other in zip(compiled(seed), f(seed), strict=True):
            assert np.array_equal(one, other)


class Walk:
    def __init__(self, seed):
        self.rng = default_rng(seed)
        self.x = 0.0

    def step(self, scale):
        self.x += scale * self.rng.standard_normal()


def walk(scale):
    one = Walk(5)
    for _ in range(20):
        one.step(scale)
    return one.x


def bootstrap(x, seed=3):
    rng = seed if isinstance(seed, np.random.Generator) else default_rng(seed)
    data = np.arange(10.0) * x
    means = []
    for _ in range(15):
        means.append(np.mean(rng.choice(data, size=10, replace=True)))
    return np.std(means)


def metropolis(width):
    rng, y, accepted = default_rng(2), 0.0, 0
    for _ in range(100):
        proposed = y + rng.uniform(-width, width)
        if np.log(rng.random()) < 0.5 * (y**2 - proposed**2):
            y, accepted = proposed, accepted + 1
    return y + accepted


def test_a_gradient_in_a_budget() -> None:
    slope = rg.grad(walk, memory="50kB")(0.7)
    assert slope == pytest.approx((walk(0.7 + 1e-6) - walk(0.7 - 1e-6)) / 2e-6, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("f", [walk, bootstrap, metropolis])
def test_sweeps_that_run_again_draw_the_same(f: Callable[[float], float]) -> None:
    value, slope = rg.value_and_grad(f)(0.7)
    assert value == pytest.approx(f(0.7), rel=1e-14)
    assert slope == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-6)
    assert rg.grad(f, memory="50kB")(0.7) == slope
    assert rg.jvp(f, (0.7,), (1.0,))[1] == pytest.approx(slope, rel=1e-14)


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (lambda x: x * default_rng().random(), "RG0134"),
        (lambda x: x * default_rng(1.5).random(), "RG0108"),
        (lambda x: x * default_rng([1, 2]).random(), "RG0108"),
        (lambda x: x * default_rng(1).gamma(2.0), "RG0107"),
        (lambda x: x * default_rng(1).integers([0, 1], [4, 5]), "RG0108"),
        (lambda x: x * default_rng(1).integers(9, dtype=np.int32), "RG0108"),
        (lambda x: default_rng(1), "RG0103"),
        (lambda x: default_rng(1).shuffle([x, 1.0]), "RG0108"),
        (lambda x: x * np.random.rand(), "RG0134"),
    ],
)
def test_what_is_refused(f: Callable[[float], Any], code: str) -> None:
    with pytest.raises(UserError) as caught:
        rg.jit(f)(1.5)
    assert caught.value.code == code
    assert "way out" in str(caught.value)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * default_rng(-1).random(),
        lambda x: default_rng(1).normal(0.0, -x),
        lambda x: x * default_rng(1).integers(3, 3),
        lambda x: default_rng(1).choice(3, 4, replace=False) * x,
    ],
)
def test_what_numpy_refuses_is_a_value_error(f: Callable[[float], Any]) -> None:
    for run in (f, rg.jit(f)):
        with pytest.raises(ValueError, match=r"."):
            run(1.5)
