"""A transformation that had been called could not be pickled or copied: it has native code.
The inverse of a reversible function could not at any time."""

from __future__ import annotations

import copy
import multiprocessing
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


@rg.reversible
def spin(x, v):
    drift(x, v)
    v += 2.0
    drift(x, v)


def added(x, v):
    return x + v


def subtracted(x, v):
    return x - v


TURN = rg.inverse_pair(added, subtracted)


def sloped(x, v):
    return np.sum(rg.adjoint(drift)(x, v, x, v)[0][0])


ADJOINTS: dict[str, Callable[[], Any]] = {
    "of a function": lambda: rg.adjoint(drift),
    "of an inverse": lambda: rg.adjoint(rg.inverse(spin)),
    "of a function with calls": lambda: rg.adjoint(spin),
    "of a pair": lambda: rg.adjoint(TURN),
    "compiled": lambda: rg.jit(rg.adjoint(drift)),
}

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


def _taken_back(made: Any) -> Any:
    (x, v), (x_bar, v_bar) = made(np.arange(2.0), np.ones(2), np.ones(2), np.arange(2.0))
    return [x.tolist(), v.tolist(), x_bar.tolist(), v_bar.tolist()]


@pytest.mark.parametrize("name", ADJOINTS)
def test_adjoints_before_and_after_a_call(name: str) -> None:
    """Their compiled text could not be pickled, nor found by its name."""
    made = ADJOINTS[name]()
    before = pickle.dumps(made)
    wanted = _taken_back(made)
    for again in (
        pickle.loads(before), pickle.loads(pickle.dumps(made)), copy.deepcopy(made), copy.copy(made)
    ):  # fmt: skip
        assert _taken_back(again) == wanted


def _call_pickled(data: bytes) -> Any:
    return _taken_back(pickle.loads(data))


def test_another_process_is_given_them() -> None:
    made = [ADJOINTS[name]() for name in ("of an inverse", "of a pair")]
    wanted = [_taken_back(one) for one in made]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(_call_pickled, [pickle.dumps(one) for one in made])
    assert found == wanted


@pytest.mark.parametrize("made", [TURN, rg.inverse(TURN)])
def test_pairs_are_copied_with_both_functions(made: Any) -> None:
    """The copy had no function for the way back."""
    again = copy.deepcopy(made)
    x, y, v = np.ones(2), np.ones(2), np.arange(2.0)
    made(x, v)
    again(y, v)
    assert (x == y).all()
    rg.inverse(again)(y, v)
    assert (y == 1.0).all()


def test_the_inverse_of_a_method_is_not_the_method() -> None:
    """A pickle of it named the method itself."""
    undone = rg.inverse(Body().drift)
    with pytest.raises(AttributeError, match="drift_inverse"):
        pickle.loads(pickle.dumps(undone))
    again = copy.deepcopy(undone)
    again(1.0)
    assert again.__self__.x == 0.5
