"""Loops around pullbacks that stand in the place of their nodes: the form of reverse sweeps."""

from __future__ import annotations

from typing import Any

import numpy as np

import retrograd as rg
from retrograd.api.compile.derive import pullback_task
from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import prepare
from retrograd.backends.interp.eval import run
from retrograd.frontend.identity.specs import spec_of
from retrograd.ir.terms import For, Function, Prim, Program
from retrograd.ir.traverse import stms_deep
from retrograd.transforms.driver import PLAIN, Pipeline

UP_TO = PLAIN.stages.index(next(s for s in PLAIN.stages if s.name == "pullbacks")) + 1


def product(a, b):
    return a * b


def back(x, w, x_bar, w_bar, total):
    for i in reversed(range(1, len(x))):
        _, pull = rg.vjp(product, w[i], x[i - 1])
        one, other = pull(x_bar[i])
        w_bar[i] += one
        x_bar[i - 1] -= other
        total += one
    return total


@rg.reversible
def wave(x, v, c, n):
    for _ in range(n):
        for i in range(1, len(x) - 1):
            v[i] += c * (x[i - 1] - 2.0 * x[i] + x[i + 1])
        for i in range(len(x)):
            x[i] += 0.1 * v[i]


@rg.reversible
def pendulum(x, v, c, n):
    for _ in range(n):
        v[0] += c * x[0]
        x[0] += c * v[0]


def energy(x, v, c, n):
    wave(x, v, c, n)
    return np.sum(x * x)


def end(x, v, c, n):
    pendulum(x, v, c, n)
    return x[0]


def after_pullbacks(f: Any, args: tuple[Any, ...], derived: bool) -> Program:
    """The program, or that of its gradient, after the stage."""
    task = prepare(f, [spec_of(a, "argument") for a in args], {}, derivative=derived).task
    task = pullback_task(task) if derived else task
    return Pipeline("so far", PLAIN.stages[:UP_TO]).run(task.program, known(), check=True)


def loops(function: Function) -> list[For]:
    return [s.expr for s in stms_deep(function.body) if isinstance(s.expr, For)]


def ops(loop: For) -> list[str]:
    return [s.expr.op for s in stms_deep(loop.body) if isinstance(s.expr, Prim)]


def adjoint(program: Program) -> Function:
    (found,) = (f for f in program.functions if f.name.rpartition("_")[0].endswith("adjoint"))
    return found


def test_a_reversed_range_counts_down_and_additions_are_in_place() -> None:
    x, w = np.array([0.5, -1.0, 2.0, 0.3]), np.array([1.5, 0.7, -0.2, 0.9])
    args = (x, w, np.ones(4), np.zeros(4), 0.0)
    program = after_pullbacks(back, args, False)
    (loop,) = loops(program.main)
    assert loop.descending
    # Nobody but an adjoint has its additions in another order.
    assert loop.sums == 0
    # What is read of x_bar is not what is added to: that element is the next iteration's.
    assert ops(loop).count("add_at") == 2
    assert "sub" not in ops(loop)
    found = run(program, args, known())
    own = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    total = back(*own)
    assert float(found[0]) == total


def test_the_loops_of_an_adjoint_have_sums_and_additions() -> None:
    args = (np.linspace(0.0, 1.0, 6), np.zeros(6), 0.1, 3)
    function = adjoint(after_pullbacks(energy, args, True))
    steps, *inner = loops(function)
    assert [loop.descending for loop in inner] == [True, True]
    assert [ops(loop).count("add_at") for loop in inner] == [1, 3]
    assert sorted(loop.sums for loop in inner) == [0, 1]
    assert steps.sums == 0  # each iteration goes on from the arrays of the one before


def test_a_recurrence_is_no_sum() -> None:
    args = (np.array([1.0]), np.array([0.2]), 0.01, 5)
    function = adjoint(after_pullbacks(end, args, True))
    (loop,) = loops(function)
    assert loop.sums == 0
    assert "add_at" not in ops(loop)
    found = rg.grad(end, argnums=(0, 1, 2))(*(np.copy(a) if np.ndim(a) else a for a in args))
    c = 0.01
    step = np.array([[1.0 + c * c, c], [c, 1.0]])
    want = np.linalg.matrix_power(step, 5)[0]
    np.testing.assert_allclose(np.ravel(found[:2]), want, rtol=1e-13)
