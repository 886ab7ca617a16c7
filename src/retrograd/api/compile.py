"""From a task to native code: passes, derivatives, code generation, object cache."""

from __future__ import annotations

from collections.abc import Callable

from retrograd.api.derive import Task
from retrograd.api.known import known
from retrograd.api.ready import Image
from retrograd.backends.llvm.cache import object_codes
from retrograd.backends.llvm.module import module_text
from retrograd.ir.terms import Jvp, Prim, Program, Vjp
from retrograd.ir.traverse import stms_deep, supply_for
from retrograd.transforms.jvp import expand_jvp_nodes
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import AFTER_AD, BATCH, MACHINE, OPTIMISE, POINTS
from retrograd.transforms.vjp import lower_vjp_nodes

__all__ = ["build", "lowered"]

Stage = Callable[[str, Program], None]


def _has(program: Program, kind: type[Jvp] | type[Vjp]) -> bool:
    return any(isinstance(s.expr, kind) for f in program.functions for s in stms_deep(f.body))


def _has_tape(program: Program) -> bool:
    stms = (s.expr for f in program.functions for s in stms_deep(f.body))
    return any(isinstance(e, Prim) and e.op == "push" for e in stms)


def lowered(
    program: Program, check: bool = False, stage: Stage | None = None, apart: bool = False
) -> Program:
    """The program without derivative nodes, optimised before and after derivatives were taken.

    `apart`: inner derivatives are functions, so that they can have schedules of their own.

    `stage` is called with the name ("optimised", "jvp", "machine", "vjp") and the program of each
    step.
    """

    def see(name: str) -> None:
        if stage is not None:
            stage(name, program)

    program = run_pipeline(OPTIMISE, program, known(), check=check)
    see("optimised")
    derived = False
    if _has(program, Jvp):
        program = expand_jvp_nodes(program, supply_for(program), known())
        program = run_pipeline(AFTER_AD, program, known(), check=check)
        derived = True
        see("jvp")
    program = run_pipeline(POINTS, program, known(), check=check)
    see("machine")
    if _has(program, Vjp):
        program = lower_vjp_nodes(program, supply_for(program), known(), apart)
        derived = True
    if derived:
        program = run_pipeline(AFTER_AD, program, known(), check=check)
        see("vjp")
        program = run_pipeline(BATCH, program, known(), check=check)
        see("batch")
    return program


def build(task: Task, check: bool = False) -> Image:
    """Compiles a task; object code comes from the disk cache where it is there."""
    program = run_pipeline(MACHINE, lowered(task.program, check), known(), check=check)
    module = module_text(program, known())
    main = task.main
    return Image(
        object_codes(module),
        program.entry,
        tuple(p.type for p in main.params),
        main.result_types,
        module.errors,
        module.consumed,
        _has_tape(program),
    )
