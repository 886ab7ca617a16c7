"""Pullbacks of straight-line code inside of programs: code in their place, with the same bits."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import prepare
from retrograd.backends.interp.eval import run
from retrograd.frontend.identity.specs import spec_of
from retrograd.ir.terms import Call, Prim, Program
from retrograd.ir.traverse import stms_deep
from retrograd.transforms.driver import BY_SCHEDULE, INTERRUPTIBLE, LOWEST, PLAIN, Pipeline
from tests.backends.llvm.native import agree, bits

ARGS = (0.4, 1.3, np.array([0.5, -0.2, 0.9]), np.array([0.3, 0.8, -0.6]), 3)

UNARY = (
    "np.sin({0})", "np.exp(0.1 * {0})", "({0} * {0})", "(-{0})", "np.abs({0})",
    "np.sqrt(1.5 + {0} * {0})", "np.maximum({0}, 0.1)",
)  # fmt: skip
BINARY = ("({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} / (2.0 + {1} * {1}))")
REDUCED = ("np.sum({0})", "np.max({0})", "({0} @ {1})", "{0}[1]")


def expression(rng: np.random.Generator, depth: int, array: bool) -> str:
    """An expression in a, b, x, y."""
    if depth == 0:
        return str(rng.choice(["x", "y"] if array else ["a", "b", "1.5"]))
    kind = rng.random()
    if kind < 0.35:
        return str(rng.choice(UNARY)).format(expression(rng, depth - 1, array))
    if array or kind < 0.7:
        scalar = array and bool(rng.random() < 0.4)
        parts = expression(rng, depth - 1, array), expression(rng, depth - 1, array and not scalar)
        return str(rng.choice(BINARY)).format(*parts)
    parts = expression(rng, depth - 1, True), expression(rng, depth - 1, True)
    return str(rng.choice(REDUCED)).format(*parts)


def descent(seed: int) -> Any:
    """Some steps against the gradient of a random function, which may have a branch."""
    rng = np.random.default_rng(seed)
    body = f"    s = {expression(rng, 3, False)}\n"
    if seed % 3 == 0:
        body += f"    if a < {rng.choice(['b', '0.4', 's'])}:\n"
        body += f"        s = {expression(rng, 2, False)} * s\n"
    if seed % 4 == 0:
        body += "    z = np.empty(2)\n    z[0] = s\n    z[1] = a * s\n    s = z[0] * z[1]\n"
    text = (
        f"def value(a, b, x, y):\n{body}    return s + {expression(rng, 2, False)}\n\n"
        "def steps(a, b, x, y, n):\n    total = 0.0\n    for k in range(n):\n"
        "        out, pull = rg.vjp(value, a, b, x, y)\n        a1, b1, x1, y1 = pull(0.5 + k)\n"
        "        total += out\n        a -= 0.1 * a1\n        b -= 0.1 * b1\n"
        "        x = x - 0.1 * x1\n        y = y - 0.1 * y1\n    return total, a, b, x, y\n"
    )
    name = f"<straight {seed}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    scope: dict[str, Any] = {"np": np, "rg": rg}
    exec(compile(text, name, "exec"), scope)
    return scope["steps"]


def typed(f: Any, args: tuple[Any, ...] = ARGS) -> Program:
    return prepare(f, [spec_of(a, "argument") for a in args], {}, derivative=False).task.program


def without(pipeline: Pipeline) -> Pipeline:
    """The pipeline without the stage, so that the pullbacks are calls."""
    return Pipeline("calls", tuple(s for s in pipeline.stages if s.name != "pullbacks"))


def pushes(program: Program) -> int:
    stms = (s.expr for f in program.functions for s in stms_deep(f.body))
    return sum(isinstance(e, Prim) and e.op == "push" for e in stms)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", range(12))
def test_the_bits_are_those_of_calls(seed: int) -> None:
    program = typed(descent(seed))
    made = PLAIN.run(program, known(), check=True)
    calls = without(PLAIN).run(program, known(), check=True)
    assert bits(run(made, ARGS, known())) == bits(run(calls, ARGS, known()))
    assert pushes(made) == 0
    assert not any(isinstance(s.expr, Call) for f in made.functions for s in stms_deep(f.body))


def polynomial(a, b):
    s = a * b
    if s > 0.5:
        s = s * a
    return s * s - b


def secant(a, b, n):
    for k in range(n):
        out, pull = rg.vjp(polynomial, a, b)
        one, other = pull(1.0)
        a -= 0.01 * one * out
        b += 0.01 * other
    return a, b


def test_all_products_have_the_same_bits() -> None:
    program, args = typed(secant, (0.9, 0.8, 20)), (0.9, 0.8, 20)
    found = [
        agree(pipeline.run(program, known(), check=True), args)
        for pipeline in (PLAIN, LOWEST, INTERRUPTIBLE, BY_SCHEDULE)
    ]
    assert all(bits(one) == bits(found[0]) for one in found)


def squares(x, y, n):
    total = 0.0
    for k in range(n):
        total += rg.grad(polynomial)(x + k, y)
    return total


def test_what_is_differentiated_again_stays_a_node() -> None:
    places = [0.9 + k for k in range(3)]
    want = sum(12 * x**2 * 0.8**2 for x in places if x * 0.8 > 0.5)
    assert rg.grad(squares)(0.9, 0.8, 3) == pytest.approx(want, rel=1e-14)
    assert rg.value_and_grad(squares)(0.9, 0.8, 3)[0] == rg.jit(squares)(0.9, 0.8, 3)


def near_zero(x, y):
    root = np.sqrt(x)
    if root < 1e-4:
        return x * y
    return 2.0 * root + x


def slopes(x, n):
    total = 0.0
    for k in range(n):
        _, pull = rg.vjp(near_zero, x, k + 1.0)
        total += pull(1.0)[0]
    return total


def test_what_only_the_other_branch_uses_has_no_slope() -> None:
    assert rg.jit(slopes)(0.0, 3) == 6.0
    assert rg.jit(slopes)(0.25, 3) == 9.0
