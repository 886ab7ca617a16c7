"""A transformation that had been called could not be pickled or copied: it has native code."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

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
