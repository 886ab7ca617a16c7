"""The text of a program at the stages of its way from the frontend to native code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from retrograd.api.compile import lowered
from retrograd.api.derive import pullback_task
from retrograd.api.known import known
from retrograd.api.prepare import prepare
from retrograd.backends.llvm.module import module_text
from retrograd.frontend.specs import spec_of
from retrograd.ir.print import print_program
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import MACHINE

__all__ = ["stage_text"]


def stage_text(f: Callable[..., Any], args: Sequence[Any], stage: str) -> str:
    """`f` for arguments of these types, as text.

    "typed" is what the frontend makes, "machine" the program from which machine code is generated,
    "vjp" the one that pulls a cotangent of the result back to the floating-point arguments, "llvm"
    what LLVM is given for `f`. The checker runs after every pass.
    """
    specs = [spec_of(value, f"argument {k}") for k, value in enumerate(args)]
    task = prepare(f, specs, {}, derivative=stage == "vjp").task
    if stage == "typed":
        return print_program(task.program)
    if stage == "vjp":
        task = pullback_task(task)
    program = lowered(task.program, check=True)
    if stage != "llvm":
        return print_program(program)
    return module_text(run_pipeline(MACHINE, program, known(), check=True), known()).text
