"""Passes and how a list of them is run: checked after each, with the failing one named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrograd.errors import CompilerBug
from retrograd.ir.check import check_program
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Function, Program
from retrograd.ir.traverse import supply_for
from retrograd.prims.core import PrimitiveSet

__all__ = ["Listener", "Pass", "Run", "per_function", "run_pipeline"]

Run = Callable[[Program, NameSupply, PrimitiveSet], Program]


@dataclass(frozen=True, slots=True)
class Pass:
    """One program-to-program step."""

    name: str
    doc: str
    run: Run


Listener = Callable[[Pass, Program], None]


def per_function(program: Program, change: Callable[[Function], Function]) -> Program:
    """`program` with `change` applied to each function."""
    return Program(tuple(map(change, program.functions)), program.entry)


def _same(one: Program, other: Program) -> bool:
    """Whether two programs are known to be equal: of those that are nested too deep to be compared
    it is not known."""
    try:
        return one == other
    except RecursionError:
        return False


def run_pipeline(
    passes: Sequence[Pass],
    program: Program,
    prims: PrimitiveSet,
    *,
    check: bool,
    listener: Listener | None = None,
) -> Program:
    """Runs `passes` in order. `check` verifies every intermediate program, the first included.

    A pass that has left a program as it is would leave it so again: it is run once more only after
    another one has changed something. `listener` sees the program after each pass.
    """
    if check:
        check_program(program, prims)
    names = supply_for(program)
    settled: set[str] = set()
    for step in passes:
        if step.name not in settled:
            made = step.run(program, names, prims)
            if _same(made, program):
                settled.add(step.name)
            else:
                settled = set()
                if check:
                    _checked_after(step, made, program, prims)
            program = made
        if listener is not None:
            listener(step, program)
    return program


def _checked_after(step: Pass, made: Program, before: Program, prims: PrimitiveSet) -> None:
    """CompilerBug with the name of the pass, unless it made a program that is well formed."""
    try:
        check_program(made, prims, before=before)
    except CompilerBug as bug:
        raise CompilerBug(f"after pass {step.name!r}: {bug.message}", bug.span) from bug
