"""Numbers that are arrays without axes in NumPy were changed for one of their names only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def another_name(s: Any) -> Any:
    y = np.array(s * 2.0)
    z = y
    y += 1.0
    return z


def in_a_loop(s: Any) -> Any:
    y = np.zeros(())
    z = y
    for k in range(3):
        y += s * k
    return z


def an_argument(s: Any) -> Any:
    def more(a: Any) -> None:
        a += 1.0

    y = np.array(s)
    more(y)
    return y


def in_a_list(s: Any) -> Any:
    y = np.array(s)
    held = [y]
    y += 1.0
    return held[0]


def in_a_dict(s: Any) -> Any:
    y = np.array(s)
    held = {"y": y}
    held["y"] += 1.0
    return y


def of_an_array(s: Any) -> Any:
    a = np.array([s, 1.0])
    y = a[0, ...]
    y += 1.0
    return a[0]


def squeezed(s: Any) -> Any:
    a = np.array([s])
    y = np.squeeze(a)
    y *= 2.0
    return a[0]


def on_some_paths(s: Any) -> Any:
    y = np.array(s)
    z = np.array(2.0 * s) if s > 5.0 else y
    y += 1.0
    return z


def in_a_list_that_grows(s: Any) -> Any:
    held: list[Any] = []
    y = np.array(s)
    for _ in range(int(s * 2.0)):
        held.append(y)
    y += 1.0
    return held[0]


def given_back(s: Any) -> Any:
    def same(v: Any) -> Any:
        return v

    y = np.array(s)
    z = same(y)
    y += 1.0
    return z


def read_by_a_function(s: Any) -> Any:
    def read() -> Any:
        return y

    y = np.array(s)
    z = read()
    y += 1.0
    return z


def complex_number(s: Any) -> Any:
    y = np.array(s + 1j)
    z = y
    y += 1.0
    return z.real


class Total:
    def __init__(self) -> None:
        self.value = np.zeros(())

    def add(self, v: Any) -> None:
        self.value += v


def seen_from_outside(s: Any) -> Any:
    total = Total()
    seen = total.value
    total.add(s)
    return seen + total.value


@pytest.mark.parametrize(
    "program",
    [another_name, in_a_loop, an_argument, in_a_list, in_a_dict, of_an_array, squeezed,
     on_some_paths, in_a_list_that_grows, given_back, read_by_a_function, complex_number,
     seen_from_outside],
)  # fmt: skip
def test_what_others_see_is_refused(program: Any) -> None:
    assert program(1.5) != 1.5
    for way in (rg.jit, rg.grad):
        with pytest.raises(UserError, match="RG0106") as caught:
            way(program)(1.5)
        assert "x = x + y" in str(caught.value)


def alone(s: Any) -> Any:
    total = np.zeros(())
    for k in range(3):
        total += s * k
    total *= 2.0
    return total


def made_by_functions(s: Any) -> Any:
    def clipped(v: Any) -> Any:
        v = np.asarray(v)
        if v > 3.0:
            return np.where(v > 4.0, v, 2.0 * v)
        return np.where(v > 1.0, v, 0.1 * v)

    y = clipped(s)
    y *= 3.0
    z = clipped(y)
    z += y
    return z


def of_one_of_two(s: Any) -> Any:
    y = np.array(2.0 * s) if s > 1.0 else s * s
    y += 1.0
    return y


def copies(s: Any) -> Any:
    y = np.array(s)
    z, number, other = y.copy(), float(y), y * 1.0
    y += 1.0
    other += 2.0
    return z + 2.0 * number + 3.0 * y + other


def plain_numbers(s: Any) -> Any:
    y = s
    z = y
    a = np.array([s, 2.0])
    b = a[0]
    y += 1.0
    b += 1.0
    return y + z + b + a[0]


def in_methods(s: Any) -> Any:
    total = Total()
    for k in range(3):
        total.add(k * s)
    return total.value


def by_inner_functions(s: Any) -> Any:
    total = np.zeros(())

    def add(v: Any) -> None:
        nonlocal total
        total += v

    add(s)
    add(s * s)
    return total


@pytest.mark.parametrize(
    "program",
    [alone, made_by_functions, of_one_of_two, copies, plain_numbers, in_methods,
     by_inner_functions],
)  # fmt: skip
def test_what_nobody_else_sees_changes(program: Any) -> None:
    value, slope = rg.value_and_grad(program)(1.5)
    assert value == pytest.approx(float(program(1.5)), rel=1e-15)
    ends = float(program(1.5 + 1e-6)) - float(program(1.5 - 1e-6))
    assert slope == pytest.approx(ends / 2e-6, rel=1e-8)
