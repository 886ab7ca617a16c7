"""Loops before and after the machine passes: in the interpreter and as native code, bit by bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.ir.terms import Program
from retrograd.transforms.pipelines import MACHINE
from tests.backends.llvm.native import bits, compiled, native, reference
from tests.transforms.support import after

__all__ = ["SPECIAL", "check", "vectors"]

SPECIAL = (float("nan"), float("inf"), float("-inf"), 0.0, -0.0)


def vectors(n: int, *, seed: int = 0) -> list[np.ndarray]:
    """Random vectors of that length: plain ones, and such with special values in them."""
    rng = np.random.default_rng(1000 * seed + n)
    usual = rng.normal(size=n)
    mixed = usual.copy()
    if n:
        places = rng.integers(n, size=min(n, 4))
        mixed[places] = rng.choice(SPECIAL, size=len(places))
    zeros = -np.abs(usual)
    zeros[rng.random(n) < 0.4] = 0.0
    zeros[rng.random(n) < 0.4] = -0.0
    return [usual, mixed, zeros]


def check(source: Program, runs: Sequence[Sequence[Any]]) -> Program:
    """The program after the passes: the same bits, natively for all runs, interpreted for some."""
    done = after(source, *MACHINE)
    some = runs[:: 1 + len(runs) // 24]
    for found, chosen in ((_natively, runs), (_interpreted, some)):
        befores, afters = found(source, chosen), found(done, chosen)
        for args, want, got in zip(chosen, befores, afters, strict=True):
            assert got == want, (args, want, got)
    return done


def _natively(program: Program, runs: Sequence[Sequence[Any]]) -> list[Any]:
    # LLVM has a library named "main" already.
    renamed = Program(tuple(replace(f, name="f") for f in program.functions), "f")
    code = compiled(renamed, level=2)
    return [_shown(native(code, args)) for args in runs]


def _interpreted(program: Program, runs: Sequence[Sequence[Any]]) -> list[Any]:
    return [_shown(reference(program, args)) for args in runs]


def _shown(outcome: Any) -> Any:
    return bits(outcome) if isinstance(outcome, list) else outcome
