"""Random loops that carry arrays and numbers: what they hand on in reverse is not recorded twice.

The gradient has the bits that it has where loops record all that they carry, records no more than
that, and is the same in parts, in less and less memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from retrograd.api.compile.derive import pullback_task
from retrograd.api.compile.prepare import prepare
from retrograd.backends.interp.eval import run
from retrograd.frontend.identity.specs import spec_of
from retrograd.ir.terms import Program
from retrograd.prims import DEFAULT
from retrograd.transforms.ad.vjp.carried import NOTHING
from tests.lowering import lowered
from tests.random.programs.module import load
from tests.random.ways import in_every_way
from tests.transforms.ad.vjp.support import pushed_words

STEPS = (
    "v = np.tanh(w @ v)",
    "v = np.tanh(w @ v) * u",
    "v = np.maximum(w @ v, 0.1)",
    "v = 1.0 / (1.0 + np.exp(-(w @ v)))",
    "p = w @ v + 0.1 * u\nv = p * np.tanh(p)",
    "v = np.where(w @ v > 0.2, 0.5 * v, np.sin(w @ u))",
    "v, u = u, np.tanh(w @ u) - 0.5 * v",
    "u, v = v, np.tanh(w @ v) * np.exp(-u * u)",
    "v, u = u, v",
    "u = v\nv = np.tanh(w @ v + u)",
    "a = np.tanh(w @ a)",
    "a = np.abs(w @ a + 0.1 * {i}) / (1.0 + a * a)",
    "a = np.tanh(a @ w) + 0.1 * s",
    "b = a\na = np.tanh(w @ a)\na = a * b",
    "v[{i} % 3] = 0.5 * v[{i} % 3]",
    "s = math.tanh(np.sum(v) * s)",
    "s, t = t, math.sin(s + np.sum(v))",
    "s = math.exp(-s * s)",
    "total += np.sum(v * u) * s",
    "total += np.sum(a * a)",
    "v = np.tanh(w @ v) if s > 0.2 else 0.9 * v",
    "if {i} % 3 == 1:\n    a = np.tanh(w @ a)\n    s = 0.9 * s",
    "if s > 0.9:\n    break",
    "v = np.sin(w @ v + 0.1 * {i})",
    "a = np.maximum(w @ a, 0.0)",
    "a = 0.5 * np.cos(a @ w + x[{i} % 3] * u)",
    "p = w @ (u + v)\nu = np.cos(p)\nv = np.sin(p) * 0.9",
)
CALLS = (
    "v = layer0(w, v)", "v = layer0(w, v)", "v = layer1(w, v)", "v, u = layer2(w, v, u)",
    "v = layers(w, v, 3)", "a = layer0(w, a)", "u = layer1(w, u) * s",
)  # fmt: skip
POLICIES = (
    "", "policies.nothing_saveable", "policies.dots_saveable", "policies.everything_saveable",
    "policies.save_only_these_names('p')", "policies.save_any_names_but_these('p')",
    "policies.save_anything_except_these_names('p')", "lambda residual: True",
    "lambda residual: residual.primitive in ('sin', 'cos')",
)  # fmt: skip
FUNCTIONS = """
{0}
def layer0(w, v):
    return np.sin(w @ v)

{1}
def layer1(w, v):
    p = rg.checkpoint_name(np.cos(w @ v) * 0.5, "p")
    return np.maximum(p, rg.checkpoint_name(-0.1 * p, "q"))

{2}
def layer2(w, v, u):
    p = rg.checkpoint_name(w @ (v + u), "p")
    return np.sin(p), np.cos(p)

{3}
def layers(w, v, n):
    for k in range(n):
        v = {4}
    return v
"""
LOOPS = (
    "for {i} in range({n}):", "for {i} in range({n}):",
    "{i} = -1\nwhile {i} < {n} - 1 and s < 3.0:\n    {i} += 1",
)  # fmt: skip


def loop(draw: Random, depth: int, steps: Sequence[str] = STEPS, names: str = "ij") -> str:
    head = draw.choice(LOOPS).format(i=names[0], n=("n", "2")[2 - len(names)])
    few = [draw.choice(steps).format(i=names[0]) for _ in range(draw.randint(1, 4))]
    if depth:
        few.insert(draw.randint(0, len(few)), loop(draw, depth - 1, steps, names[1:]))
    return "\n".join([head, *(f"    {line}" for one in few for line in one.splitlines())])


def functions(draw: Random, marked: bool) -> str:
    """Functions to call in loops, checkpointed or not."""
    policies = [draw.choice(POLICIES) for _ in range(4)]
    marks = [f"@rg.checkpoint(policy={p})" if p else "@rg.checkpoint" for p in policies]
    inner = draw.choice(("np.sin(w @ v)", "layer0(w, v)", "layer1(w, v)", "np.tanh(w @ v) * v"))
    head = "import retrograd as rg\npolicies = rg.checkpoint_policies\n"
    return head + FUNCTIONS.format(*(marks if marked else [""] * 4), inner)


def with_calls(seed: int, marked: bool) -> str:
    """A program whose loops call functions, which are checkpointed where it is marked."""
    draw = Random(seed)
    defined = functions(draw, marked)
    return source(draw, (*CALLS, *CALLS, *STEPS)).replace("\ndef f(", f"{defined}\ndef f(")


def source(draw: Random, steps: Sequence[str] = STEPS) -> str:
    loops = [loop(draw, draw.choice((0, 0, 1)), steps) for _ in range(draw.choice((1, 1, 2)))]
    body = "\n".join(f"    {line}" for text in loops for line in text.splitlines())
    return f"""
import math
import numpy as np

def f(w, x, n):
    y = 1.0 * x
    v = {draw.choice(("1.0 * x", "w @ x", "np.ones(len(x))", "y.copy()"))}
    {draw.choice(("y[0] = 0.3", "y *= x", "pass"))}
    u = {draw.choice(("0.5 * x", "np.cos(x)"))}
    a = {draw.choice(("1.0 * w", "np.outer(x, x)"))}
    s = x[0]
    t = 0.3
    total = 0.0
{body}
    return total + np.sum(v * x) + np.sum(y) + np.sum(a) * s + np.sum(u) + t
"""


def arguments(seed: int, n: int) -> tuple[Any, ...]:
    data = np.random.default_rng(seed)
    k = 3 + seed % 3
    return data.normal(size=(k, k)) / 2, data.normal(size=k), n


def check(
    seed: int, directory: Path, monkeypatch: pytest.MonkeyPatch, text: str = ""
) -> tuple[int, int]:
    """The words that a gradient and one that records everything record in five iterations."""
    text = text or source(Random(seed))
    f = load(text, directory).f
    prepared = prepare(f, tuple(map(spec_of, arguments(seed, 1))), {}, True)
    task = pullback_task(prepared.task)

    def given(n: int) -> list[Any]:
        return [*prepared.traced.flatten(arguments(seed, n)), 1.0]

    made = lowered(task.program, check=True)
    with monkeypatch.context() as patched:
        patched.setattr("retrograd.transforms.ad.vjp.reverse.handed_on", lambda *_: NOTHING)
        everything = lowered(task.program, check=True)
    for n in (0, 1, 2, 5):
        for ours, want in zip(*(results(p, given(n)) for p in (made, everything)), strict=True):
            np.testing.assert_array_equal(ours, want, err_msg=text)
    few, many = (pushed_words(program, given(5)) for program in (made, everything))
    return few, many


def check_marks(seed: int, directory: Path) -> int:
    """Compares a program with checkpoints with itself without; the words that that records less."""
    found = list[Any]()
    for text in (with_calls(seed, False), with_calls(seed, True)):
        prepared = prepare(
            load(text, directory).f, tuple(map(spec_of, arguments(seed, 1))), {}, True
        )
        program = lowered(pullback_task(prepared.task).program, check=True)
        found.append([
            (results(program, given), pushed_words(program, given))
            for given in ([*prepared.traced.flatten(arguments(seed, n)), 1.0] for n in (0, 1, 2, 5))
        ])  # fmt: skip
    for (ours, _), (want, _) in zip(found[1], found[0], strict=True):
        for bar, right in zip(ours, want, strict=True):
            np.testing.assert_array_equal(bar, right, err_msg=with_calls(seed, True))
    return found[0][-1][1] - found[1][-1][1]


def results(program: Program, args: list[Any]) -> tuple[Any, ...]:
    return run(program, args, DEFAULT)


def test_recurrences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [check(seed, tmp_path, monkeypatch) for seed in range(10)]
    assert sum(few for few, _ in found) < 0.95 * sum(many for _, many in found)


def other_way(seed: int, directory: Path) -> str | None:
    """What is different with some way to pay for a gradient."""
    text = source(Random(seed))
    found = in_every_way(load(text, directory).f, (0, 1), lambda: arguments(seed, 7))
    return None if found is None else f"{found}\n{text}"


@pytest.mark.parametrize("seed", [100])
def test_recurrences_in_every_way(seed: int, tmp_path: Path) -> None:
    assert other_way(seed, tmp_path) is None


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_many_recurrences(shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(1000 + 100 * shard, 1100 + 100 * shard):
        check(seed, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_many_recurrences_in_every_way(shard: int, tmp_path: Path) -> None:
    for seed in range(2000 + 10 * shard, 2010 + 10 * shard):
        assert other_way(seed, tmp_path) is None


def test_checkpointed_steps(tmp_path: Path) -> None:
    assert sum(check_marks(seed, tmp_path) > 0 for seed in range(4)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(10))
def test_many_checkpointed_steps(shard: int, tmp_path: Path) -> None:
    for seed in range(1000 * shard, 1000 * shard + 100):
        check_marks(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(3))
def test_checkpointed_steps_in_every_way(shard: int, tmp_path: Path) -> None:
    for seed in range(100 * shard, 100 * shard + 10):
        text = with_calls(seed, True)
        found = in_every_way(load(text, tmp_path).f, (0, 1), lambda k=seed: arguments(k, 7))
        assert found is None, f"{found}\n{text}"
