"""A transformation that had been called could not be pickled or copied: it has native code.
The inverse of a reversible function could not at any time."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg


def cube(x):
    return x * x * x


@rg.jit
def decorated(x):
    return x * x


@rg.custom_jvp
def ruled(x):
    return x * x


@ruled.defjvp
def ruled_jvp(primals, tangents):
    return ruled(primals[0]), 5.0 * tangents[0]


@rg.reversible
def drift(x, v):
    x += 0.5 * v


class Body:
    def __init__(self) -> None:
        self.x = 1.0

    @rg.reversible
    def drift(self, v):
        self.x += 0.5 * v

    @rg.reversible
    def drift_twice(self, v):
        self.drift(v)
        self.drift(v)


MADE: dict[str, Callable[[], Any]] = {
    "jit": lambda: rg.jit(cube),
    "grad": lambda: rg.grad(cube),
    "value_and_grad": lambda: rg.value_and_grad(cube),
    "jacfwd": lambda: rg.jacfwd(cube),
    "hessian": lambda: rg.hessian(cube),
    "grad of grad": lambda: rg.grad(rg.grad(cube)),
    "memory": lambda: rg.grad(cube, memory="1MB"),
    "a decorated function": lambda: decorated,
    "of a decorated function": lambda: rg.grad(decorated),
    "of a function with a rule": lambda: rg.grad(ruled),
}


@pytest.mark.parametrize("name", MADE)
def test_after_a_call_it_can_be_pickled_and_copied(name: str) -> None:
    made = MADE[name]()
    want = made(2.0)
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), copy.copy(made)):
        assert again == made
        assert again(2.0) == want


def test_what_is_compiled_is_not_carried_along() -> None:
    made = rg.grad(cube)
    before = pickle.dumps(made)
    made(2.0)
    assert pickle.dumps(made) == before
    assert copy.copy(made).made == {}
    assert pickle.loads(pickle.dumps(decorated)) is decorated


@pytest.mark.parametrize("made", [drift, rg.inverse(drift), Body.drift_twice])
def test_reversible_functions_are_found_again(made: Any) -> None:
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), copy.copy(made)):
        assert again is made


@pytest.mark.parametrize("name", ["itself", "inverse"])
def test_reversible_functions_inside_of_others_are_copied_with_their_options(name: str) -> None:
    @rg.reversible(checked=False, atol=1e-3)
    def moved(x, v):
        x += 0.25 * v

    made: Any = moved if name == "itself" else rg.inverse(moved)
    for again in (copy.deepcopy(made), copy.copy(made)):
        x, y, v = np.ones(2), np.ones(2), np.arange(2.0)
        made(x, v)
        again(y, v)
        assert (again.options, again.inverted) == (made.options, made.inverted)
        assert (x == y).all()
        rg.inverse(again)(y, v)
        assert (y == 1.0).all()
