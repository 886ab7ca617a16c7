"""Programs without what they show: derivatives are made of these.

A derivative runs parts of a function again, in other orders and directions. What the function
prints is printed by a run of the function itself: it is there once, whatever the derivative does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from retrograd.ir.terms import Block, Call, Function, Jvp, Prim, Program, Stm, Vjp
from retrograd.ir.traverse import blocks, stms_deep, supply_for, with_blocks
from retrograd.transforms.analysis.effects import reaching

__all__ = ["silenced", "with_silent_derivatives"]


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


def with_silent_derivatives(program: Program) -> Program:
    """The program with derivatives of functions without output, inside of it.

    The frontend has put a call of the function itself before each, which shows what there is.
    """
    if not any(map(_is_loud, program.functions)):
        return program
    loud = reaching(program.functions, _is_loud)
    names = supply_for(program)
    silent = {name: names.name(name) for name in sorted(loud)}
    clones = [
        replace(f, name=silent[f.name], body=_renamed(_silent(f.body), silent, every=True))
        for f in program.functions
        if f.name in silent
    ]
    functions = [replace(f, body=_renamed(f.body, silent, every=False)) for f in program.functions]
    return Program((*clones, *functions), program.entry)


def _renamed(block: Block, names: Mapping[str, str], every: bool) -> Block:
    """A block in which derivatives, or `every` call too, are of other functions."""
    made: list[Stm] = []
    for stm in block.stms:
        expr = stm.expr
        if isinstance(expr, Jvp | Vjp) or (every and isinstance(expr, Call)):
            expr = replace(expr, function=names.get(expr.function, expr.function))
        inner = tuple(_renamed(b, names, every) for b in blocks(expr))
        made.append(replace(stm, expr=with_blocks(expr, inner) if inner else expr))
    return replace(block, stms=tuple(made))
