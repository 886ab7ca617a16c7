"""Each pass by itself, where it stands in its pipeline, on random programs.

The interpreter says what a program does before and after the pass: the same to the bit, and the
same exception, but for contraction, which is checked for well-formedness only. Every tenth program
is native code as well, before and after the whole list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from retrograd.ir.terms import Program
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.ad.vjp import lower_vjp_nodes
from retrograd.transforms.passes import Pass, run_pipeline
from retrograd.transforms.pipelines import AFTER_AD, MACHINE, OPTIMISE, POINTS, SWEEPS
from tests.backends.llvm.native import Raised, compiled, native, reference
from tests.transforms import random_forms, random_programs
from tests.transforms.ad.vjp.support import data, with_vjp
from tests.transforms.support import outcome, renamed
from tests.transforms.test_cleanup import MISFIT, arguments

Case = tuple[Program, Sequence[Any]]
COUNT = 40
CONTRACTIONS = ("fma", "fma-derivatives")


def plain(seed: int) -> Case | None:
    """Control flow, aliases and checks: what the frontend makes, and more."""
    program = random_programs.random_program(Random(seed))
    args = arguments(seed)
    return None if outcome(program, args) == MISFIT else (program, args)


def numbered(seed: int) -> Case | None:
    """The same where machine code is made of it."""
    case = plain(seed)
    if case is None:
        return None
    return run_pipeline((*OPTIMISE, *POINTS), case[0], DEFAULT, check=True), case[1]


def reverse(seed: int) -> Case | None:
    """A function with its pullback: two sweeps and a tape."""
    program = random_forms.random_program(seed)
    if program is None:
        return None
    program = run_pipeline((*OPTIMISE, *POINTS), program, DEFAULT, check=True)
    program = with_vjp(program)
    args = data(program, np.random.default_rng(seed))
    return lower_vjp_nodes(program, supply_for(program), DEFAULT), args


def finished(seed: int) -> Case | None:
    """The same after all passes for derivatives."""
    case = reverse(seed)
    return None if case is None else (run_pipeline(AFTER_AD, case[0], DEFAULT, check=True), case[1])


LISTS = {
    "optimise": (OPTIMISE, plain),
    "points": (POINTS, plain),
    "machine": (MACHINE, numbered),
    "after derivatives": (AFTER_AD, reverse),
    "machine after derivatives": (MACHINE, finished),
    "sweeps": (SWEEPS, finished),
}
"""The lists of passes, and what they are given."""


def cases(name: str, shard: int, count: int) -> Iterator[tuple[int, Case]]:
    first = 10_000 * (1 + list(LISTS).index(name)) + 1000 * shard
    made = LISTS[name][1]
    for seed in range(first, first + count):
        case = made(seed)
        if case is not None:
            yield seed, case


def check(name: str, shard: int, count: int) -> set[str]:
    """Which passes have changed something."""
    fired: set[str] = set()
    for seed, (source, args) in cases(name, shard, count):
        known, before = outcome(source, args), source

        def look(step: Pass, program: Program) -> None:
            nonlocal known, before
            if program == before:
                return
            fired.add(step.name)
            found = outcome(program, args)
            assert step.name in CONTRACTIONS or found == known, f"seed {seed}, {step.name}"
            known, before = found, program

        done = run_pipeline(LISTS[name][0], source, DEFAULT, check=True, listener=look)
        if seed % 10 == 0:
            for program in (source, done):
                close(renamed(program) if program.entry == "main" else program, args)
    return fired


def close(program: Program, args: Sequence[Any]) -> None:
    """Native code against the interpreter; elementary functions round in their own way."""
    got, want = native(compiled(program), args), reference(program, args)
    assert isinstance(got, Raised) == isinstance(want, Raised), (got, want)
    if isinstance(got, Raised):
        assert got == want
        return
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


FIRING = {
    "optimise": {"copies", "dead-code", "guards", "hoist", "inline", "ranges", "simplify"},
    "points": {"points"},
    "machine": set[str](),
    "after derivatives": {"copies-between", "dead-code", "fma-derivatives", "forwards", "simplify"},
    "machine after derivatives": {"dead-code", "records"},
    "sweeps": {"dead-code", "early", "records"},
}
"""What has to happen to some of the programs; other passes want loops of certain kinds, which
the golden texts and the tests of each pass have."""


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", LISTS)
def test_a_pass_keeps_the_bits(name: str) -> None:
    assert FIRING[name] - check(name, 0, COUNT) == set()


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(1, 11))
@pytest.mark.parametrize("name", LISTS)
def test_a_pass_keeps_the_bits_of_many(name: str, shard: int) -> None:
    check(name, shard, 500)
