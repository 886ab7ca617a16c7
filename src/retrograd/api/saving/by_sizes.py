"""Counting programs of which nothing but extents and ints decides what they count.

Such a program can be run before the program itself: it touches no element of any array, so nothing
that the program would check has to be checked.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat

from retrograd.api.compile.known import known
from retrograd.api.saving.counting import reduced
from retrograd.ir.formers import unhandled
from retrograd.ir.terms import (
    Block,
    Call,
    For,
    Function,
    If,
    Jvp,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
)  # fmt: skip
from retrograd.ir.traverse import atoms, blocks, stms_deep
from retrograd.prims.core import Effect
from retrograd.transforms.ad.vjp.residuals import unchecked_block
from retrograd.transforms.analysis.effects import prim_effect

__all__ = ["decided_by_sizes"]

_HARMLESS = (Effect.PURE, Effect.TAPE)


def decided_by_sizes(program: Program) -> Program | None:
    """A counting program without its checks and all that its counters do not depend on.

    None where something is left besides arithmetic with extents and ints that the entry is given,
    or a `while` loop, which checks may have ended.

    Args:
        program: its entry makes the counters; of other functions that have some they are the first
            parameter.
    """
    functions = tuple(replace(f, body=unchecked_block(f.body, known())) for f in program.functions)
    made = reduced(Program(functions, program.entry))
    stms = (s.expr for f in made.functions for s in stms_deep(f.body))
    makers = sum(isinstance(e, Prim) and e.op == "zeros" for e in stms)
    return made if makers == 1 and all(map(_is_plain, made.functions, repeat(made))) else None


def _is_plain(function: Function, program: Program) -> bool:
    """Whether a function looks at the extents of its arrays only; at elements of counters alone."""
    counters = 0 if function.name == program.entry else 1
    sized = frozenset(p for p in function.params[counters:] if not p.type.is_scalar)
    return _is_plain_block(function.body, sized)


def _is_plain_block(block: Block, sized: frozenset[Var]) -> bool:
    return sized.isdisjoint(block.results) and all(_is_plain_stm(s, sized) for s in block.stms)


def _is_plain_stm(stm: Stm, sized: frozenset[Var]) -> bool:
    expr = stm.expr
    match expr:
        case Prim(op="dim" | "zeros"):
            return True
        case Prim(op="index" | "update"):
            return expr.args[0] not in sized and prim_effect(expr, known()) is Effect.PURE
        case Prim():
            scalar = all(a.type.is_scalar for a in (*expr.args, *stm.outs))
            # Divisors of ints that are zero were refused by checks.
            return scalar and expr.op != "div" and prim_effect(expr, known()) in _HARMLESS
        case Call():
            return not expr.args or expr.args[0] not in sized
        case If() | For():
            inner = all(_is_plain_block(b, sized) for b in blocks(expr))
            return inner and sized.isdisjoint(atoms(expr))
        case While() | Jvp() | Vjp():
            return False
        case _:
            unhandled(expr)
