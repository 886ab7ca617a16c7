"""Random numbers: NumPy's Philox, the same however a program is run, with derivatives."""

import random

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree


def numpys(seed):
    return np.random.Generator(np.random.Philox(key=seed))


def test_words_and_uniform_numbers_are_numpys():
    def drawn(seed):
        rng = rg.random.default_rng(seed)
        one, many = rng.random(), rng.random(6)
        return one, many, rng.random((2, 3)), rg.random.bits(seed, 5, 4), rg.random.bits(seed, 6)

    for seed in (0, 7, 2**63 - 1):
        theirs = numpys(seed).random(13)
        words = np.random.Philox(key=seed).random_raw(9).view(np.int64)
        for found in (drawn(seed), rg.jit(drawn)(seed)):
            assert found[0] == theirs[0]
            np.testing.assert_array_equal(found[1], theirs[1:7])
            np.testing.assert_array_equal(found[2], theirs[7:].reshape(2, 3))
            np.testing.assert_array_equal(found[3], words[5:])
            assert found[4] == words[6]


def every_method(seed, mean, scale):
    rng = rg.random.default_rng(seed)
    total = rng.normal() + rng.standard_normal() + rng.exponential() + rng.uniform(-1.0, mean)
    total += np.sum(rng.normal(mean, scale, 5)) + np.sum(rng.uniform(mean, 3.0, (2, 3)))
    total += np.sum(rng.exponential(scale, size=3)) + np.sum(rng.standard_exponential(2))
    row = mean * np.arange(4.0)
    total += np.sum(rng.normal(row, np.ones(4)) * row) + np.sum(rng.uniform(-row, row))
    table = np.array([1.0, 4.0, 9.0, 16.0]) * mean
    total += rng.choice(table) + np.sum(rng.choice(table, 3)) + np.sum(rng.choice(table, 2, False))
    total += np.sum(rng.choice(table, size=5, p=np.array([0.1, 0.2, 0.3, 0.4])))
    total += np.sum(rng.choice(table, 2, replace=False, p=np.array([0.5, 0.0, 0.25, 0.25])))
    total += np.sum(rng.permutation(table) * row) + rng.permutation(5)[2] + rng.choice(9)
    total += np.sum(rng.choice([mean, 2.0, 3.0], 2)) + rng.permutation((1.0, scale, mean))[0]
    rng.shuffle(table)
    total += table[0] * rng.integers(3, 9) + np.sum(rng.integers(4, size=6))
    total += rng.integers(1, 3, endpoint=True) + rng.integers(-(2**60), 2**60) * 1e-18
    one, two = rng.spawn(2)
    return total + one.normal() * mean + two.random() + rng.counter + one.key * 1e-19


def test_every_method_is_the_same_compiled():
    for seed in (3, 4):
        agree(every_method, seed, 0.75, 1.25)
    slope = rg.grad(every_method, (1, 2))(3, 0.75, 1.25)
    for k, h in enumerate(((1e-6, 0.0), (0.0, 1e-6))):
        ends = [every_method(3, 0.75 + s * h[0], 1.25 + s * h[1]) for s in (1.0, -1.0)]
        assert slope[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)
    assert slope == rg.grad(every_method, (1, 2), memory="64kB")(3, 0.75, 1.25)


def test_distributions():
    rng = rg.random.default_rng(1)
    n = 100_000
    x = rng.normal(2.0, 3.0, n)
    assert abs(np.mean(x) - 2.0) < 0.03
    assert abs(np.std(x) - 3.0) < 0.02
    assert abs(np.mean((x - 2.0) ** 4) / 81.0 - 3.0) < 0.06
    assert abs(np.mean(rng.exponential(2.0, n)) - 2.0) < 0.02
    np.testing.assert_allclose(np.bincount(rng.integers(0, 6, n)) * 6 / n, 1.0, atol=0.03)
    shares = np.bincount(rng.choice(3, n, p=np.array([0.5, 0.2, 0.3]))) / n
    np.testing.assert_allclose(shares, [0.5, 0.2, 0.3], atol=0.01)
    firsts = [rng.choice(3, 1, replace=False, p=np.array([0.5, 0.2, 0.3]))[0] for _ in range(1000)]
    np.testing.assert_allclose(np.bincount(firsts) / 1000, [0.5, 0.2, 0.3], atol=0.06)
    places = np.array([rng.permutation(4)[0] for _ in range(1000)])
    np.testing.assert_allclose(np.bincount(places) / 250, 1.0, atol=0.25)


def walk(x, n, seed):
    rng = rg.random.default_rng(seed)
    for _ in range(n):
        x = x + 0.01 * np.sin(x) * rng.normal(0.0, 1.0)
        if x > 1.0:
            x -= 0.01 * rng.random()
    return x


def test_a_walk_draws_the_same_in_every_sweep():
    value, slope = rg.value_and_grad(walk)(1.0, 3000, 5)
    assert value == pytest.approx(walk(1.0, 3000, 5), rel=1e-12)
    for memory in ("8kB", "20kB"):
        assert (value, slope) == rg.value_and_grad(walk, memory=memory)(1.0, 3000, 5)
    assert rg.jvp(lambda x: walk(x, 3000, 5), (1.0,), (1.0,))[1] == pytest.approx(slope, rel=1e-9)
    stopped = rg.interrupt(walk, 1.0, 3000, 5, steps=1000)
    assert isinstance(stopped, rg.Capsule)
    assert rg.resume(stopped) == value


def test_nothing_is_recorded_for_draws():
    def path(x, n):
        rng = rg.random.default_rng(7)
        for _ in range(n):
            x = x * (1.0 + 0.01 * rng.normal())
        return x

    def noisy(sigma, n):
        rng, total = rg.random.default_rng(7), 0.0
        for _ in range(n):
            total += np.sum(rng.normal(0.0, sigma, 100) ** 2.0)
        return total

    for f, words in ((path, 1), (noisy, 0)):
        g = rg.grad(f)
        g(1.0, 1000)
        taken = g.stats()
        assert (taken.tape_bytes if taken else 0) <= 8000 * words + 2000


class Model:
    def __init__(self, rng, x):
        self.rng = rng
        self.x = x

    def step(self, dt):
        self.x += dt * self.x * self.rng.normal()


def use(rng, x):
    return x * rng.uniform(0.5, 1.5)


def test_generators_are_objects():
    def f(x, seed):
        rng = rg.random.default_rng(seed)
        model = Model(rng, x)
        for _ in range(20):
            model.step(0.1)
            model.x = use(rng, model.x)
        again = rg.random.Generator(rng.key, 0)
        return model.x + again.random() + rng.counter

    agree(f, 0.5, 3)
    agree(f, 0.5, 4)
    slope = rg.grad(f)(0.5, 3)
    assert slope == pytest.approx((f(0.5 + 1e-6, 3) - f(0.5 - 1e-6, 3)) / 2e-6, rel=1e-6)
    assert slope == rg.grad(f, memory="16kB")(0.5, 3)


def test_generators_from_outside_are_advanced_by_jit_and_by_no_derivative():
    held = rg.random.default_rng(3)
    model = Model(rg.random.default_rng(5), 1.0)
    plain = rg.random.default_rng(3)
    jitted, slope = rg.jit(use), rg.grad(use, 1)
    for _ in range(2):
        assert jitted(held, 2.0) == pytest.approx(use(plain, 2.0))
    assert held.counter == 2
    assert slope(held, 2.0) == pytest.approx(use(rg.random.Generator(3, 2), 1.0))
    assert rg.grad(lambda x: use(held, x))(2.0) == slope(held, 2.0)
    assert rg.grad(lambda x: use(held, x), memory="8kB")(2.0) == slope(held, 2.0)
    assert held.counter == 2
    rg.jit(model.step)(0.1)
    assert model.rng.counter == 1
    made = rg.jit(rg.random.default_rng)(7)
    assert isinstance(made, rg.random.Generator)
    assert (made.key, made.counter) == (7, 0)


def test_keys_may_be_mapped():
    def total(x):
        return rg.map(lambda v: v * rg.random.default_rng(11).random(), x)

    def sample(key, mu):
        return rg.random.Generator(key, 0).normal(mu, 1.0)

    np.testing.assert_array_equal(rg.jit(total)(np.arange(3.0)), total(np.arange(3.0)))
    keys = rg.random.default_rng(2).words(5)
    found = rg.jit(lambda k, mu: rg.vmap(sample, in_axes=(0, None))(k, mu))(keys, 1.5)
    np.testing.assert_allclose(found, [sample(int(k), 1.5) for k in keys], rtol=1e-14)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda n: rg.random.default_rng(n),
        lambda n: rg.random.default_rng(1).random(n),
        lambda n: rg.random.default_rng(1).normal(0.0, float(n)),
        lambda n: rg.random.default_rng(1).exponential(np.full(2, n * 1.0)),
        lambda n: rg.random.default_rng(1).integers(0, n),
        lambda n: rg.random.default_rng(1).choice(3, 4, replace=False),
        lambda n: rg.random.bits(1, 2, n),
    ],
)
def test_what_raises_value_error(wrong):
    with pytest.raises(ValueError):  # noqa: PT011 - as NumPy, of which the texts differ
        wrong(-1)
    with pytest.raises(ValueError):  # noqa: PT011
        rg.jit(lambda n: _number(wrong(n)))(-1)


def _number(value):
    return value.random() if isinstance(value, rg.random.Generator) else np.sum(value) * 1.0


@pytest.mark.parametrize(
    "stateful",
    [
        lambda x: x * np.random.normal(),
        lambda x: x * np.random.rand(3)[0],
        lambda x: x * np.random.default_rng().normal(),
        lambda x: x * np.random.RandomState().normal(),
        lambda x: x * random.random(),
        lambda x: x * random.gauss(0.0, 1.0),
        lambda x: x * random.Random(3).random(),
        lambda x: x * rg.random.default_rng().random(),
        lambda x: x * OUTSIDE.normal(),
    ],
)
def test_draws_from_a_state_are_refused(stateful):
    with pytest.raises(UserError) as caught:
        rg.grad(stateful)(1.0)
    assert caught.value.code in ("RG0103", "RG0134")
    assert "rg.random.default_rng" in str(caught.value) or "give it an int" in str(caught.value)
    assert caught.value.span is not None


OUTSIDE = np.random.default_rng(3)


def test_a_method_that_is_not_there():
    with pytest.raises(UserError) as caught:
        rg.jit(lambda: rg.random.default_rng(1).poisson(2.0))()
    assert "exponential" in str(caught.value.way_out)
    with pytest.raises(UserError) as caught:
        rg.random.default_rng()
    assert caught.value.code == "RG0134"


def test_numpys_generator_as_an_argument_is_refused():
    with pytest.raises(UserError, match="default_rng") as caught:
        rg.jit(lambda rng: rng.normal())(np.random.default_rng(3))
    assert caught.value.code in ("RG0103", "RG0134")
