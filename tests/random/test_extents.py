"""Programs for which it is known which extents are equal, on arrays whose extents are others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import retrograd as rg

EXTENTS = (0, 1, 1, 2, 3, 4, 5, 5, 8, 40)


def stretched(x: Any, y: Any, v: Any) -> Any:
    a = x * y - v
    b = np.sum(a, axis=0) + v
    return np.sum(np.sum(a * x, axis=1, keepdims=True) * y) + np.sum(b * b)


def carried(x: Any, y: Any, v: Any) -> Any:
    p, total = x + y, 0.0
    for k in range(3):
        p = p * v + y
        total += np.sum(p) / (k + 1.0)
    return total


def multiplied(x: Any, y: Any, v: Any) -> Any:
    w = x @ v + np.sum(y, axis=1)
    return np.sum(x.T @ (x * y)) + w @ w + np.sum(y.T @ x)


def sliced(x: Any, y: Any, v: Any) -> Any:
    out = np.zeros(x.shape)
    out[:, :] = y
    out[...] += v
    out[1:] -= x[:-1] * y
    return np.sum(out * x)


def chosen(x: Any, y: Any, v: Any) -> Any:
    part = x if np.sum(v) > 0.0 else y
    return np.sum(np.where(part > 0.0, part * v, x - y)) + np.sum(np.stack((v, v + 1.0))[0])


PROGRAMS = (stretched, carried, multiplied, sliced, chosen)
TABLE = np.ones((2, 3))


def drawn(draw: random.Random) -> tuple[tuple[int, ...], ...]:
    """Shapes that may fit each other, or not."""
    n, m = draw.choice(EXTENTS), draw.choice(EXTENTS)
    some = [(n, m), (n, m), (m,)]
    for k, shape in enumerate(some):
        if draw.random() < 0.4:
            some[k] = tuple(e if draw.random() < 0.5 else draw.choice((1, n, m)) for e in shape)
    return tuple(some)


def outcome(f: Any, args: Sequence[Any]) -> Any:
    try:
        return f(*args)
    except (ValueError, IndexError) as error:
        return type(error)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("calls", [3, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("f", PROGRAMS)
def test_one_function_is_called_with_one_pattern_after_the_other(f: Any, calls: int) -> None:
    """As on NumPy, as with other ways to pay, and the slope as differences."""
    draw, data = random.Random(f.__name__), np.random.default_rng(0)
    plain, slopes = rg.jit(f), rg.grad(f, (0, 1, 2))
    within = rg.grad(f, (0, 1, 2), memory="1MB")
    for _ in range(calls):
        args = [data.normal(size=shape) for shape in drawn(draw)]
        want, found = outcome(f, args), outcome(plain, args)
        if isinstance(want, type):
            assert found is want, [a.shape for a in args]
            assert outcome(slopes, args) is want
            continue
        np.testing.assert_allclose(found, want, rtol=1e-11, atol=1e-12)
        bars = slopes(*args)
        for a, b in zip(bars, within(*args), strict=True):
            assert a.tobytes() == b.tobytes()
        dots = [data.normal(size=a.shape) for a in args]
        along = sum(float(np.sum(a * b)) for a, b in zip(bars, dots, strict=True))
        tangent = rg.jvp(f, tuple(args), tuple(dots))[1]
        np.testing.assert_allclose(along, tangent, rtol=1e-9, atol=1e-10)
        h = 1e-6
        ends = [f(*(a + s * d for a, d in zip(args, dots, strict=True))) for s in (h, -h)]
        assert abs((ends[0] - ends[1]) / (2 * h) - along) < 1e-5 * (1.0 + abs(along))


def test_arrays_that_are_read_may_be_replaced_by_others_of_other_extents() -> None:
    def f(x: Any) -> Any:
        return np.sum(x * TABLE) + np.sum(TABLE @ TABLE.T)

    global TABLE  # noqa: PLW0603 - a program reads it
    ours, kept = rg.grad(f), TABLE
    x = np.arange(12.0).reshape(4, 3)[:1]
    try:
        for shape in ((2, 3), (1, 3), (5, 3)):
            TABLE = np.arange(1.0, 1.0 + shape[0] * shape[1]).reshape(shape)
            want = np.broadcast_to(TABLE, (shape[0], 3)).sum(axis=0, keepdims=True)
            np.testing.assert_allclose(ours(x), want)
    finally:
        TABLE = kept


def test_a_dict_of_arrays_and_keywords() -> None:
    def f(p: Any, *, scale: Any) -> Any:
        return np.sum((p["w"] @ p["b"] - scale) ** 2)

    data = np.random.default_rng(1)
    for n, m in ((2, 2), (6, 5), (5, 1)):
        p = {"w": data.normal(size=(n, m)), "b": data.normal(size=m)}
        for k in (1, n):
            scale = data.normal(size=k)
            rest = 2.0 * (p["w"] @ p["b"] - scale)
            found = rg.grad(f)(p, scale=scale)
            np.testing.assert_allclose(found["b"], p["w"].T @ rest, rtol=1e-10, atol=1e-12)
            np.testing.assert_allclose(found["w"], np.outer(rest, p["b"]), rtol=1e-10, atol=1e-12)


def test_a_capsule_is_read_with_arguments_of_other_extents(tmp_path: Any) -> None:
    def f(x: Any, y: Any) -> Any:
        total = 0.0
        for k in range(200):
            total += np.sum(x * y) / (k + 1.0)
        return total

    x, y = np.arange(3.0), np.ones(1)
    rg.interrupt(f, x, y, steps=50).save(tmp_path / "run.rg")
    again = rg.Capsule.load(tmp_path / "run.rg", f, np.ones(7), np.ones(7))
    assert rg.resume(again) == rg.jit(f)(x, y)
