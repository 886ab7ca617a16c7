"""Derivatives in a budget have the bits of those without, and never take more than it."""

from __future__ import annotations

import _thread
import math
import threading
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from retrograd.options.memory import bytes_of, shown

pytestmark = pytest.mark.thinned(2)

RNG = np.random.default_rng(5)


def rotated(x, n):
    """The whole array changes in each step, and the length of the inner loop with the outer one."""
    for i in range(n):
        for _ in range(1 + i % 7):
            r = np.sqrt(np.sum(x * x))
            c, s = np.cos(r), np.sin(r)
            for k in range(0, len(x) - 1, 2):
                a, b = x[k], x[k + 1]
                x[k] = c * a - s * b
                x[k + 1] = s * a + c * b
    return np.sum(x * np.arange(len(x)))


def collatz(x, n):
    """Data-dependent loops, break and early return."""
    total, k = 0.0, 0
    while True:
        k += 1
        if k > n:
            return total
        x = x * 0.9999
        j = k
        while j != 1:
            j = j // 2 if j % 2 == 0 else 3 * j + 1
            total = total * 0.9 + math.sin(x * j * 1e-3)
            if total > 3.0:
                break


def walked(x, depth):
    if depth == 0:
        return math.sin(x)
    return math.sin(walked(x * 0.999, depth - 1)) * 1.0001 + x * 0.01


def hiked(x, depth):
    """A recursion with a loop at each level, on the way down and on the way up."""
    for _ in range(50):
        x = x - 0.01 * math.sin(x)
    if depth == 0:
        return x
    y = hiked(x * 0.999, depth - 1)
    for _ in range(50):
        y = y + 0.001 * math.cos(y * x)
    return y


def tree(x, depth):
    if depth == 0:
        return math.cos(x)
    return tree(x * 0.9, depth - 1) + tree(x * 1.1, depth - 1) * x


def growing(x, n):
    a = np.full(1, x)
    for k in range(n):
        b = np.zeros(len(a) + 1)
        for j in range(len(a)):
            b[j] = a[j] * 0.999 + 0.001 * k
        b[len(a)] = a[0] * x
        a = b
    return np.sum(a)


def diffused(u, v, n):
    for _ in range(n):
        lap = np.zeros(len(u))
        lap[1:-1] = u[2:] - 2.0 * u[1:-1] + u[:-2]
        w = u * v * v
        u = u + 0.1 * lap - 0.05 * w
        v = v + 0.05 * w - 0.01 * v
    return np.sum(u * u) + np.sum(v)


def inner_newton(x, n):
    for _ in range(n):
        x = x - 0.1 * rg.grad(lambda z: np.sum(np.cos(z) * z))(x)
    return np.sum(x)


CASES: dict[str, tuple[Any, tuple[Any, ...], tuple[int, ...]]] = {
    "rotated": (rotated, (RNG.normal(size=51), 60), (60_000, 25_000, 10_000)),
    "collatz": (collatz, (0.7, 600), (60_000, 3_500, 2_000)),
    "hiked": (hiked, (0.8, 200), (400_000, 150_000, 100_000)),
    "tree": (tree, (0.3, 9), (12_000, 5_000)),
    "growing": (growing, (0.9, 120), (130_000, 50_000, 25_000)),
    "diffused": (
        diffused, (RNG.uniform(size=40), RNG.uniform(size=40), 150), (200_000, 70_000, 25_000)
    ),
    "inner derivative": (inner_newton, (RNG.normal(size=9), 80), (20_000, 10_000, 5_000)),
}  # fmt: skip
"""Functions with arguments, and budgets: one that the whole tape fits in, and two smaller ones."""


def bits(value: Any) -> list[bytes]:
    leaves = value if isinstance(value, tuple) else (value,)
    return [np.asarray(leaf).tobytes() for leaf in leaves]


@pytest.mark.parametrize("name", CASES)
def test_less_memory_same_bits(name: str) -> None:
    fun, args, budgets = CASES[name]
    before = [np.array(a) for a in args]
    value, gradient = rg.value_and_grad(fun)(*args)
    leaves: list[int] = []
    for budget in budgets:
        limited = rg.value_and_grad(fun, memory=budget)
        found, back = limited(*args)
        assert bits((found, back)) == bits((value, gradient))
        ((_, runner),) = limited.made.values()
        assert 0 < runner.last.peak <= budget
        leaves.append(runner.last.leaves)
    assert leaves[0] == 1
    assert leaves[1:] == sorted(leaves[1:])
    assert leaves[1] > 1
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_long_run_in_little_memory() -> None:
    """A tape of 48 MB in a hundredth of that."""

    def pendulum(x, n):
        v = 0.0
        for _ in range(n):
            v -= 0.001 * math.sin(x)
            x += 0.001 * v
        return x

    want = rg.grad(pendulum)(1.0, 1_000_000)
    limited = rg.grad(pendulum, memory="480kB")
    assert limited(1.0, 1_000_000) == want
    stats = limited.stats()
    assert stats is not None
    assert stats.peak_bytes <= 480_000


def test_recursion_as_deep_as_memory() -> None:
    limited = rg.grad(walked, memory="400MB")
    depth = 100_000
    x = 0.8
    found = limited(x, depth)
    # The same as a loop, from the deepest level on.
    value, slope = math.sin(x * 0.999**depth), math.cos(x * 0.999**depth) * 0.999**depth
    for level in reversed(range(depth)):
        slope = math.cos(value) * slope * 1.0001 + 0.01 * 0.999**level
        value = math.sin(value) * 1.0001 + x * 0.999**level * 0.01
    assert found == pytest.approx(slope, rel=1e-9)


def test_arguments_as_for_any_gradient() -> None:
    class Model(NamedTuple):
        weights: np.ndarray
        rate: float

    def loss(model, x, steps):
        y = x * 1.0
        for _ in range(steps):
            y = y * model.weights + model.rate * scale
        return np.sum(y), y

    scale = 0.5
    args = (Model(np.array([0.9, 1.1]), 0.3), np.array([1.0, 2.0]), 500)
    want, aux = rg.grad(loss, argnums=(0, 1), has_aux=True)(*args)
    got, aux2 = rg.grad(loss, argnums=(0, 1), has_aux=True, memory=9000)(*args)
    np.testing.assert_array_equal(aux, aux2)
    np.testing.assert_array_equal(got[0].weights, want[0].weights)
    assert got[0].rate == want[0].rate
    np.testing.assert_array_equal(got[1], want[1])
    scale = 0.25
    again, _ = rg.grad(loss, argnums=(0, 1), has_aux=True)(*args)
    got, _ = rg.grad(loss, argnums=(0, 1), has_aux=True, memory=9000)(*args)
    np.testing.assert_array_equal(got[0].weights, again[0].weights)


def test_pullbacks_in_a_budget() -> None:
    x = RNG.normal(size=31)

    def flow(x, n):
        for _ in range(n):
            x = x + 0.01 * np.sin(x) * np.sum(x)
        return x

    y, pullback = rg.vjp(flow, x, 300)
    z, limited = rg.vjp(flow, x, 300, memory="25kB")
    np.testing.assert_array_equal(y, z)
    for seed in range(3):
        y_bar = np.random.default_rng(seed).normal(size=31)
        np.testing.assert_array_equal(pullback(y_bar)[0], limited(y_bar)[0])


def test_second_derivatives_in_a_budget() -> None:
    def f(x, n):
        for _ in range(n):
            x = x + 0.01 * math.sin(x) * x
        return x

    inner = rg.grad(f)
    want = rg.grad(inner)(0.4, 400)
    assert rg.grad(inner, memory="60kB")(0.4, 400) == want


def test_what_records_nothing_needs_no_schedule() -> None:
    assert rg.grad(lambda x: 3.0 * x, memory=10)(2.0) == 3.0
    np.testing.assert_array_equal(
        rg.grad(lambda x: np.sum(x), memory="1kB")(np.ones(4)), np.ones(4)
    )


def test_exceptions_of_the_program_come_as_ever() -> None:
    def late(x, n):
        a = np.zeros(50)
        for k in range(n):
            a[k] = x * k
        return np.sum(a)

    limited = rg.grad(late, memory="4kB")
    for _ in range(3):
        with pytest.raises(IndexError, match="index 50 is out of bounds"):
            limited(1.0, 60)
        assert limited(2.0, 50) == sum(range(50))


def test_in_threads() -> None:
    fun, args, _ = CASES["rotated"]
    want = bits(rg.grad(fun)(*args))
    limited, found = rg.grad(fun, memory="40kB"), []

    def run() -> None:
        found.append(bits(limited(*args)))

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [want] * 6


@pytest.mark.parametrize(
    "memory",
    [
        0,
        -5,
        2.5,
        True,
        "",
        "MB",
        "-3MB",
        "0 MB",
        "64 M",
        "1e400MB",
        "ten MB",
        b"64MB",
        1 << 70,
        "0.5 B",
        np.ones(2),
        np.ones(2, np.int64),
        np.True_,
        np.float64(8.0),
        "9" * 400 + "MB",
    ],
)
def test_budgets_that_are_none(memory: Any) -> None:
    with pytest.raises(UserError, match="RG4003"):
        rg.grad(rotated, memory=memory)
    with pytest.raises(UserError, match="RG4003"):
        rg.vjp(rotated, np.ones(3), 5, memory=memory)


def test_budgets_as_numpy_counts_them() -> None:
    x = np.linspace(-1.0, 1.0, 51)
    budget = np.prod((10, 100)) * 8
    assert bits(rg.grad(rotated, memory=budget)(x, 20)) == bits(rg.grad(rotated)(x, 20))


def test_a_schedule_is_no_budget() -> None:
    way: Any = rg.checkpointing.fixed_space(3)
    with pytest.raises(UserError, match=r"RG4003: memory= is given a schedule") as caught:
        rg.grad(rotated, memory=way)
    assert "checkpointing=rg.checkpointing.fixed_space(...)" in str(caught.value)


def test_budgets() -> None:
    assert bytes_of("64MB") == 64 * 10**6
    assert bytes_of("64 MiB") == 64 * 2**20
    assert bytes_of(".5kb") == 500
    assert shown(64e6) == "64 MB"


@pytest.mark.parametrize("budget", [1, 100, 500, 1500])
def test_too_little(budget: int) -> None:
    limited = rg.grad(rotated, memory=budget)
    x = RNG.normal(size=51)
    kept = x.copy()
    for _ in range(2):
        with pytest.raises(UserError, match="RG4004: .* too little"):
            limited(x, 60)
    np.testing.assert_array_equal(x, kept)


def test_an_int_that_has_no_64_bits() -> None:
    for call in (
        lambda: rg.grad(rotated, memory="60kB")(np.ones(3), 1 << 70),
        lambda: rg.interrupt(rotated, np.ones(3), 1 << 70, steps=5),
    ):
        with pytest.raises(UserError, match="RG0103: .* more than 64 bits"):
            call()


def test_interrupted_by_the_user() -> None:
    """Ctrl-C comes through while native code runs, and leaves nothing behind."""

    def pendulum(x, n):
        v = 0.0
        for _ in range(n):
            v -= 0.0001 * math.sin(x)
            x += 0.0001 * v
        return x

    limited = rg.grad(pendulum, memory="1MB")
    want = limited(1.0, 1000)
    timer = threading.Timer(0.2, _thread.interrupt_main)

    def run() -> None:
        timer.start()
        limited(1.0, 10**12)

    with pytest.raises(KeyboardInterrupt):
        run()
    timer.join()
    assert limited(1.0, 1000) == want


def test_what_was_done_can_be_looked_at() -> None:
    fun, args, budgets = CASES["rotated"]
    with rg.record() as run:
        rg.grad(fun, memory=budgets[0])(*args)
    assert (run.calls, run.leaves, run.snapshots, run.recomputed_steps) == (1, 1, 0, 0)
    length = run.steps
    with rg.record() as run:
        with rg.record() as inner:
            rg.grad(fun, memory=budgets[1])(*args)
        rg.grad(fun, memory=budgets[2])(*args)
    assert (run.calls, inner.calls) == (2, 1)
    assert run.steps == run.recomputed_steps + 2 * length
    assert run.peak_bytes <= budgets[1]
    assert inner.snapshots >= inner.live_snapshots > 0
    reversed_to = [e.end for e in inner.timeline if e.action == "reverse"]
    assert len(reversed_to) == inner.leaves
    assert reversed_to == sorted(reversed_to, reverse=True)
    assert reversed_to[-1] == 0


WAYS = {
    f"{kind.__name__} {tree} {split}": kind(*bound, leaf=leaf, tree=tree, split=split)
    for kind, bound in (
        (rg.checkpointing.fixed_space, (4,)),
        (rg.checkpointing.fixed_time, (2,)),
        (rg.checkpointing.logarithmic, ()),
    )
    for tree in ("binary", "treeverse")
    for split in ("bisection", "binomial")
    for leaf in (3000,)
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("way", WAYS)
def test_twelve_ways_same_bits(way: str) -> None:
    for name in ("rotated", "collatz", "hiked", "growing"):
        fun, args, _ = CASES[name]
        want = bits(rg.grad(fun)(*args))
        with rg.record() as run:
            assert bits(rg.grad(fun, checkpointing=WAYS[way])(*args)) == want
        assert run.leaves > 1
        if way.startswith("fixed_space"):
            assert run.live_snapshots <= 3


def test_budget_is_memory() -> None:
    fun, args, budgets = CASES["rotated"]
    way = rg.checkpointing.budget(budgets[1])
    with rg.record() as run:
        got = rg.grad(fun, checkpointing=way)(*args)
    assert bits(got) == bits(rg.grad(fun, memory=budgets[1])(*args))
    assert run.peak_bytes <= budgets[1]
    y, pullback = rg.vjp(fun, *args, checkpointing=way)
    assert bits(pullback(1.0)[0]) == bits(got)
    assert y == fun(args[0].copy(), args[1]) or np.isclose(y, fun(args[0].copy(), args[1]))


@pytest.mark.parametrize(
    "made",
    [
        lambda: rg.checkpointing.fixed_space(0),
        lambda: rg.checkpointing.fixed_space(True),
        lambda: rg.checkpointing.fixed_time(2.5),  # pyright: ignore
        lambda: rg.checkpointing.logarithmic(tree="oak"),
        lambda: rg.checkpointing.fixed_space(3, split="thirds"),
        lambda: rg.grad(rotated, checkpointing="fixed_space"),  # pyright: ignore
        lambda: rg.grad(rotated, memory="1MB", checkpointing=rg.checkpointing.budget("1MB")),
    ],
)
def test_checkpointings_that_are_none(made: Any) -> None:
    with pytest.raises(UserError, match="RG4005"):
        made()


def test_leaves_that_are_no_number_of_bytes() -> None:
    with pytest.raises(UserError, match="RG4003"):
        rg.grad(rotated, checkpointing=rg.checkpointing.fixed_space(3, leaf="big"))
