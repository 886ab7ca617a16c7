"""Checkpoints and policies change no bit of a derivative: many programs, without native code.

The interpreter runs the programs of derivatives as they are before code generation. That native
code gives the interpreter's bits is tested elsewhere, so nothing is compiled here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import RetrogradError
from retrograd.ir.terms import Program
from retrograd.ir.traverse import stms_deep
from retrograd.prims.core import RaisedError
from retrograd.transforms.driver import BY_SCHEDULE, PLAIN, Pipeline
from tests.random.calculus import Interpreted
from tests.random.checkpoints import POLICIES, checkpointed
from tests.random.costs import short_lines, with_costs
from tests.random.derivatives import direction
from tests.random.harness import float_leaves
from tests.random.programs import PLAIN as ALL
from tests.random.programs import SMOOTH, Features, RandomProgram, from_seed, loaded

Way = Callable[[Interpreted, Callable[..., Any], tuple[Any, ...]], Any]
Result = list[bytes] | str

LOOPS = {"for_range", "for_array", "for_rows", "for_enumerate", "for_zip", "while_loop", "sweeps",
         "recursion", "mutual_recursion", "array_recursion"}  # fmt: skip
SHARE = 0.85
INSIDE = (
    "policies.save_any_names_but_these('v1')", "policies.save_only_these_names('v0', 'v2')",
    "policies.save_anything_except_these_names('v1', 'v2')", "None",
    "lambda residual: residual.primitive in ('sin', 'mul', 'exp', 'update')",
    "lambda residual: residual.primitive in ('add', 'cos', 'fma', 'index')",
)  # fmt: skip
"""Policies that mostly have something saved of what is called, but do not say so of the call."""


def gradient(calculus: Interpreted, f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    return calculus.call(_gradient(f, args), args)


def tangent_of_gradient(calculus: Interpreted, f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    return calculus.jvp(_gradient(f, args), args, direction(args, 1))


def cotangents_of_gradient(
    calculus: Interpreted, f: Callable[..., Any], args: tuple[Any, ...]
) -> Any:
    bars = tuple(direction(args[k], 2) for k in _floats(args))
    g = rg.grad(f, _floats(args))
    return calculus.vjp(g, args)[1](bars)


def _floats(args: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(k for k, arg in enumerate(args) if float_leaves(arg))


def _gradient(f: Callable[..., Any], args: tuple[Any, ...]) -> Callable[..., Any]:
    return rg.value_and_grad(f, _floats(args))


def cases(
    shard: int, features: Features, among: Sequence[str]
) -> Iterator[tuple[RandomProgram, RandomProgram]]:
    """Programs with loops or recursion, and the same programs with checkpoints."""
    for seed in range(100_000 * shard, 100_000 * (shard + 1)):
        program = from_seed(seed, features)
        marked = checkpointed(program, seed, SHARE, among)
        if program.tags & LOOPS and "rg.checkpoint(" in marked.source:
            yield program, marked


def result(program: RandomProgram, way: Way, calculus: Interpreted, directory: Path) -> Result:
    """What a program gives, to the bit; or the exception that it ends in."""
    with loaded(program, directory) as (_, module), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return _result(module, way, calculus, program.args(module))


def _result(module: ModuleType, way: Way, calculus: Interpreted, args: tuple[Any, ...]) -> Result:
    try:
        found = way(calculus, module.objective, args)
    except RaisedError as error:
        return f"{error.kind}: {error.message}"
    except RetrogradError as error:
        return f"{type(error).__name__} {error.code}"
    return [np.asarray(leaf).tobytes() for leaf in float_leaves(found)]


def same_bits(
    shard: int,
    count: int,
    way: Way,
    directory: Path,
    features: Features = SMOOTH,
    product: Pipeline = PLAIN,
    among: Sequence[str] = POLICIES,
) -> int:
    """Compares that many programs; says in how many of them something is run again."""
    rerun = 0
    for _, (program, marked) in zip(range(count), cases(shard, features, among), strict=False):
        plain, calculus = (Interpreted(product, check=False) for _ in range(2))
        expected = result(program, way, plain, directory)
        assert result(marked, way, calculus, directory) == expected, marked.text()
        assert not any(map(runs_again, programs(plain)))
        rerun += any(map(runs_again, programs(calculus)))
    return rerun


def programs(calculus: Interpreted) -> list[Program]:
    return [program for _, _, program in calculus.made.values()]


def runs_again(program: Program) -> bool:
    """Whether executions with loops, branches, calls or writes are run again as a whole."""
    return any(stm.prov.rerun for f in program.functions for stm in stms_deep(f.body))


@pytest.mark.parametrize("shard", range(10))
def test_gradients_have_the_same_bits(shard: int, tmp_path: Path) -> None:
    """Of 200 programs; half of the shards have what makes kinks, too."""
    rerun = same_bits(shard, 20, gradient, tmp_path, ALL if shard % 2 else SMOOTH)
    assert rerun >= 5


@pytest.mark.parametrize("way", [tangent_of_gradient, cotangents_of_gradient])
def test_derivatives_of_gradients_have_the_same_bits(way: Way, tmp_path: Path) -> None:
    assert same_bits(10, 3, way, tmp_path) >= 1


@pytest.mark.parametrize("lines", [False, True])
def test_what_is_called_has_the_same_bits(
    lines: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is inlined, or every other statement on arrays ends a function of its own."""
    called(lines, monkeypatch)
    assert same_bits(50 + lines, 5, gradient, tmp_path, among=INSIDE) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(60, 72))
def test_what_is_called_has_the_same_bits_in_many(
    shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called(shard % 2 == 0, monkeypatch)
    way = gradient if shard % 3 else cotangents_of_gradient
    features = ALL if shard % 4 < 2 else SMOOTH
    assert same_bits(shard, 20, way, tmp_path, features, among=INSIDE) >= 5


def called(lines: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has much of each program called: lines of statements on arrays, or all functions."""
    if lines:
        short_lines(monkeypatch)
    else:
        with_costs(monkeypatch, inline_small=0, inline_largest=0)


def test_what_a_schedule_divides_has_the_same_bits(tmp_path: Path) -> None:
    """Under a schedule nothing is run again as a whole."""
    apart = Pipeline("apart", BY_SCHEDULE.stages[:-1])
    assert same_bits(11, 6, gradient, tmp_path, product=apart) == 0


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(20, 40))
def test_many_gradients_have_the_same_bits(shard: int, tmp_path: Path) -> None:
    assert same_bits(shard, 60, gradient, tmp_path, ALL if shard % 2 else SMOOTH) >= 18


@pytest.mark.slow
@pytest.mark.parametrize("way", [tangent_of_gradient, cotangents_of_gradient])
def test_derivatives_of_many_gradients_have_the_same_bits(way: Way, tmp_path: Path) -> None:
    assert same_bits(40, 60, way, tmp_path) >= 15
