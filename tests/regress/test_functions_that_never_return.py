"""A function that raises on every path was refused where it is differentiated, as one that returns
None; Python raises there, and so did compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import retrograd as rg


def missing(d):
    return d["a"] * d["b"]


def on_each_path(d):
    if d["a"] > 3.0:
        raise ValueError("large")
    raise KeyError("b")


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "grad": lambda f, x: rg.grad(f)(x),
    "value_and_grad": lambda f, x: rg.value_and_grad(f)(x),
    "memory": lambda f, x: rg.grad(f, memory="10kB")(x),
    "jvp": lambda f, x: rg.jvp(f, (x,), (x,)),
    "vjp": lambda f, x: rg.vjp(f, x),
    "hessian": lambda f, x: rg.hessian(f)(x),
    "inside": lambda f, x: rg.jit(lambda d: rg.grad(f)(d)["a"])(x),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fun", [missing, on_each_path])
def test_the_exception_is_pythons(fun: Callable[..., Any], way: str) -> None:
    with pytest.raises(KeyError, match="b"):
        WAYS[way](fun, {"a": 2.0})
