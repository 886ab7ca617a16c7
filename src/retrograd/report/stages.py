"""The text of a program at the stages of its way from the frontend to native code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from retrograd.api.derive import Task, pullback_task
from retrograd.backends.llvm.module import module_text
from retrograd.frontend import spec_of, trace_function
from retrograd.ir.print import print_program
from retrograd.ir.terms import Program
from retrograd.prims import DEFAULT
from retrograd.transforms.jvp import expand_jvp_nodes
from retrograd.transforms.passes import Pass, run_pipeline
from retrograd.transforms.pipelines import AFTER_AD, OPTIMISE
from retrograd.transforms.vjp import lower_vjp_nodes

__all__ = ["stage_text"]

_DERIVATIVES = (
    Pass("jvp", "forward mode becomes programs of dual numbers", expand_jvp_nodes),
    Pass("vjp", "reverse mode becomes a forward and a reverse sweep", lower_vjp_nodes),
)


def stage_text(f: Callable[..., Any], args: Sequence[Any], stage: str) -> str:
    """`f` for arguments of these types, as text.

    "typed" is what the frontend makes, "machine" the optimised program, "vjp" the program that pulls
    a cotangent of the result back to the floating-point arguments, "llvm" what LLVM is given for `f`.
    """
    specs = [spec_of(value, f"argument {k}") for k, value in enumerate(args)]
    traced = trace_function(f, specs, write_back=stage != "vjp")
    match stage:
        case "typed":
            return print_program(traced.program)
        case "machine":
            return print_program(_machine(traced.program))
        case "vjp":
            task = Task(traced.program, traced.inputs, traced.output)
            return print_program(_optimised(pullback_task(task).program))
        case _:
            return module_text(_machine(traced.program), DEFAULT).text


def _machine(program: Program) -> Program:
    return run_pipeline((*OPTIMISE, *_DERIVATIVES, *AFTER_AD), program, DEFAULT, check=True)


def _optimised(program: Program) -> Program:
    return _machine(program)
