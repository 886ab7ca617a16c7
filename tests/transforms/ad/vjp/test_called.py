"""What policies have saved of functions that are called: no more products than JAX saves."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile.derive import pullback_task
from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import prepare
from retrograd.api.saving.sweeps import sweeps_of
from retrograd.backends.interp.eval import run
from retrograd.backends.interp.tape import Tape
from retrograd.frontend.identity.specs import spec_of
from retrograd.transforms.driver import PLAIN
from tests.random.costs import short_lines

pytestmark = pytest.mark.thinned(2)

policies = rg.checkpoint_policies
W, X = np.linspace(-0.4, 0.5, 25).reshape(5, 5), np.linspace(0.1, 1.0, 15).reshape(5, 3)


def deep(w: Any, x: Any) -> Any:
    """A line of statements on arrays, which becomes calls of parts."""
    for _ in tuple(range(6)):
        x = np.tanh(w @ x) * 0.5 + x
    return x


def long(w: Any, x: Any) -> Any:
    for k in tuple(range(10)):
        x = rg.checkpoint_name(np.tanh(w @ x), "h") if k % 4 == 0 else np.tanh(w @ x)
    return x


def chain(w: Any, x: Any, n: int) -> Any:
    if n == 0:
        return x
    return chain(w, np.sin(w @ x), n - 1)


def half(w: Any, x: Any, n: int) -> Any:
    if n == 1:
        return rg.checkpoint_name(np.sin(w @ x), "h")
    return half(w, half(w, x, n // 2), n - n // 2)


def chains(w: Any, x: Any) -> Any:
    return chain(w, x, 8)


def halves(w: Any, x: Any) -> Any:
    return half(w, x, 8)


PROGRAMS: dict[str, Callable[..., Any]] = {
    "deep": deep,
    "long": long,
    "chain": chains,
    "half": halves,
}
POLICIES = {
    "nothing": policies.nothing_saveable,
    "dots": policies.dots_saveable,
    "h": policies.save_only_these_names("h"),
}
JAX = {
    "deep": (2, 8, 2), "long": (2, 12, 5), "chain": (2, 10, 2), "half": (2, 10, 10),
}  # fmt: skip
"""Arrays like X that JAX 0.10.2 keeps, in the order of `POLICIES`."""
BESIDES = {"deep": (1, 2, 1), "long": (1, 0, 2), "chain": (0, 0, 0), "half": (0, 7, 0)}
"""Results of calls that are kept besides: the reverse sweep of another call reads them."""


def loss(part: Callable[..., Any]) -> Callable[..., Any]:
    """What comes after the checkpoint reads its result."""

    def of(w: Any, x: Any) -> Any:
        return np.sum(np.cos(w @ part(w, x)))

    return of


def around(name: str, policy: str) -> Callable[..., Any]:
    return loss(rg.checkpoint(PROGRAMS[name], policy=POLICIES[policy]))


def kept(fun: Callable[..., Any]) -> float:
    """What a forward sweep leaves on the tape of the interpreter, in arrays like X."""
    task = pullback_task(prepare(fun, [spec_of(W), spec_of(X)], {}, derivative=True).task)
    program = PLAIN.run(task.program, known())
    tape = Tape()
    forward = sweeps_of(program, program.main.params[2:]).ahead
    run(forward, [W, X, np.float64(1.0)], known(), tape=tape)
    arrays = (np.asarray(v) for entry in tape.entries for v in entry)
    return sum(v.size for v in arrays if v.ndim == 2) / X.size


@pytest.mark.parametrize("name", JAX)
def test_what_is_kept(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    short_lines(monkeypatch, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of names that are not there
        found = [kept(around(name, policy)) for policy in POLICIES]
    limits = zip(JAX[name], BESIDES[name], strict=True)
    assert all(ours <= jax + more for ours, (jax, more) in zip(found, limits, strict=True))
    assert found[1] > found[0]


def test_native_code_records_the_products_of_a_recursion() -> None:
    dots = policies.dots_saveable
    marked, plain = (rg.grad(loss(f), (0, 1)) for f in (rg.checkpoint(chains, policy=dots), chains))
    expected = plain(W, X)
    for found, bar in zip(marked(W, X), expected, strict=True):
        assert found.tobytes() == bar.tobytes()
    listed = rg.saved_residuals(loss(rg.checkpoint(chains, policy=dots)), W, X)
    assert sum(r.times or 0 for r in listed if r.primitive == "matmul") == 9
