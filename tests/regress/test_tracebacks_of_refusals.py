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
from retrograd.errors import CompilerBug


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


X = np.ones(3)

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
