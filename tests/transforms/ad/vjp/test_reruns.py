"""Checkpointed executions that are run again as a whole: equal bits, and what is on the tape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

pytestmark = pytest.mark.thinned(2)

policies = rg.checkpoint_policies
Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]

N = 100
ONE = 8 * N
EXTENTS = 2000
"""Bytes that extents and headers may take."""


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def sines(wrap: Wrap) -> Callable[..., Any]:
    """Sixteen sines, halved until one is left; all but the last half is checkpointed."""

    def compose(count: int) -> Callable[..., Any]:
        if count == 1:
            return np.sin
        last, first = compose(count // 2), wrap(compose(count // 2))
        return lambda x: last(first(x))

    sixteen = compose(16)
    return lambda x: np.sum(sixteen(x))


def recursion(wrap: Wrap) -> Callable[..., Any]:
    def chain(x: Any, n: int) -> Any:
        if n == 1:
            return np.sin(x)
        return inner(inner(x, n // 2), n - n // 2)

    inner = wrap(chain)
    return lambda x: np.sum(chain(x, 64))


def blocks(wrap: Wrap) -> Callable[..., Any]:
    def block(x: Any, n: int) -> Any:
        for _ in range(n):
            x = np.sin(x)
        return x

    inner = wrap(block)

    def loss(x: Any) -> Any:
        for _ in range(40):
            x = inner(x, 40)
        return np.sum(x)

    return loss


def while_loops(wrap: Wrap) -> Callable[..., Any]:
    def shrink(x: Any, least: float) -> Any:
        while np.sum(x) > least:
            x = 0.9 * np.sin(x)
        return x

    inner = wrap(shrink)

    def loss(x: Any) -> Any:
        y = inner(x, 30.0)
        return np.sum(inner(y + 1.0, 20.0) * y)

    return loss


def writes(wrap: Wrap) -> Callable[..., Any]:
    """The function writes into its argument, which is read before and afterwards."""

    def smooth(a: Any, times: int) -> None:
        for _ in range(times):
            for i in range(1, len(a)):
                a[i] = np.sin(a[i] * a[i - 1]) + 0.1 * a[i]
        a[0] = a[1] * a[2]
        a *= 1.1

    inner = wrap(smooth)

    def loss(x: Any) -> Any:
        a = x * 2.0
        before = a * a
        inner(a, 3)
        inner(before, 2)
        inner(a, 2)
        return np.sum(a * x * before)

    return loss


def branches(wrap: Wrap) -> Callable[..., Any]:
    def either(x: Any, s: float) -> Any:
        if s > 0.3:
            y = x * x
            for _ in range(4):
                y = np.cos(y) * x
            return y
        return np.exp(-x)

    inner = wrap(either)

    def loss(x: Any) -> Any:
        for i in range(6):
            x = inner(x, np.sin(1.0 * i) + x[i])
        return np.sum(x)

    return loss


def between(wrap: Wrap) -> Callable[..., Any]:
    """Under `dots_saveable` the loop in the middle is recorded, those around it are run again."""

    def three(x: Any) -> Any:
        for _ in range(3):
            x = np.sin(x) * x
        w = np.outer(x, x) / len(x)
        for _ in range(3):
            x = np.sin(w @ x)
        for _ in range(3):
            x = np.cos(x) * x
        return x

    inner = wrap(three)
    return lambda x: np.sum(inner(inner(x)) * x)


PROGRAMS = [sines, recursion, blocks, while_loops, writes, branches, between]
POLICIES = {
    "nothing": policies.nothing_saveable,
    "dots": policies.dots_saveable,
    "everything": policies.everything_saveable,
    "own": lambda residual: residual.primitive in ("sin", "mul", "update"),
}


def wrapping(policy: str) -> Wrap:
    return lambda function: rg.checkpoint(function, policy=POLICIES[policy])


def gradient(loss: Callable[..., Any], **options: Any) -> tuple[Any, Any]:
    """Its bytes, and the statistics of the run."""
    found = rg.value_and_grad(loss, **options)
    value, bar = found(np.linspace(0.2, 1.3, N))
    return (np.asarray(value).tobytes(), bar.tobytes()), found.stats()


@pytest.mark.parametrize(
    ("program", "policy"),
    [
        pytest.param(p, name, marks=[] if name == "nothing" or p is between else pytest.mark.slow)
        for p in PROGRAMS
        for name in POLICIES
    ],
)
def test_a_checkpoint_changes_no_bit(program: Callable[[Wrap], Any], policy: str) -> None:
    expected, _ = gradient(program(plain))
    found, _ = gradient(program(wrapping(policy)))
    assert found == expected


@pytest.mark.parametrize("program", [recursion, writes, between])
def test_nor_does_one_under_a_budget(program: Callable[[Wrap], Any]) -> None:
    expected, stats = gradient(program(plain))
    found, _ = gradient(program(wrapping("nothing")), memory=2 * stats.peak_bytes)
    assert found == expected


@pytest.mark.parametrize(
    ("program", "arrays", "peak"),
    [(sines, 3, 6), (recursion, 1, 14), (blocks, 80, 83), (branches, 20, 29)],
)
def test_what_stays_on_the_tape(program: Callable[[Wrap], Any], arrays: int, peak: int) -> None:
    """In arrays of the size of the argument."""
    _, stats = gradient(program(wrapping("nothing")))
    assert stats.tape_bytes <= arrays * ONE + EXTENTS
    assert stats.peak_bytes <= peak * ONE + EXTENTS


def test_second_derivatives_have_the_same_bits() -> None:
    def curvature(wrap: Wrap) -> Any:
        loss = branches(wrap)
        return rg.grad(lambda x: np.sum(rg.grad(loss)(x) ** 2))(np.linspace(0.2, 1.3, 12))

    assert curvature(rg.checkpoint).tobytes() == curvature(plain).tobytes()


def test_output_is_written_once(capsys: pytest.CaptureFixture[str]) -> None:
    @rg.checkpoint
    def noisy(x: Any) -> Any:
        for _ in range(2):
            print("once")
            x = x * np.sin(x)
        return x

    rg.grad(lambda x: np.sum(noisy(x)))(np.ones(3))
    assert capsys.readouterr().out == "once\n" * 2


def test_rules_of_ones_own_are_kept_to() -> None:
    """The value of a forward rule may have other bits than the function."""

    @rg.custom_vjp
    def cube(x: Any) -> Any:
        return x**3

    def forward(x: Any) -> tuple[Any, Any]:
        return x * x * x * 1.0000001, x

    cube.defvjp(forward, lambda x, bar: (3.0 * x * x * bar,))

    def loss(wrap: Wrap) -> Any:
        def body(x: Any) -> Any:
            x = cube(x)
            for _ in range(3):
                x = np.sin(cube(x)) * x
            return x

        inner = wrap(body)
        return lambda x: np.sum(inner(inner(x)))

    marked, stats = gradient(loss(rg.checkpoint))
    unmarked, others = gradient(loss(plain))
    assert marked == unmarked
    assert stats.tape_bytes < others.tape_bytes


def test_an_exception_is_raised_once_and_nothing_is_lost() -> None:
    @rg.checkpoint
    def careful(x: Any) -> Any:
        for i in range(3):
            if x[i] > 2.0:
                raise ValueError("too large")
            x = x * np.sin(x)
        return x

    slope = rg.grad(lambda x: np.sum(careful(x)))
    first = slope(np.ones(5))
    with pytest.raises(ValueError, match="too large"):
        slope(np.full(5, 3.0))
    assert slope(np.ones(5)).tobytes() == first.tobytes()
