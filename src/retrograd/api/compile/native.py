"""From a task to native code: the passes of the product, code generation, object cache."""

from __future__ import annotations

from retrograd.api.compile.artefact import Image
from retrograd.api.compile.derive import Task
from retrograd.api.compile.known import known
from retrograd.backends.llvm.cache import object_codes
from retrograd.backends.llvm.module import module_text
from retrograd.ir.terms import Prim, Program
from retrograd.ir.traverse import stms_deep
from retrograd.transforms.ad.vjp.fusion import out_of_order, value_only
from retrograd.transforms.driver import LOWEST, PLAIN

__all__ = ["build", "image_of"]


def _has_tape(program: Program) -> bool:
    stms = (s.expr for f in program.functions for s in stms_deep(f.body))
    return any(isinstance(e, Prim) and e.op == "push" for e in stms)


def _lowest(task: Task, program: Program, check: bool) -> Program | None:
    """What raises the exception that counts, where code would raise one of a later iteration."""
    if not out_of_order(program, known()):
        return None
    return LOWEST.run(value_only(task.program, known()), known(), check=check)


def build(task: Task, check: bool = False, made: Program | None = None) -> Image:
    """Compiles a task; object code comes from the disk cache where it is there.

    `made` is what the passes of plain code made of it, where they have been run.
    """
    program = made or PLAIN.run(task.program, known(), check=check)
    return image_of(task, program, _lowest(task, program, check))


def image_of(task: Task, program: Program, lowest: Program | None = None) -> Image:
    """The native code of a task, of which `program` is what the passes made.

    After a failure `lowest` is run, whose exception counts.
    """
    module = module_text(program, known(), lowest=lowest)
    main = task.main
    return Image(
        object_codes(module),
        program.entry,
        tuple(p.type for p in main.params),
        main.result_types,
        module.errors,
        module.consumed,
        _has_tape(program),
        module.folders,
    )
