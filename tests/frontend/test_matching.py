"""`match` and `case`: every kind of pattern, with Python's value and both slopes."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg


@dataclass
class Circle:
    r: float


@dataclass
class Rect:
    w: float
    h: float
    kind: str = "r"


class Point(NamedTuple):
    x: float
    y: float


class Held:
    def __init__(self, v: Any) -> None:
        self.v = v


class Op(enum.Enum):
    ADD = 1
    MUL = 2


def found(s: Any) -> Any:
    match s:
        case Circle(r=r):
            return math.pi * r * r
        case Rect(w, h) if w > h:
            return w - h
        case Rect(w, h):
            return w * h
        case Point(x, y=0.0):
            return x
        case (x, y):
            return x / y
        case [first, *rest, _, _]:
            return first + 2.0 * sum(rest)
        case {"a": a, **other}:
            return a * len(other) + sum(other.values())
        case None | False:
            return 7.0
        case Held(v=(1 | 2) as w):
            return w * 2.0
        case Held(v=Circle(r) | Rect(r, _)):
            return r * 3.0
        case float(v) | int(v):
            return v * 5.0
        case "text" | "other":
            return 11.0
        case Op.ADD:
            return 13.0
        case _:
            return 17.0


def of_everything(a: float, b: float, n: int) -> Any:
    subjects = (
        Circle(a), Rect(a, b), Rect(b, a), Point(a, 0.0), Point(a, b), [a, b, a * b, a, 2.0],
        {"a": a, "b": b, "c": a}, {"b": a}, None, False, Held(1), Held(3), Held(Circle(b)),
        Held(Rect(b, 1.0)), a, 3, "text", "none", Op.ADD, Op.MUL,
    )  # fmt: skip
    total = 0.0
    for s in subjects:
        total = total * 0.9 + found(s)
    match n:
        case 0:
            k = a
        case 1 | 2:
            k = b
        case m if m > 5:
            k = a * m
        case _:
            k = a * b
    match a, n:
        case x, 3:
            k += x
        case x, _ if x > 0:
            k -= x * x
    match n % 3:
        case 0:
            pass
        case 1:
            k *= 2
    return total + k


@pytest.mark.parametrize("n", [0, 1, 3, 7])
def test_patterns(n: int) -> None:
    assert compiled(1.5, 0.7, n)[0] == of_everything(1.5, 0.7, n)
    _, bars = compiled(1.5, 0.7, n)
    h = 1e-6
    along = [
        (of_everything(1.5 + h, 0.7, n) - of_everything(1.5 - h, 0.7, n)) / (2 * h),
        (of_everything(1.5, 0.7 + h, n) - of_everything(1.5, 0.7 - h, n)) / (2 * h),
    ]
    np.testing.assert_allclose(bars, along, rtol=1e-7)


compiled = rg.value_and_grad(of_everything, (0, 1))


def walk(x: float, n: int) -> float:
    """A state that is decided in a loop."""
    state, total = 0, x
    for k in range(n):
        match state, total > 2.0:
            case 0, large if large:
                state, total = 1, total * 0.5
            case 1, _ if k % 2:
                state = 0
            case (s, large) if not large:
                total += math.sin(x * (s + 1))
            case _:
                total *= 1.1
    return total


def test_in_a_loop_within_memory() -> None:
    assert rg.jit(walk)(0.7, 30) == pytest.approx(walk(0.7, 30), rel=1e-14)
    assert rg.grad(walk)(0.7, 30) == rg.grad(walk, memory="4kB")(0.7, 30)
    assert rg.jvp(walk, (0.7, 30), (1.0, 0))[1] == pytest.approx(rg.grad(walk)(0.7, 30), rel=1e-13)


def test_a_guard_leaves_what_it_bound() -> None:
    def kept(x: float) -> float:
        y = 1.0
        match (x, 2.0 * x):
            case (y, z) if z > 10.0:
                return z
            case _:
                return y

    assert rg.jit(kept)(3.0) == kept(3.0) == 3.0


def test_names_of_builtins_may_be_the_users() -> None:
    def shadowed(x: float) -> float:
        isinstance = len = 3.0
        match (x, x * 2.0):
            case (a, b):
                return a * b + isinstance + len

    assert rg.jit(shadowed)(2.0) == shadowed(2.0)


def test_truth_values_of_python_are_one_object_each() -> None:
    def told(x: float, a: Any) -> float:
        long = len(a) > int(x)
        of_numpy = a[0] > x
        return x * ((long is True) + 2 * (long is not False) + 4 * (of_numpy is True))

    for x in (1.5, 5.5):
        args = (x, np.array([3.0, 6.0]))
        assert rg.jit(told)(*args) == told(*args)


def test_guards_whose_pattern_is_decided_when_the_program_runs() -> None:
    def told(x: float) -> Any:
        match np.sign(x), int(abs(x)):
            case (1.0, n) if n > 1:
                return x * n
            case (s, 0 | 1):
                return s * x * x
            case (_, n):
                return n + x

    compiled_told = rg.value_and_grad(told)
    for x, slope in ((0.7, 1.4), (-0.8, 1.6), (2.6, 2.0), (-3.5, 1.0)):
        assert compiled_told(x) == (told(x), pytest.approx(slope))
