"""Loops over generators that gave wrong numbers in the first days of `interleaving`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

import retrograd as rg
from retrograd.errors import UserError


def last_item_is_used(x: Any) -> Iterator[Any]:
    v = 10.0 * x
    for v in [x, 2.0 * x]:
        yield v
    yield 3.0 * v


def test_a_name_that_is_used_after_a_loop_of_yields_has_the_last_item() -> None:
    def total(x: Any) -> Any:
        found = 0.0
        for v in last_item_is_used(x):
            found = found * 0.5 + v
        return found

    assert rg.value_and_grad(total)(0.5) == (total(0.5), total(1.0))


class Base:
    def __init__(self, value: Any) -> None:
        self.value = value

    def walk(self) -> Iterator[Any]:
        yield self.value
        yield 2.0 * self.value

    def weight(self) -> Any:
        return self.value


class Derived(Base):
    def walk(self) -> Iterator[Any]:
        yield 5.0 * self.value
        yield from super().walk()

    def weight(self) -> Any:
        return 100.0 * self.value

    def parts(self) -> Iterator[Any]:
        yield Derived(2.0 * self.value)
        yield Derived(3.0 * self.value)

    def by_super(self) -> Any:
        total = 0.0
        for part in self.parts():
            total += part.value * super().weight()
        return total

    def by_method(self) -> Any:
        total, own = 0.0, super().weight
        for part in self.parts():
            total += part.value * own()
        return total


def test_a_generator_of_the_base_class_is_that_of_the_base_class() -> None:
    def total(x: Any) -> Any:
        found = 0.0
        for v in Derived(x).walk():
            found = found * 0.5 + v
        return found

    assert rg.value_and_grad(total)(0.5) == (total(0.5), total(1.0))


def test_super_in_the_body_is_not_that_of_an_item() -> None:
    with pytest.raises(UserError, match="RG0101"):
        rg.jit(lambda x: Derived(x).by_super())(0.5)
    assert rg.jit(lambda x: Derived(x).by_method())(0.5) == Derived(0.5).by_super()


def test_a_generator_that_is_replaced_in_its_class_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def total(x: Any) -> Any:
        found = 0.0
        for v in Base(x).walk():
            found += v
        return found

    compiled = rg.jit(total)
    assert compiled(0.5) == 1.5
    monkeypatch.setattr(Base, "walk", lambda self: [self.value])
    assert compiled(0.5) == 0.5


class Rounded:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __round__(self, ndigits: int = 0) -> Any:
        return round(self.value, ndigits)


def test_digits_by_name_are_given_to_the_method() -> None:
    assert rg.jit(lambda x: round(Rounded(x), ndigits=2))(math.pi) == 3.14


def counted(x: Any) -> Iterator[Any]:
    n = 0
    while n >= 0:
        yield n * x
        n += 1


def test_a_generator_without_end_is_not_run_to_its_end() -> None:
    def paired(x: Any) -> Any:
        return sum(a * b for a, b in zip(counted(x), [x, x, x], strict=False))

    def looped(x: Any) -> Any:
        total = 0.0
        for v in counted(x):
            total += v
            if total > 5.0:
                break
        return total

    assert rg.jit(paired)(0.5) == paired(0.5)
    assert rg.jit(looped)(0.5) == looped(0.5)
