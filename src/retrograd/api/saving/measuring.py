"""What a derivative takes, counted in one run of a program that calculates no derivative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from retrograd.api.compile.derive import Task
from retrograd.api.compile.known import known
from retrograd.api.saving.buffers import NUMBERS, Unknown
from retrograd.api.saving.counting import reduced, results_of
from retrograd.api.saving.lifetimes import counting_program
from retrograd.ir.terms import Program
from retrograd.ir.traverse import stms_deep
from retrograd.transforms.silence import silenced

__all__ = ["Measure", "additions", "measured"]


@dataclass(frozen=True, slots=True)
class Measure:
    """What a run takes.

    Attributes:
        tape: the most bytes on the tape.
        peak: the most bytes in all, as `stats()` counts them.
        primal: the cost of the primal's statements, those that are done again included.
        work: that of all.
        gaps: what there is for which `peak` may be wrong.
        data: whether floats decide about it, so that it is for these arguments only.
    """

    tape: int
    peak: int
    primal: int
    work: int
    gaps: frozenset[str]
    data: bool


def measured(task: Task, program: Program, given: Sequence[Any]) -> Measure:
    """What a run of a program takes on these arguments.

    Args:
        task: what was compiled.
        program: what plain machine code of it is made from.
        given: flat arguments.

    Raises:
        Unknown: there is something in it that is not counted.
    """
    prims = known()
    counting, gaps = counting_program(program, prims)
    counting = reduced(counting)
    found = results_of(task, counting, given)
    numbers = dict(zip(NUMBERS, map(int, found), strict=True))
    tape = numbers["tape_peak"]
    return Measure(
        tape, max(numbers["peak"], tape), numbers["primal"], numbers["work"], gaps, _data(counting)
    )


def additions(
    task: Task, program: Program, given: Sequence[Any], only_sizes: bool
) -> tuple[int, bool] | None:
    """The cost of all statements in a run of a program, and whether floats decide about it.

    None where something is not counted; with `only_sizes` where floats decide.
    """
    try:
        counting, _ = counting_program(silenced(program), known())
    except Unknown:
        return None
    main = counting.main
    (work,) = (r for r, name in zip(main.body.results, NUMBERS, strict=True) if name == "work")
    lone = replace(main, body=replace(main.body, results=(work,)))
    functions = tuple(lone if f is main else f for f in counting.functions)
    counting = reduced(Program(functions, counting.entry))
    data = _data(counting)
    if data and only_sizes:
        return None
    (found,) = results_of(task, counting, given)
    return int(found), data


def _data(program: Program) -> bool:
    stms = (s for f in program.functions for s in stms_deep(f.body))
    return any(out.type.is_float for stm in stms for out in stm.outs)
