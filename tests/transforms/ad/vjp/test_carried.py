"""Loops record what they carry once: words counted by the interpreter, bits, the identities."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile.derive import pullback_task
from retrograd.api.compile.prepare import Prepared, prepare
from retrograd.backends.interp.eval import run
from retrograd.frontend.identity.specs import spec_of
from retrograd.ir.terms import Program
from retrograd.prims import DEFAULT
from retrograd.transforms.ad.vjp.carried import NOTHING
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import UNNEEDED
from tests.lowering import lowered
from tests.random.calculus import Interpreted
from tests.transforms.ad.vjp.support import pushed_words

pytestmark = pytest.mark.thinned(3)

Function = Callable[..., Any]

policies = rg.checkpoint_policies
SIDE, WIDTH = 7, 11
ONE = SIDE * WIDTH
"""The words of a state."""


def network(w: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = np.tanh(w @ x)
    return np.sum(x * x)


def of_sums(w: Any, x: Any, n: int) -> Any:
    """The last state is read by nothing but the loop."""
    for _ in range(n):
        x = np.tanh(w @ x)
    return np.sum(x)


def from_a_product(w: Any, x: Any, n: int) -> Any:
    """What the loop begins with has to be recorded, too."""
    x = w @ x
    for _ in range(n):
        x = np.tanh(w @ x)
    return np.sum(x)


def sigmoids(w: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = 1.0 / (1.0 + np.exp(-(w @ x)))
    return np.sum(x * x)


def two_steps(w: Any, x: Any, n: int) -> Any:
    """What is old in one iteration was new in the one before."""
    old = x
    for _ in range(n):
        old, x = x, np.tanh(w @ x) * old
    return np.sum(x * x)


def changing_places(w: Any, x: Any, n: int) -> Any:
    x, y = x * 1.0, w @ x
    total = 0.0
    for k in range(n):
        x, y = y, x
        total += np.sum(x * y * y) * k
    return total


def until(w: Any, x: Any, n: int) -> Any:
    k = 0
    while k < n and np.sum(x * x) < 1e9:
        x = np.tanh(w @ x)
        k += 1
    return np.sum(x * x)


def broken(w: Any, x: Any, n: int) -> Any:
    for k in range(100):
        if k >= n:
            break
        x = np.tanh(w @ x)
    return np.sum(x * x)


def in_a_loop(w: Any, x: Any, n: int) -> Any:
    total = 0.0
    for _ in range(3):
        for _ in range(n):
            x = np.tanh(w @ x)
        total += np.sum(x * x)
    return total


def by_halves(w: Any, x: Any, n: int) -> Any:
    """A body that is a branch."""
    for k in range(n):
        x = np.tanh(w @ x) if k % 2 == 0 else np.exp(-x * x)
    return np.sum(x * x)


def numbers(w: Any, x: Any, n: int) -> Any:
    """A carried number that takes long to calculate, around another loop."""
    s = w[0, 0]
    total = 0.0
    for _ in range(n):
        s = math.exp(-s * s)
        for k in range(SIDE):
            total += s * s * x[k, 0]
    return total + np.sum(w)


def overwritten(w: Any, x: Any, n: int) -> Any:
    """What the loop begins with, and what it ends with, are overwritten."""
    x = 1.0 * x
    y = 1.0 * x
    for _ in range(n):
        y = np.tanh(w @ y)
    x[0] = y[0]
    total = np.sum(y * y)
    y[1:] = x[1:]
    return total + np.sum(x * y * y)


def taken_over(w: Any, x: Any, n: int) -> Any:
    """Each state is written in place by what follows in its iteration."""
    total = 0.0
    x = 1.0 * x
    for k in range(n):
        new = np.tanh(w @ x)
        total += np.sum(x * x * new)
        x[k % 3] = 0.5
        total += np.sum(x * new)
        x = new
    return total


def relus(w: Any, x: Any, n: int) -> Any:
    """A state is a cheap function of what the iteration before has recorded."""
    for _ in range(n):
        x = np.maximum(w @ x, 0.0)
    return np.sum(x)


def sines_and_biases(w: Any, x: Any, n: int) -> Any:
    """What a state is made of beside that is another row in each iteration."""
    biases = np.linspace(-1.0, 1.0, 10 * SIDE).reshape(10, SIDE)
    for k in range(n):
        x = np.sin(w @ x + biases[k][:, None])
    return np.sum(x)


def gelus(w: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        p = w @ x
        x = 0.5 * p * (1.0 + np.tanh(0.8 * (p + 0.045 * p**3)))
    return np.sum(x)


def relus_until(w: Any, x: Any, n: int) -> Any:
    k = 0
    while k < n:
        x = np.maximum(w @ x, -0.5)
        k += 1
    return np.sum(x)


def of_a_changing_bias(w: Any, x: Any, n: int) -> Any:
    """A state cannot be made again of what is overwritten meanwhile."""
    bias = 1.0 * w[:, 0]
    for k in range(n):
        x = np.sin(w @ x + bias[:, None])
        bias[k % SIDE] = 0.5
    return np.sum(x)


def two_of_one(w: Any, x: Any, n: int) -> Any:
    """Two states of one record."""
    y = x
    for _ in range(n):
        p = w @ (x + y * x)
        x = np.sin(p)
        y = np.cos(p)
    return np.sum(x * y)


def squares_of_biased(w: Any, x: Any, n: int) -> Any:
    """What reads the last state has it made again; without iterations there is no bias to read."""
    biases = np.linspace(-1.0, 1.0, 10 * SIDE).reshape(10, SIDE)
    for k in range(n):
        x = np.sin(w @ x + biases[k][:, None])
    return np.sum(x * x)


def squares_until(w: Any, x: Any, n: int) -> Any:
    k = 0
    while k < n:
        x = np.maximum(w @ x, -0.5)
        k += 1
    return np.sum(x * x)


def squares_in_a_loop(w: Any, x: Any, n: int) -> Any:
    total = 0.0
    for _ in range(3):
        for _ in range(n):
            x = np.sin(w @ x)
        total += np.sum(x * x)
    return total


def overwritten_at_the_end(w: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = np.sin(w @ x)
    x = 1.0 * x
    total = np.sum(x * x)
    x[1:] = x[:-1] * x[1:]
    return total + np.sum(x * x * x)


def changed_bias_at_the_end(w: Any, x: Any, n: int) -> Any:
    """What the last state is made of is written before that is read."""
    bias = 1.0 * w[:, 0]
    for _ in range(n):
        x = np.sin(w @ x + bias[:, None])
    bias[0] = 7.0
    return np.sum(x * x * bias[:, None])


@rg.checkpoint(policy=policies.dots_saveable)
def layer(w: Any, x: Any, bias: Any) -> Any:
    return np.sin(w @ x + bias)


def of_layers(w: Any, x: Any, n: int) -> Any:
    """A policy has the products saved, of which states are made."""
    for _ in range(n):
        x = layer(w, x, w[:, :1])
    return np.sum(x * x)


@rg.checkpoint(policy=policies.dots_saveable)
def all_layers(w: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = np.maximum(w @ x, -0.1)
    return x


def around_the_loop(w: Any, x: Any, n: int) -> Any:
    x = all_layers(w, x, n)
    return np.sum(x * x)


@rg.checkpoint(policy=policies.save_only_these_names("y"))
def named_layer(w: Any, x: Any) -> Any:
    return np.sin(rg.checkpoint_name(np.cos(w @ x), "y"))


def of_named_layers(w: Any, x: Any, n: int) -> Any:
    """The product is calculated again, for which a state is needed: it is made of what is saved."""
    for _ in range(n):
        x = named_layer(w, x)
    return np.sum(x * x)


@rg.checkpoint
def unsaved_layer(w: Any, x: Any) -> Any:
    return np.sin(w @ x)


def of_unsaved_layers(w: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        x = unsaved_layer(w, x)
    return np.sum(x * x)


@rg.checkpoint
def all_again(w: Any, x: Any, n: int) -> Any:
    """The loop is run again as a whole."""
    for _ in range(n):
        x = np.sin(w @ x)
    return x


def around_all_again(w: Any, x: Any, n: int) -> Any:
    x = all_again(w, x * x, n)
    return np.sum(x * x)


# What is recorded of 0, 1, 2 and 9 iterations, in states.
RECORDED: dict[Function, tuple[int, ...]] = {
    network: (1, 1, 2, 9),
    of_sums: (1, 1, 2, 9),
    from_a_product: (2, 2, 3, 10),
    sigmoids: (1, 2, 4, 18),
    two_steps: (2, 3, 5, 19),
    changing_places: (2, 3, 4, 11),
    until: (1, 1, 2, 9),
    broken: (2, 4, 6, 20),
    in_a_loop: (9, 9, 12, 33),
    by_halves: (1, 3, 5, 19),
    numbers: (0, 0, 0, 0),
    overwritten: (4, 4, 5, 12),
    relus: (1, 1, 2, 9),
    sines_and_biases: (1, 1, 2, 9),
    gelus: (1, 1, 2, 9),
    relus_until: (1, 1, 2, 9),
    of_a_changing_bias: (0, 2, 4, 18),
    two_of_one: (1, 1, 2, 9),
    taken_over: (0, 2, 4, 19),
    squares_of_biased: (1, 1, 2, 9),
    squares_until: (1, 1, 2, 9),
    squares_in_a_loop: (9, 9, 12, 33),
    overwritten_at_the_end: (5, 5, 6, 13),
    changed_bias_at_the_end: (1, 3, 5, 19),
    of_layers: (1, 1, 2, 9),
    around_the_loop: (1, 1, 2, 9),
    of_named_layers: (1, 1, 2, 9),
    of_unsaved_layers: (1, 2, 3, 10),
    around_all_again: (2, 2, 3, 10),
}
TRIPS = (0, 1, 2, 9)


def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    return rng.standard_normal((SIDE, SIDE)) / 3, rng.standard_normal((SIDE, WIDTH))


@dataclass(frozen=True)
class Gradient:
    """The pullback of a program, as the interpreter runs it."""

    prepared: Prepared
    program: Program

    @staticmethod
    def of(fun: Function) -> Gradient:
        prepared = prepare(fun, tuple(map(spec_of, (*data(), 1))), {}, True)
        made = lowered(pullback_task(prepared.task).program, check=True)
        return Gradient(prepared, run_pipeline((UNNEEDED,), made, DEFAULT, check=True))

    def given(self, n: int) -> list[Any]:
        """Arguments, with the cotangent of the result."""
        return [*self.prepared.traced.flatten((*data(), n)), 1.0]

    def bars(self, n: int) -> tuple[Any, ...]:
        return run(self.program, self.given(n), DEFAULT)

    def states(self, n: int) -> int:
        """What is recorded, in states; without what little extents and numbers are."""
        return round(pushed_words(self.program, self.given(n)) / ONE)


def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops record all that the reverse of an iteration reads."""
    monkeypatch.setattr("retrograd.transforms.ad.vjp.reverse.handed_on", lambda *_: NOTHING)


def name(fun: Function) -> str:
    return fun.__name__


@pytest.mark.parametrize("fun", RECORDED, ids=name)
def test_states_on_the_tape(fun: Function) -> None:
    made = Gradient.of(fun)
    assert tuple(made.states(n) for n in TRIPS) == RECORDED[fun]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("fun", RECORDED, ids=name)
def test_bits_are_those_of_recording_everything(
    fun: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Gradient.of(fun)
    everything(monkeypatch)
    other = Gradient.of(fun)
    for n in TRIPS:
        for ours, want in zip(made.bars(n), other.bars(n), strict=True):
            np.testing.assert_array_equal(ours, want)
        assert n < 2 or made.states(n) <= other.states(n)


@pytest.mark.parametrize("fun", RECORDED, ids=name)
def test_reverse_mode_is_the_transpose(fun: Function) -> None:
    calculus, rng = Interpreted(), np.random.default_rng(2)
    args = (*data(), 3)
    dots = tuple(rng.standard_normal(a.shape) for a in args[:2])
    _, dot = calculus.jvp(fun, args, (*dots, 0))
    _, pullback = calculus.vjp(fun, args)
    terms = [np.ravel(b * d) for b, d in zip(pullback(1.0), dots, strict=False)]
    assert abs(np.sum(np.concatenate(terms)) - dot) <= 1e-12 * np.sum(np.abs(terms[0]))


def test_carried_numbers_are_recorded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Gradient.of(numbers)
    few = [pushed_words(made.program, made.given(n)) for n in (5, 9)]
    everything(monkeypatch)
    other = Gradient.of(numbers)
    many = [pushed_words(other.program, other.given(n)) for n in (5, 9)]
    assert (many[1] - many[0]) - (few[1] - few[0]) == 4


def test_sixteen_layers_record_a_megabyte() -> None:
    def loss(ws: Any, x: Any, y: Any) -> Any:
        for w in ws:
            x = np.tanh(w @ x)
        return np.mean((x - y) ** 2)

    rng = np.random.default_rng(3)
    ws = rng.standard_normal((16, 128, 128)) / 11
    x, y = rng.standard_normal((2, 128, 64))
    gradient = rg.grad(loss)
    gradient(ws, x, y)
    assert gradient.stats().tape_bytes <= 16 * 8 * 128 * 64 + 1000


def test_sixteen_layers_of_relus_record_half() -> None:
    def loss(ws: Any, biases: Any, x: Any) -> Any:
        for k, w in enumerate(ws):
            x = np.maximum(w @ x + biases[k][:, None], 0.0)
        return np.sum(x * x)

    rng = np.random.default_rng(3)
    ws = rng.standard_normal((16, 64, 64)) / 8
    gradient = rg.grad(loss)
    gradient(ws, rng.standard_normal((16, 64)), rng.standard_normal((64, 32)))
    assert gradient.stats().tape_bytes <= 16 * 8 * 64 * 32 + 1000


def test_parts_of_a_loop_in_less_memory() -> None:
    """No record belongs to another iteration than the one that reads it."""
    args = (*data(), 100)
    want = rg.grad(network, (0, 1))(*args)
    with rg.record() as run:
        found = rg.grad(network, (0, 1), memory=30 * 8 * ONE)(*args)
    assert run.peak_bytes <= 30 * 8 * ONE
    assert run.leaves > 3
    for ours, theirs in zip(found, want, strict=True):
        np.testing.assert_array_equal(ours, theirs)
