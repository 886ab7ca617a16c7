"""What a derivative takes, counted in one run of a program that calculates no derivative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from retrograd.api.compile.derive import Task
from retrograd.api.compile.known import known
from retrograd.api.saving.counting import reduced, results_of
from retrograd.ir.terms import Program
from retrograd.ir.traverse import stms_deep
from retrograd.report.buffers import NUMBERS
from retrograd.report.lifetimes import counting_program

__all__ = ["Measure", "measured"]


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
    tape, stms = numbers["tape_peak"], (s for f in counting.functions for s in stms_deep(f.body))
    return Measure(
        tape, max(numbers["peak"], tape), numbers["primal"], numbers["work"], gaps,
        any(out.type.is_float for stm in stms for out in stm.outs),
    )  # fmt: skip
