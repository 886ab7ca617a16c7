"""Every pass keeps what random programs compute, to the bit, and what they raise."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from retrograd.backends.interp.eval import run
from retrograd.errors import CompilerBug
from retrograd.ir.check import check_program
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Function, Program, Var
from retrograd.ir.traverse import stms_deep
from retrograd.ir.types import F64
from retrograd.prims import DEFAULT
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.cleanup import (
    COPIES,
    COPIES_BETWEEN,
    DEAD_CODE,
    FMA,
    HOIST,
    INLINE,
    RANGES,
    SIMPLIFY,
    WINDOWS,
)
from retrograd.transforms.passes import Pass, run_pipeline
from retrograd.transforms.pipelines import AFTER_AD, OPTIMISE
from tests.transforms.random_programs import random_program
from tests.transforms.support import after, outcome, program

EXACT = [INLINE, SIMPLIFY, DEAD_CODE, HOIST, RANGES, COPIES, COPIES_BETWEEN, WINDOWS]
MISFIT = ("ValueError", "operands could not be broadcast together")


def arguments(seed: int) -> tuple[object, ...]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 5))
    x, y = rng.uniform(-2, 2, n), rng.uniform(-2, 2, n)
    return x, y, np.float64(rng.uniform(-2, 2)), np.int64(rng.integers(-1, 5))


def check_same(passes: list[Pass], seed: int) -> None:
    source = random_program(Random(seed))
    check_program(source, DEFAULT)
    expected = outcome(source, arguments(seed))
    assume(expected != MISFIT)  # a pure operation that raises may be dropped
    assert outcome(after(source, *passes), arguments(seed)) == expected


@settings(max_examples=60)
@given(st.sampled_from(EXACT), st.integers(0, 2**32))
def test_a_pass_keeps_the_bits(step: Pass, seed: int) -> None:
    check_same([step], seed)


@settings(max_examples=80)
@given(st.lists(st.sampled_from(EXACT), min_size=2, max_size=8), st.integers(0, 2**32))
def test_passes_in_any_order_keep_the_bits(passes: list[Pass], seed: int) -> None:
    check_same(passes, seed)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_the_pipelines_keep_the_bits_but_for_contraction(seed: int) -> None:
    check_same([p for p in (*OPTIMISE, *AFTER_AD) if not p.name.startswith("fma")], seed)


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_the_pipelines_leave_sound_programs(seed: int) -> None:
    source = random_program(Random(seed))
    done = run_pipeline(OPTIMISE, source, DEFAULT, check=True)
    assert done.main.params == source.main.params
    again = run_pipeline(AFTER_AD, done, DEFAULT, check=True)
    before = sum(1 for f in done.functions for _ in stms_deep(f.body))
    assert sum(1 for f in again.functions for _ in stms_deep(f.body)) <= before + 20


def test_passes_do_not_repeat_their_work() -> None:
    source = random_program(Random(3))
    once = after(source, *OPTIMISE)
    assert after(once, DEAD_CODE, DEAD_CODE) == after(once, DEAD_CODE)


def test_the_failing_pass_is_named() -> None:
    wrong = Block((), (Var("gone", F64),))
    breaking = Pass("breaking", "", lambda p, n, s: Program((Function("f", (), wrong),), "f"))
    source = program("(x: f64) -> (f64)", "return x")
    with pytest.raises(CompilerBug, match="after pass 'breaking'.*not in scope"):
        run_pipeline([FMA, breaking], source, DEFAULT, check=True)
    assert run_pipeline([FMA, breaking], source, DEFAULT, check=False).entry == "f"


def test_a_listener_sees_every_pass() -> None:
    source = program("(x: f64) -> (f64)", "return x")
    seen: list[str] = []
    run_pipeline(
        OPTIMISE, source, DEFAULT, check=False, listener=lambda step, _: seen.append(step.name)
    )
    assert seen == [step.name for step in OPTIMISE]


def test_a_pass_that_changed_nothing_runs_again_after_a_change_only() -> None:
    source = program("(x: f64) -> (f64)", "return x")
    runs: list[str] = []

    def still(p: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
        runs.append("still")
        return Program(p.functions, p.entry)

    def longer(p: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
        runs.append("longer")
        extra = Function(f"g{len(p.functions)}", (), Block((), ()))
        return Program((*p.functions, extra), p.entry)

    quiet, busy = Pass("still", "", still), Pass("longer", "", longer)
    run_pipeline([quiet, quiet, busy, busy, quiet, quiet], source, DEFAULT, check=True)
    assert runs == ["still", "longer", "longer", "still"]


def test_names_stay_unique_over_a_whole_pipeline() -> None:
    source = program(
        "(x: f64) -> (f64)",
        "a: f64 = call g(x)\nb: f64 = call g(a)\nreturn b",
        "function g(y: f64) -> (f64):\n  z: f64 = exp(y)\n  return z\n",
    )
    done = after(source, *OPTIMISE, *OPTIMISE)
    assert [f.name for f in done.functions] == ["main"]
    assert run(done, (0.5,), DEFAULT) == run(source, (0.5,), DEFAULT)
