"""`rg.saved_residuals`: what it lists is what a forward sweep leaves on the tape."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.calls.runner import Runner
from retrograd.api.compile.artefact import linked
from retrograd.api.compile.derive import Task, pullback_task
from retrograd.api.compile.known import known
from retrograd.api.compile.native import image_of
from retrograd.api.compile.prepare import prepare
from retrograd.frontend.identity.specs import TupleSpec, spec_of
from retrograd.report.counting import forward_of
from retrograd.report.residuals import nothing
from retrograd.transforms.driver import PLAIN

W = np.linspace(-1.0, 1.0, 64).reshape(8, 8)
X = np.linspace(0.1, 1.0, 32).reshape(8, 4)


def chain(w1: Any, w2: Any, w3: Any, x: Any) -> Any:
    x = np.sin(w1 @ x)
    x = np.sin(w2 @ x)
    return np.sin(w3 @ x)


def layers(ws: Any, x: Any) -> Any:
    for i in range(ws.shape[0]):
        x = np.tanh(ws[i] @ x)
    return np.sum(x)


def grows(x: float, n: float) -> float:
    k = 0
    while x < n:
        x = x * math.sin(x) + 2.0 if k % 2 == 0 else x * x
        k += 1
    return x


def shrinks(x: Any) -> float:
    for _ in range(3):
        x = np.sin(x[1:] * x[:-1])
    return np.sum(x)


def recursive(x: float, n: int) -> float:
    if n == 0:
        return x
    return math.sin(recursive(x * x, n - 1)) * x


def in_dict(p: Any) -> Any:
    return {"a": np.exp(p["w"]) * 2.0, "b": (p["x"] ** 2,)}


def elements(x: Any) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            total = math.sin(total * x[i]) + x[j]
    return total


PROGRAMS: tuple[tuple[Callable[..., Any], tuple[Any, ...]], ...] = (
    (chain, (W, W, W, X)),
    (layers, (np.stack([W] * 5), X[:, 0].copy())),
    (grows, (1.5, 1000.0)),
    (shrinks, (np.linspace(0.1, 1.0, 6),)),
    (recursive, (0.9, 6)),
    (in_dict, ({"w": X, "x": 3.0},)),
    (layers, (np.zeros((0, 8, 8)), X[:, 0].copy())),
)


def on_tape(fun: Callable[..., Any], args: tuple[Any, ...]) -> int:
    """The bytes that a run of the forward sweep itself leaves on the tape."""
    prepared = prepare(fun, [spec_of(v, "argument") for v in args], {}, derivative=True)
    task = pullback_task(prepared.task)
    program = PLAIN.run(task.program, known())
    flat = prepared.traced.flatten(args)
    forward = forward_of(program, program.main.params[len(flat) :])
    bars = [nothing(var) for var in task.main.params[len(flat) :]]
    runner = Runner(linked(image_of(Task(forward, task.args, TupleSpec(())), forward), 0.0), False)
    runner([*flat, *bars])
    return 0 if runner.stats is None else runner.stats.tape_bytes


def headers(found: rg.SavedResiduals, rank_of: Callable[[Any], int]) -> int:
    return sum(8 * (1 + rank_of(r)) * (r.times or 0) for r in found if rank_of(r))


@pytest.mark.parametrize("k", range(len(PROGRAMS)))
def test_the_list_adds_up_to_the_tape(k: int) -> None:
    fun, args = PROGRAMS[k]
    found = rg.saved_residuals(fun, *args)
    ranks = {id(r): 1 if r.shape is None else len(r.shape) for r in found}
    assert found.total + headers(found, lambda r: ranks[id(r)]) == on_tape(fun, args)


def test_a_chain_of_products_saves_what_goes_into_the_sines() -> None:
    found = rg.saved_residuals(chain, W, W, W, X)
    assert {r.shape for r in found} == {(8, 4)}
    assert [r.primitive for r in found] == ["matmul"] * 3
    assert {r.expression for r in found} == {"w1 @ x", "w2 @ x", "w3 @ x"}
    assert found.float_bytes == 3 * X.nbytes
    assert found.arguments == ("w1", "w2", "w3", "x")
    assert found[0].file == __file__


def test_a_chain_saves_no_more_floats_than_jax() -> None:
    jax = pytest.importorskip("jax")
    from jax._src.ad_checkpoint import saved_residuals  # pyright: ignore

    def f(w1: Any, w2: Any, w3: Any, x: Any) -> Any:
        x = jax.numpy.sin(w1 @ x)
        x = jax.numpy.sin(w2 @ x)
        return jax.numpy.sin(w3 @ x)

    theirs: Any = saved_residuals(f, W, W, W, X)  # pyright: ignore
    made = [a for a, source in theirs if "argument" not in source]
    elements = sum(math.prod(a.shape) for a in made)
    assert rg.saved_residuals(chain, W, W, W, X).float_bytes <= 8 * elements


def test_loops_say_how_often_and_sizes_that_differ_say_so() -> None:
    assert {r.times for r in rg.saved_residuals(layers, np.stack([W] * 5), X[:, 0].copy())
            if r.shape == (8,)} == {5}  # fmt: skip
    found = rg.saved_residuals(shrinks, np.linspace(0.1, 1.0, 6))
    varying = [r for r in found if r.shape is None]
    assert varying
    assert all(r.bytes is None and r.total and r.times == 3 for r in varying)


def test_only_some_arguments() -> None:
    def f(a: float, b: float) -> float:
        return math.exp(math.sin(a)) * b

    assert len(rg.saved_residuals(f, 1.0, 2.0, argnums=1)) <= len(rg.saved_residuals(f, 1.0, 2.0))
    assert rg.saved_residuals(lambda x: 3.0 * x, 2.0).total == 0


def test_tables() -> None:
    found = rg.saved_residuals(chain, W, W, W, X)
    assert "f64[8,4]" in str(found)
    assert "from the argument 'w1': costs nothing" in str(found)
    assert "<td>f64[8,4]</td>" in found._repr_html_()  # pyright: ignore


def test_bad_input() -> None:
    with pytest.raises(rg.UserError, match="no argument is a float"):
        rg.saved_residuals(lambda n: 2.0 * n, 3)
    with pytest.raises(rg.UserError, match="returns no float"):
        rg.saved_residuals(lambda x: 3, 1.0)
    with pytest.raises(rg.Limitation, match="taken back before"):
        rg.saved_residuals(elements, np.linspace(0.1, 1.0, 7))
