"""Programs without what they show: derivatives are made of these.

A derivative runs parts of a function again, in other orders and directions. What the function
prints is printed by a run of the function itself: it is there once, whatever the derivative does.
"""

from __future__ import annotations

from dataclasses import replace

from retrograd.errors import Limitation
from retrograd.ir.terms import Block, Call, Function, Prim, Program, Stm
from retrograd.ir.traverse import blocks, callees_of, stms_deep, with_blocks
from retrograd.transforms.analysis.effects import reaching

__all__ = ["refuse_loud_derivatives", "silenced"]


def _shows(stm: Stm) -> bool:
    return isinstance(stm.expr, Prim) and stm.expr.op == "output"


def _is_loud(function: Function) -> bool:
    return any(map(_shows, stms_deep(function.body)))


def silenced(program: Program) -> Program:
    """The program without its output; the very same where there is none."""
    if not any(map(_is_loud, program.functions)):
        return program
    functions = tuple(replace(f, body=_silent(f.body)) for f in program.functions)
    return Program(functions, program.entry)


def _silent(block: Block) -> Block:
    kept: list[Stm] = []
    for stm in block.stms:
        if not _shows(stm):
            inner = tuple(map(_silent, blocks(stm.expr)))
            kept.append(replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm)
    return replace(block, stms=tuple(kept))


def refuse_loud_derivatives(program: Program) -> None:
    """Refuses derivatives inside of a program of functions that show something.

    Raises:
        Limitation: there is one.
    """
    if not any(map(_is_loud, program.functions)):
        return
    loud = reaching(program.functions, _is_loud)
    for function in program.functions:
        for stm in stms_deep(function.body):
            plain = isinstance(stm.expr, Call)
            if not plain and not loud.isdisjoint(callees_of(stm.expr)):
                raise Limitation(
                    "RG0128", "a derivative inside of the program, of a function that prints, logs "
                    "or warns", stm.prov.span, "print outside of the function that is derived",
                )  # fmt: skip
