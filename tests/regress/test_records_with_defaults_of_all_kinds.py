"""Frozen dataclasses and NamedTuples whose defaults are texts, tuples, functions or factories were
refused ("lacks the field"), and so were `fields(..)` and comparisons of `total_ordering`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import total_ordering
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false


class Law(NamedTuple):
    a: float
    kind: str = "exp"
    sizes: tuple[int, float] = (1, 2.5)


@dataclass(frozen=True)
class Layer:
    a: float
    kind: str = "lin"
    shape: tuple[int, ...] = (2, 3)
    act: Callable[[Any], Any] = np.sin
    weights: list[float] = field(default_factory=lambda: [1.0, 2.0])
    bias: Any = field(default_factory=lambda: np.ones(3))


def of_a_tuple(v):
    law = Law(v[0])
    return law.a * (2.0 if law.kind == "exp" else 1.0) * law.sizes[1]


def of_a_dataclass(v):
    layer = Layer(v[0])
    other = replace(layer, kind="sq", a=v[1])
    s = layer.act(layer.a) * layer.weights[1] * len(layer.shape) * np.sum(layer.bias)
    return s + (other.a**2 if other.kind == "sq" else 0.0)


def named(v):
    layer = Layer(v[0], weights=[v[1]])
    wanted = [f.name for f in fields(layer) if f.name in ("a", "weights")]
    return getattr(layer, wanted[0]) * layer.weights[0] + len(fields(Layer))


@total_ordering
class Money:
    def __init__(self, amount):
        self.amount = amount

    def __eq__(self, other):
        return self.amount == other.amount

    def __lt__(self, other):
        return self.amount < other.amount


def ordered(v):
    every = [Money(x * x) for x in (v[0], v[1], v[2])]
    best = max(every)
    s = 2.0 * best.amount + (1.0 if every[0] >= every[1] else v[2])
    return s + (v[0] if every[0] <= every[1] else v[1]) + (3.0 if best > every[0] else 0.0)


X = np.array([1.2, 0.7, -0.4])


@pytest.mark.parametrize("f", [of_a_tuple, of_a_dataclass, named, ordered])
def test_value_and_gradient(f) -> None:
    value, slopes = rg.value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-13)
    found = [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(slopes, found, atol=1e-7)
