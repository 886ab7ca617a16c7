"""Attributes of functions: of those that the program defines, and of those from outside."""

from __future__ import annotations

from typing import Any

import pytest

import retrograd as rg
from retrograd.errors import UserError


def counted(x: Any) -> Any:
    def f(y: Any) -> Any:
        return y * x

    f.calls, f.scale = 0, 2.0 * x
    g = f
    for _ in range(5):
        f.calls += 1
        g.scale = f.scale * x
    return f(x) * g.scale + f.calls


def on_a_path(x: Any) -> Any:
    f = lambda y: y  # noqa: E731
    if x > 0.0:
        f.k = x
    return f.k * x + getattr(f, "m", 7.0) * hasattr(f, "k")


def used(f: Any, x: Any) -> Any:
    return f(x) * f.w


def handed_on(x: Any) -> Any:
    def f(y: Any) -> Any:
        return y * y

    f.w = 3.0 * x
    return used(f, x)


def outside(y: Any) -> Any:
    return y


outside.k = 2.5


def from_outside(x: Any) -> Any:
    return outside.k * x + getattr(outside, "q", x)


@pytest.mark.parametrize("f", [counted, on_a_path, handed_on, from_outside])
def test_attributes_are_those_of_python(f: Any) -> None:
    assert rg.jit(f)(1.2) == pytest.approx(f(1.2), rel=1e-14)
    rise = (f(1.2 + 1e-6) - f(1.2 - 1e-6)) / 2e-6
    assert rg.grad(f)(1.2) == pytest.approx(rise, rel=1e-8)


def test_what_is_not_assigned_raises() -> None:
    with pytest.raises(AttributeError, match="'function' object has no attribute 'k'"):
        rg.jit(on_a_path)(-1.0)


def test_attributes_from_outside_are_read_at_each_call() -> None:
    compiled = rg.jit(from_outside)
    assert compiled(1.0) == 3.5
    try:
        outside.k, outside.q = 3.5, 2.0
        assert compiled(1.0) == 5.5
    finally:
        outside.k = 2.5
        del outside.q
    assert compiled(1.0) == 3.5


def under_another_name(x: Any) -> Any:
    def f(y: Any) -> Any:
        return y

    g = f
    g.k = x
    return g.k


def of_a_function_outside(x: Any) -> Any:
    outside.k = x
    return x + outside.k


def test_attributes_of_functions_outside_are_written_back() -> None:
    try:
        assert rg.jit(of_a_function_outside)(1.5) == 3.0
        assert outside.k == 1.5
        assert rg.grad(of_a_function_outside)(2.0) == 2.0
        assert outside.k == 1.5
    finally:
        outside.k = 2.5


def that_it_does_not_have(x: Any) -> Any:
    outside.n = x
    return x


@pytest.mark.parametrize("f", [under_another_name, that_it_does_not_have])
def test_refusals(f: Any) -> None:
    with pytest.raises(UserError, match="RG0101"):
        rg.jit(f)(1.2)
