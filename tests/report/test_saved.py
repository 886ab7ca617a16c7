"""`rg.saved_residuals`: what it lists is what a forward sweep leaves on the tape."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
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
from tests.report import guide

pytestmark = pytest.mark.thinned(2)

policies = rg.checkpoint_policies
DOTS = policies.dots_saveable

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


def again(v: float) -> float:
    w = v
    for _ in range(4):
        w = math.sin(w * v)
    return w


def comprehension(x: Any) -> float:
    return sum([again(v) for v in x])


def one_loop_after_another(x: Any) -> float:
    z = np.sin(x)
    for _ in range(3):
        z = np.exp(-z) * x
    return np.sum(rg.map(again, z))


def of_a_gradient(x: float) -> float:
    return rg.grad(again)(x)


def with_a_gradient(x: float) -> float:
    """A function and its gradient share the code that records."""
    for _ in range(2):
        x = recursive(x, 3) * rg.grad(recursive)(x, 4)
    return x


def as_often_as_a_gradient_says(x: Any, limit: float) -> float:
    y = rg.grad(lambda v: np.sum(np.sin(v * v)))(x)
    k = 0
    while np.sum(y * y) < limit:
        y = y * y + 1.0
        k += 1
    return np.sum(y[:k])


PROGRAMS: tuple[tuple[Callable[..., Any], tuple[Any, ...]], ...] = (
    (chain, (W, W, W, X)),
    (layers, (np.stack([W] * 5), X[:, 0].copy())),
    (grows, (1.5, 1000.0)),
    (shrinks, (np.linspace(0.1, 1.0, 6),)),
    (recursive, (0.9, 6)),
    (in_dict, ({"w": X, "x": 3.0},)),
    (layers, (np.zeros((0, 8, 8)), X[:, 0].copy())),
    (elements, (np.linspace(0.1, 1.0, 7),)),
    (comprehension, (X[:, 0].copy(),)),
    (one_loop_after_another, (X[:, 0].copy(),)),
    (of_a_gradient, (0.5,)),
    (with_a_gradient, (0.9,)),
    (as_often_as_a_gradient_says, (X[:, 0].copy(), 100.0)),
    (guide.of_parts(DOTS), (W, W, W, X)),
    (guide.recursive(16)(policies.nothing_saveable), (X,)),
    (guide.of_layers(guide.layer)(policies.nothing_saveable), guide.LAYERS),
    (guide.of_loop(DOTS), guide.LAYERS),
)


def on_tape(fun: Callable[..., Any], args: tuple[Any, ...]) -> int:
    """The bytes of what a run of the forward sweep leaves on the tape of the evaluator."""
    prepared = prepare(fun, [spec_of(v, "argument") for v in args], {}, derivative=True)
    task = pullback_task(prepared.task)
    program = PLAIN.run(task.program, known())
    flat = prepared.traced.flatten(args)
    bars = [np.zeros_like(value) for value in rg.tree.leaves(fun(*args))]
    tape = Tape()
    forward = sweeps_of(program, program.main.params[len(flat) :]).ahead
    run(forward, [*flat, *bars], known(), tape=tape)
    return size_of(tape)


def size_of(tape: Tape) -> int:
    total = 0
    for entry in tape.entries:
        if isinstance(entry, dict):
            total += sum(map(size_of, entry.values()))
        else:
            total += sum(max(np.asarray(v).dtype.itemsize, 8) * np.asarray(v).size for v in entry)
    return total


@pytest.mark.thinned(2)
@pytest.mark.parametrize("k", range(len(PROGRAMS)))
def test_the_list_adds_up_to_the_tape(k: int) -> None:
    fun, args = PROGRAMS[k]
    assert rg.saved_residuals(fun, *args).total == on_tape(fun, args)


def test_what_is_taken_back_at_once_is_not_saved() -> None:
    x = X[:, 0].copy()
    found = rg.saved_residuals(comprehension, x)
    assert (len(found), found.arguments) == (0, ("x",))
    assert [r.times for r in rg.saved_residuals(one_loop_after_another, x)] == [3]
    assert len(rg.saved_residuals(of_a_gradient, 0.5)) == 0


def test_a_chain_of_products_saves_what_goes_into_the_sines() -> None:
    found = rg.saved_residuals(chain, W, W, W, X)
    assert {r.shape for r in found} == {(8, 4)}
    assert [r.primitive for r in found] == ["matmul"] * 3
    assert {r.expression for r in found} == {"w1 @ x", "w2 @ x", "w3 @ x"}
    assert found.float_bytes == 3 * X.nbytes
    assert found.arguments == ("w1", "w2", "w3", "x")
    assert found[0].file == __file__


def of_branches_and_loops(x: Any) -> float:
    if np.sum(x) > 0.5:
        y = np.exp(x)
    else:
        y = np.tanh(x) * x
    for _ in range(2):
        for _ in range(3):
            y = np.sin(y) / 3.0
        y = np.cos(
            y * x,
        )
    n = 0
    while n < 2:
        y = np.sin(y * y)
        n += 1
    return np.sum(y * y)


def test_what_loops_and_branches_give_has_the_line_of_the_assignment() -> None:
    found = rg.saved_residuals(of_branches_and_loops, X[:, 0].copy())
    assert {r.expression for r in found if r.shape} == {
        "np.exp(x)", "np.cos( y * x, )", "np.sin(y * y)"
    }  # fmt: skip
    assert {r.function for r in found} == {"of_branches_and_loops"}


def either(x: Any) -> float:
    y = x
    if np.sum(x) > 0.5:
        y = np.exp(x)
    else:
        y = np.tanh(x) * x
    return np.sum(y * y)


def test_what_branches_give_has_the_lines_of_both() -> None:
    (joined,) = [r for r in rg.saved_residuals(either, X) if " or " in r.expression]
    assert joined.expression == "np.exp(x) or np.tanh(x) * x"
    assert (joined.primitive, joined.shape) == ("if", X.shape)


def test_policies_see_the_records_of_the_list() -> None:
    seen: list[rg.Residual] = []

    def product(residual: rg.Residual) -> bool:
        seen.append(residual)
        return residual.expression == "w @ x"

    def sine(w: Any, x: Any) -> Any:
        return np.sin(w @ x)

    def f(w: Any, x: Any) -> Any:
        return np.sum(rg.checkpoint(sine, policy=product)(w, x))

    (saved,) = [r for r in rg.saved_residuals(f, W, X) if r.shape]
    assert (saved.function, saved.primitive, saved.cost) == ("sine", "matmul", 2.0)
    assert replace(saved, shape=None, bytes=None, times=None, total=None) in seen


def test_loops_say_how_often_and_sizes_that_differ_say_so() -> None:
    found = rg.saved_residuals(layers, np.stack([W] * 5), X[:, 0].copy())
    # The x of each iteration but the first, which is an argument, and the last x.
    assert [r.times for r in found if r.shape == (8,)] == [4, 1]
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
    assert "names" not in str(found)


def test_a_column_of_names_is_there_where_values_have_names() -> None:
    program = guide.PROGRAMS["named"]
    found = rg.saved_residuals(program.build(policies.save_only_these_names("a")), *program.args)
    assert [r.names for r in found] == [("a",)]
    assert "names" in str(found)


def test_bad_input() -> None:
    with pytest.raises(rg.UserError, match="no argument is a float"):
        rg.saved_residuals(lambda n: 2.0 * n, 3)
    with pytest.raises(rg.UserError, match="no argument is a float"):
        rg.saved_residuals(lambda: 2.0)
    with pytest.raises(rg.UserError, match="returns no float"):
        rg.saved_residuals(lambda x: 3, 1.0)


def scaled(x: float, n: int) -> float:
    return x * n


@pytest.mark.parametrize(
    ("argnums", "message"),
    [
        (2, "RG0301: argnums names argument 2 of a function with 2"),
        ((0, -3), "RG0301: argnums names argument -3"),
        ((), "RG0302: argnums names no argument"),
        (1, "RG0302: argument 1 is of type i64"),
        (-1, "RG0302: argument 1 is of type i64"),
        ("x", "RG0301: argnums='x' is neither"),
        (1.0, "RG0301: argnums=1.0 is neither"),
    ],
)
def test_argnums_that_are_none(argnums: Any, message: str) -> None:
    for report in (rg.saved_residuals, rg.print_saved_residuals, rg.print_fwd_bwd):
        with pytest.raises(rg.UserError, match=message) as caught:
            report(scaled, 2.0, 3, argnums=argnums)
        assert caught.value.span is not None


def test_an_argument_that_is_named_twice_or_from_the_end() -> None:
    found = rg.saved_residuals(scaled, 2.0, 3, argnums=(0, 0, -2))
    assert repr(found) == repr(rg.saved_residuals(scaled, 2.0, 3))


@rg.custom_vjp
def careful(v: float) -> float:
    return math.sin(v)


def careful_back(v: float, bar: float) -> tuple[float]:
    if bar > 1e9:
        raise ValueError("too steep")
    return (bar * math.cos(v),)


careful.defvjp(lambda v: (math.sin(v), v), careful_back)


def test_a_pullback_that_may_raise_in_a_loop_of_both_sweeps_is_refused() -> None:
    def element(v: float) -> float:
        w = v
        for _ in range(4):
            w = careful(w * v)
        return w

    def f(x: Any) -> float:
        z = np.sin(x)
        for _ in range(3):
            z = np.exp(-z) * x
        return np.sum(rg.map(element, z))

    with pytest.raises(rg.Limitation, match="RG4104"):
        rg.saved_residuals(f, X[:, 0].copy())


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = np.exp(q @ np.swapaxes(k, 1, 2))
    return np.sin(np.einsum("bij,bjk->bik", scores, v))


@pytest.mark.parametrize("policy", ["dots_saveable", "dots_with_no_batch_dims_saveable"])
def test_products_of_stacks_have_batch_dimensions(policy: str) -> None:
    """Two of them, and one of two matrices, which JAX's second policy saves alone."""
    part = rg.checkpoint(attention, policy=getattr(policies, policy))
    mixed = rg.checkpoint(lambda x: np.sin(x @ W), policy=getattr(policies, policy))

    def loss(q: Any, k: Any, v: Any) -> Any:
        return np.sum(part(q, k, v)) + np.sum(np.cos(mixed(q[0])))

    args = [np.linspace(-0.5, 0.5 + k, 96).reshape(3, 4, 8) for k in range(3)]
    found = [r.shape for r in rg.saved_residuals(loss, *args) if r.primitive != "argument"]
    batched = [(3, 4, 4), (3, 4, 8)] if policy == "dots_saveable" else []
    assert sorted(shape for shape in found if shape) == sorted([*batched, (4, 8)])
