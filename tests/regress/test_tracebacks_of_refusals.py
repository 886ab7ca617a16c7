"""Tracebacks of refusals: 122 lines of the compiler's own frames for a program of six lines."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.backends.llvm.execute import Executable
from retrograd.errors import OF_PROGRAMS, CompilerBug


def refused(x):
    return 2.0 * x if np.mintypecode("d") else x


def decay(x):
    for _ in range(1000):
        x = x - 0.001 * x * x
    return x


def raises(x):
    return np.sum(x) * x[5]


def second(x, n):
    return x[n] + 0.0


@rg.custom_jvp
def without_a_rule(x):
    return x


class Unhappy(Exception):
    """An exception of the user's, which the compiler has never heard of."""


def fails(*_):
    raise Unhappy


@rg.reversible
def drifts(x, v):
    x += v


@rg.reversible
def of_positive(x, s):
    assert s > 0.0
    x += s


X, FIRST = np.ones(3), np.array([0, 0, 1])

CALLS: dict[str, Callable[[], Any]] = {
    "jit": lambda: rg.jit(refused)(2.0),
    "grad": lambda: rg.grad(refused)(2.0),
    "grad of no function": lambda: rg.grad(3),
    "debug_nans": lambda: rg.jit(refused, debug_nans=True)(2.0),
    "vmap": lambda: rg.vmap(rg.grad(refused))(X),
    "vmap of no function": lambda: rg.vmap(3),
    "axes of vmap": lambda: rg.vmap(refused, in_axes=(0, None))(X),
    "argnums": lambda: rg.grad(refused, argnums="x"),
    "hessian": lambda: rg.hessian(refused)(2.0),
    "memory": lambda: rg.grad(refused, memory="1MB")(2.0),
    "jvp": lambda: rg.jvp(refused, (2.0,), (1.0,)),
    "vjp": lambda: rg.vjp(refused, 2.0),
    "hvp": lambda: rg.hvp(refused, (2.0,), (1.0,)),
    "a pullback": lambda: rg.vjp(lambda x: x * x, 2.0)[1](X),
    "interrupt": lambda: rg.interrupt(refused, 2.0, steps=5),
    "primops": lambda: rg.primops(refused, 2.0),
    "resume": lambda: rg.resume(3),
    "load": lambda: rg.Capsule.load(__file__, lambda x: x, 2.0),
    "check_grads": lambda: rg.check_grads(refused, (2.0,)),
    "plan": lambda: rg.plan(refused, 2.0),
    "budget": lambda: rg.checkpointing.fixed_space(0),
    "durable": lambda: rg.durable(""),
    "a rule": lambda: without_a_rule(2.0),
    "resume=": lambda: rg.grad(decay, resume="/dev/null/run.rg")(2.0),
    "program, jit": lambda: rg.jit(raises)(X),
    "program, grad": lambda: rg.grad(raises)(X),
    "program, memory": lambda: rg.grad(raises, memory="1MB")(X),
    "program, jvp": lambda: rg.jvp(raises, (X,), (X,)),
    "program, interrupt": lambda: rg.interrupt(raises, X, steps=10_000),
}


OPERATORS: dict[str, Callable[[], Any]] = {
    "map": lambda: rg.map(fails, X),
    "build": lambda: rg.build(3, fails),
    "inside of each other": lambda: rg.build(3, lambda i: rg.map(fails, X)),
    "reduce": lambda: rg.reduce(fails, 0.0, X),
    "reduce of two": lambda: rg.reduce(fails, (0.0, 0.0), X, X),
    "scan": lambda: rg.scan(fails, 0.0, X),
    "fold": lambda: rg.fold(fails, 0.0, X),
    "reduce_by_index": lambda: rg.reduce_by_index(X, fails, 0.0, FIRST, X),
    "hist": lambda: rg.hist(X, fails, 0.0, FIRST, X),
    "vmap": lambda: rg.vmap(fails)(X),
    "check_operator": lambda: rg.check_operator(fails, 0.0),
    "checkpoint": lambda: rg.checkpoint(fails)(X),
    "tree": lambda: rg.tree.map(fails, [1.0, (2.0,)]),
    "check_grads": lambda: rg.check_grads(fails, (1.0,)),
}
REFUSALS: dict[str, Callable[[], Any]] = {
    "lengths": lambda: rg.map(np.add, X, np.ones(2)),
    "no array": lambda: rg.map(np.sin),
    "rows": lambda: rg.build(3, np.ones),
    "reduce": lambda: rg.reduce(min, 0.0, X, X),
    "scan": lambda: rg.scan(np.add, X, X),
    "gather": lambda: rg.gather(X, FIRST + 5),
    "scatter": lambda: rg.scatter(X, FIRST, np.ones(2)),
    "replicate": lambda: rg.replicate("3", 1.0),
    "reduce_by_index": lambda: rg.reduce_by_index(X, np.add, 0.0, FIRST, np.ones(2)),
    "stripmine": lambda: rg.stripmine(range(3), levels=9),
    "check_operator": lambda: rg.check_operator(np.add, 0.0, count=0),
    "axes of vmap": lambda: rg.vmap(np.add)(X, np.ones(2)),
    "random": lambda: rg.random.default_rng(7).normal(0.0, -1.0),
    "seed": lambda: rg.random.default_rng(-1),
    "stack": lambda: rg.pop(rg.stack(1), 0.0),
    "shared": lambda: drifts(X, X),
    "adjoint": lambda: rg.adjoint(drifts)(X),
    "assert": lambda: of_positive(np.ones(2), -1.0),
    "inverse_pair": lambda: rg.inverse(rg.inverse_pair(lambda x: 1.0 / x, lambda x: 1 // 0))(2.0),
}


def files(error: BaseException) -> list[str]:
    """Where the frames of a traceback are."""
    return [frame.filename for frame in traceback.extract_tb(error.__traceback__)]


def caught(call: Callable[[], Any]) -> BaseException:
    with pytest.raises((rg.RetrogradError, IndexError)) as found:
        call()
    return found.value


@pytest.mark.parametrize("name", CALLS)
def test_the_frames_are_the_users(name: str) -> None:
    error = caught(CALLS[name])
    assert set(files(error)) == {__file__}
    while error.__cause__ is not None:
        error = error.__cause__
        assert files(error) == []


@pytest.mark.parametrize("name", OPERATORS)
def test_what_an_operator_raises_has_the_frames_of_users(name: str) -> None:
    """It had up to six frames of the constructs, which Python runs as they stand."""
    with pytest.raises(Unhappy) as found:
        OPERATORS[name]()
    frames = traceback.extract_tb(found.value.__traceback__)
    assert frames[-1].name == "fails"
    assert {frame.filename for frame in frames} == {__file__}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_refused_where_nothing_is_compiled(name: str) -> None:
    with pytest.raises((rg.RetrogradError, *OF_PROGRAMS)) as found:
        REFUSALS[name]()
    assert set(files(found.value)) == {__file__}


def test_bugs_within_operators_keep_their_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    made = rg.jit(lambda x: x + 1.0)
    made(2.0)
    monkeypatch.setattr(Executable, "run", int.__add__)  # what is written in C has no frame
    with pytest.raises(TypeError) as found:
        rg.map(made, X)
    names = [frame.name for frame in traceback.extract_tb(found.value.__traceback__)]
    assert "__call__" in names
    assert "map" not in names


def test_frames_of_the_user_within_ours_stay() -> None:
    def write(a, b):
        a[0] = 5.0
        return np.sum(b)

    def run_by_python(a, b):
        return rg.value_and_grad(write)(a, b)

    with pytest.warns(RuntimeWarning, match="run by Python"):
        error = caught(lambda: rg.jit(run_by_python)(X, X))
    frames = traceback.extract_tb(error.__traceback__)
    assert frames[-1].name == "run_by_python"
    assert set(files(error)) == {__file__}


def test_what_was_handled_when_it_happened_is_still_told() -> None:
    def fallback() -> None:
        try:
            {}["missing"]
        except KeyError:
            rg.grad(refused)(2.0)

    error = caught(fallback)
    assert isinstance(error.__context__, KeyError)
    assert not error.__suppress_context__


def test_the_cause_is_still_told(tmp_path: Path) -> None:
    error = caught(lambda: rg.grad(decay, resume=tmp_path / "no" / "run.rg")(2.0))
    assert isinstance(error.__cause__, OSError)


def test_everything_is_there_if_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETROGRAD_TRACEBACK", "full")
    assert len(files(caught(CALLS["grad"]))) > 5


@pytest.mark.parametrize("error", [CompilerBug("no"), IndexError("ours")])
def test_bugs_keep_their_frames(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise error

    made = rg.jit(lambda x: x + 1.0)
    made(2.0)
    monkeypatch.setattr(Executable, "run", fail)
    assert len(files(caught(lambda: made(2.0)))) > 3
