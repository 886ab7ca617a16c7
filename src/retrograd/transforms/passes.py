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


def run_pipeline(
    passes: Sequence[Pass],
    program: Program,
    prims: PrimitiveSet,
    *,
    check: bool,
    listener: Listener | None = None,
) -> Program:
    """Runs `passes` in order. `check` verifies every intermediate program, the first included.

    `listener` sees the program after each pass.
    """
    if check:
        check_program(program, prims)
    names = supply_for(program)
    for step in passes:
        program = step.run(program, names, prims)
        if check:
            try:
                check_program(program, prims)
            except CompilerBug as bug:
                raise CompilerBug(f"after pass {step.name!r}: {bug.message}", bug.span) from bug
        if listener is not None:
            listener(step, program)
    return program
