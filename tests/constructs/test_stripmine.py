"""Strip-mined loops: the numbers of the plain loop, with the states of each level on the tape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg


def plain(x: Any, n: Any) -> Any:
    for t in range(n):
        x = x - 1e-3 * np.sin(x) * (x + 1e-3 * t)
    return x


def two(x: Any, n: Any) -> Any:
    for t in rg.stripmine(range(n)):
        x = x - 1e-3 * np.sin(x) * (x + 1e-3 * t)
    return x


def three(x: Any, n: Any) -> Any:
    for t in rg.stripmine(range(n), 3):
        x = x - 1e-3 * np.sin(x) * (x + 1e-3 * t)
    return x


def heat(levels: int) -> Any:
    def run(u: Any, n: Any) -> Any:
        for _ in rg.stripmine(range(n), levels):
            v = u.copy()
            for i in range(1, len(u) - 1):
                v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i]
            u = v
        return np.sum(u * u)

    return run


U = np.linspace(0.0, 1.0, 20)


@pytest.mark.parametrize("n", [-3, 0, 1, 2, 7, 8, 9, 26, 27, 28, 100, 1000])
@pytest.mark.parametrize("f", [two, three])
def test_the_numbers_of_the_plain_loop(f: Any, n: int) -> None:
    assert rg.value_and_grad(f)(0.7, n) == rg.value_and_grad(plain)(0.7, n)
    assert rg.jvp(f, (0.7, n), (1.0, 0)) == rg.jvp(plain, (0.7, n), (1.0, 0))
    assert rg.jit(f)(0.7, n) == rg.jit(plain)(0.7, n)


def test_uncompiled_it_is_the_range() -> None:
    assert rg.stripmine(range(3, 9, 2), 4) == range(3, 9, 2)


def test_other_ranges() -> None:
    def backwards(x: Any) -> Any:
        for t in rg.stripmine(range(40, 3, -3)):
            x = x + 1e-2 * np.sin(x * t)
        return x

    def simple(x: Any) -> Any:
        for t in range(40, 3, -3):
            x = x + 1e-2 * np.sin(x * t)
        return x

    assert rg.value_and_grad(backwards)(0.3) == rg.value_and_grad(simple)(0.3)


@pytest.mark.parametrize(("levels", "words"), [(1, 4096), (2, 2 * 65), (3, 3 * 17), (4, 4 * 9)])
def test_states_on_the_tape(levels: int, words: int) -> None:
    def decay(x: Any) -> Any:
        for _ in rg.stripmine(range(4096), levels):
            x = x - 1e-4 * x * x
        return x

    slope = rg.grad(decay)
    slope(0.5)
    assert slope.stats().tape_bytes <= 8 * words


def test_arrays_and_derivatives_of_derivatives() -> None:
    rg.check_grads(heat(2), (U, 30))
    whole = rg.grad(heat(1))(U, 300)
    for levels in (2, 3):
        np.testing.assert_array_equal(rg.grad(heat(levels))(U, 300), whole)
        np.testing.assert_array_equal(rg.grad(heat(levels), memory="40kB")(U, 300), whole)
    stop = rg.grad(two)
    assert rg.grad(stop)(0.7, 50) == rg.grad(rg.grad(plain))(0.7, 50)
    assert rg.jvp(stop, (0.7, 50), (1.0, 0)) == rg.jvp(rg.grad(plain), (0.7, 50), (1.0, 0))


def test_interrupted_runs_and_capsules() -> None:
    whole = rg.grad(three)(0.7, 500)
    found = rg.interrupt(rg.grad(three), 0.7, 500, steps=37)
    while isinstance(found, rg.Capsule):
        found = rg.resume(rg.Capsule.from_bytes(found.to_bytes()), steps=101)
    assert found == whole


def test_a_loop_inside_it_and_around_it() -> None:
    def f(x: Any, n: Any) -> Any:
        total = 0.0
        for k in range(3):
            for _ in rg.stripmine(range(n)):
                for _ in range(2):
                    x = x + 1e-2 * np.sin(x)
            total += x * k
        return total

    def simple(x: Any, n: Any) -> Any:
        total = 0.0
        for k in range(3):
            for _ in range(n):
                for _ in range(2):
                    x = x + 1e-2 * np.sin(x)
            total += x * k
        return total

    assert rg.value_and_grad(f)(0.4, 11) == rg.value_and_grad(simple)(0.4, 11)
    assert rg.grad(f, memory="2kB")(0.4, 11) == rg.grad(simple)(0.4, 11)


def test_what_is_refused() -> None:
    def leaves(x: Any) -> Any:
        for _ in rg.stripmine(range(9)):
            x = x * 2.0
            if x > 5.0:
                break
        return x

    def over_an_array(x: Any) -> Any:
        s = 0.0
        for v in rg.stripmine(x):
            s += v
        return s

    def too_deep(x: Any) -> Any:
        for _ in rg.stripmine(range(9), 9):
            x = x * 2.0
        return x

    def unknown(x: Any, n: Any) -> Any:
        for _ in rg.stripmine(range(9), n):
            x = x * 2.0
        return x

    for f, args, code in (
        (leaves, (1.0,), "RG0101"), (over_an_array, (U,), "RG0110"), (too_deep, (1.0,), "RG0110"),
        (unknown, (1.0, 2), "RG0113"),
    ):  # fmt: skip
        with pytest.raises(rg.UserError, match=code):
            rg.grad(f)(*args)
    with pytest.raises(ValueError, match="levels"):
        rg.stripmine(range(3), 0)
