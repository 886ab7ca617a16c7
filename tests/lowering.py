"""Programs on their way to native code, as far as code generation."""

from __future__ import annotations

from retrograd.ir.terms import Program
from retrograd.prims import DEFAULT
from retrograd.transforms.driver import BY_SCHEDULE, INTERRUPTIBLE, Pipeline

__all__ = ["lowered"]

APART = Pipeline("apart", BY_SCHEDULE.stages[:-1])
"""Before the stage that prepares sweeps for taking turns."""


def lowered(program: Program, check: bool = False, apart: bool = False) -> Program:
    """The program without derivative nodes; `apart`: inner derivatives become functions."""
    return (APART if apart else INTERRUPTIBLE).run(program, DEFAULT, check=check)
