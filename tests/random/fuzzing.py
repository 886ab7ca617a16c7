"""One case of `tools.fuzz`: a program with bent arguments, run in every way, and a verdict."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import retrograd as rg
from tests.random.harness import IllConditioned, Outcome, agree, leaves, outcome, sensitivity
from tests.random.programs import FAULTY, PLAIN, SMOOTH, RandomProgram, from_seed, loaded

__all__ = ["attempt", "program_of"]

Bend = Callable[[tuple[Any, ...], random.Random], tuple[tuple[Any, ...], str, bool]]
KINDS = (PLAIN, FAULTY, SMOOTH)
# What a program may raise on arguments that plain Python treats in its own way.
OF_PROGRAMS = {
    "ArithmeticError", "AssertionError", "IndexError", "MemoryError", "OverflowError",
    "RecursionError", "UnboundLocalError", "ValueError", "ZeroDivisionError",
}  # fmt: skip


def program_of(seed: int) -> RandomProgram:
    """The program of a seed; the three kinds take turns."""
    return from_seed(seed, KINDS[seed % 3])


def attempt(seed: int, directory: Path, bend: Bend) -> tuple[str, str]:
    """The verdict on one seed, and its story."""
    program = program_of(seed)
    with loaded(program, directory) as (f, module):

        def fresh() -> tuple[Any, ...]:
            return bend(program.args(module), random.Random(seed))[0]

        _, story, same = bend(program.args(module), random.Random(seed))
        try:
            tolerance = sensitivity(f, program, module)
        except IllConditioned:
            return "ill-conditioned", ""
        plain = outcome(f, fresh())
        native = outcome(rg.jit(f), fresh())
        verdict = judge(program, plain, native, same, tolerance)
        if verdict[0] in ("ok", "refused"):
            # What is read-only is copied for a derivative, which goes on where Python does not.
            errors = {plain.error, outcome(f, program.args(module)).error}
            verdict = _derivatives(f, fresh(), errors, verdict)
        return verdict[0], f"{story}\n{verdict[1]}"


def judge(
    program: RandomProgram, plain: Outcome, native: Outcome, same: bool, tolerance: float
) -> tuple[str, str]:
    """Compares what plain Python did with what retrograd did."""
    both = f"plain: {plain}\nretrograd: {native}"
    match native.error:
        case "UserError" | "Limitation":
            return "refused", both
        case "CompilerBug":
            return "compiler bug", both
        case None if plain.error is None and same:
            different = agree(plain, native, max(tolerance, 1e-10))
            return ("ok", "") if different is None else ("wrong value", f"{different}\n{both}")
        case None:
            return "ok", ""
        case error if error in (plain.error, program.expected):
            return "ok", ""
        case error if not same and error in OF_PROGRAMS:
            return "ok", ""
        case "ValueError" if "read-only" in native.message:
            return "refused", both
        case error:
            return f"wrong error {error}", both


def _derivatives(
    f: Callable[..., Any], args: tuple[Any, ...], errors: set[str | None],
    verdict: tuple[str, str],
) -> tuple[str, str]:  # fmt: skip
    """Both modes must give something or one clear error, and must leave the arguments alone."""
    before = [np.array(leaf, copy=True) for leaf in leaves(args)]
    for mode in (_reverse, _forward):
        got = outcome(lambda *a, mode=mode: mode(f, a), args)
        if got.error == "CompilerBug":
            return "compiler bug", str(got)
        known = {None, "UserError", "Limitation"} | errors | OF_PROGRAMS
        if got.error not in known:
            return f"wrong error {got.error}", f"{mode.__name__}: {got}"
    for a, b in zip(leaves(args), before, strict=True):
        if np.array(a).tobytes() != b.tobytes():
            return "argument written", f"{b!r} became {a!r}"
    return verdict


def _reverse(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    y, pullback = rg.vjp(f, *args)
    return pullback(y)


def _forward(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    return rg.jvp(f, args, args)
