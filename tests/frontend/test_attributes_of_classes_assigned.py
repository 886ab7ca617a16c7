"""Counters and registries: attributes of classes that a program assigns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import pytest

import retrograd as rg
from retrograd.errors import UserError


class Counted:
    count = 0
    total = 0.0
    best: float | None = None
    made: list[float] = []  # noqa: RUF012 - a registry

    def __init__(self, x: float) -> None:
        self.x = x
        Counted.count += 1

    @classmethod
    def add(cls) -> None:
        cls.count += 1

    def value(self) -> float:
        type(self).total += self.x
        return self.x * self.count


class Derived(Counted):
    pass


class Color(Enum):
    RED = 1


def fresh() -> None:
    Counted.count, Counted.total, Counted.best, Counted.made = 0, 0.0, None, []


def state() -> Any:
    return repr((Counted.count, Counted.total, Counted.best, Counted.made))


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    fresh()
    yield
    fresh()


def by_objects(x: float) -> float:
    one, other = Counted(x), Counted(2.0 * x)
    return one.value() + other.value()


def by_a_class_method(x: float) -> float:
    for _ in range(3):
        Counted.add()
    return x * Derived.count


def in_a_branch(x: float) -> float:
    if Counted.best is None or x > Counted.best:
        Counted.best = x
    return x


def a_registry(x: float) -> int:
    Counted.made = [*Counted.made, x]
    Counted.made.append(-x)
    return len(Counted.made)


def raising(x: float) -> float:
    Counted.count += 1
    if x > 1.0:
        raise ValueError("x")
    return x


@pytest.mark.parametrize("f", [by_objects, by_a_class_method, in_a_branch, a_registry, raising])
def test_they_are_as_python_leaves_them(f: Callable[[float], Any]) -> None:
    found: list[Any] = []
    for function in (f, rg.jit(f)):
        fresh()
        for x in (0.5, 2.0, 0.25):
            try:
                found.append(function(x))
            except ValueError as error:
                found.append(str(error))
            found.append(state())
    assert found[: len(found) // 2] == found[len(found) // 2 :]


def test_derivatives_leave_them() -> None:
    before = state()
    assert rg.grad(by_objects)(2.0) == 6.0
    assert rg.grad(by_objects, memory="1MB")(2.0) == 6.0
    assert rg.jvp(by_objects, (2.0,), (1.0,)) == (12.0, 6.0)
    assert state() == before
    at_two = by_objects(2.0)
    fresh()
    assert (by_objects(2.000001) - at_two) / 1e-6 == pytest.approx(6.0)
    Counted.count = 3
    assert rg.grad(by_objects)(2.0) == 15.0


def test_what_is_refused() -> None:
    def of_a_base(x: float) -> float:
        Derived.count += 1
        return x

    def a_method(x: float) -> float:
        Counted.value = lambda self: x  # type: ignore[method-assign]
        return x

    def a_member(x: float) -> float:
        Color.RED = 2  # type: ignore[misc]
        return x

    for f in (of_a_base, a_method, a_member):
        with pytest.raises(UserError, match=r"RG0101: the attribute .* is assigned"):
            rg.jit(f)(1.0)
