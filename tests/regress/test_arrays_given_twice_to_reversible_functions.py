"""In compiled code an array could be given twice to a reversible function that changes it: without
tests the gradient was 1.300 and not 1.270."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


@rg.reversible(checked=False)
def pushed(x, v):
    v += 0.5 * np.sin(x)


@rg.reversible
def of_items(p, x):
    x += p[0] * p[1]
    p[0][:] += np.sin(p[1])


@rg.reversible
def of_keys(p, x):
    x += p["a"] * p["b"]
    p["a"] += np.sin(p["b"])


def whole(w):
    pushed(w, w)


def tuples(w):
    of_items((w, w), np.zeros(3))


def dicts(w):
    of_keys({"a": w, "b": w}, np.zeros(3))


@pytest.mark.parametrize("f", [whole, tuples, dicts])
def test_an_array_that_is_given_twice(f: Callable[..., Any]) -> None:
    def loss(w):
        w = w.copy()
        f(w)
        return np.sum(w)

    with pytest.raises(rg.InvertibilityError, match="share memory"):
        loss(np.ones(3))
    for run in (rg.jit(loss), rg.grad(loss)):
        with pytest.raises(rg.UserError, match="share memory") as caught:
            run(np.ones(3))
        assert caught.value.code == "RG0502"


def test_two_parts_of_an_array() -> None:
    def loss(w):
        w = w.copy()
        pushed(w[:1], w[1:])
        return np.sum(w)

    w = np.array([0.5, 2.0])
    assert rg.grad(loss)(w).tolist() == [1.0 + 0.5 * np.cos(0.5), 1.0]
