"""Values that a budget may save have numbers: the choice says which of them are saved.

Just before cotangents become sweeps, so that the same program has the same numbers whatever is
saved. A number is a name (`Prov.names`) that begins as no user's does.
"""

from __future__ import annotations

from dataclasses import replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Prim, Program, Stm
from retrograd.ir.traverse import blocks, with_blocks
from retrograd.options.saving import BUDGET, EVERY, NUMBERED, policy_named
from retrograd.prims.core import PrimitiveSet

__all__ = ["is_number", "number_values"]

_SIGN = "\0"


def is_number(name: str) -> bool:
    """Whether a name of a value is its number."""
    return name.startswith(_SIGN)


def number_values(program: Program, _names: NameSupply, _prims: PrimitiveSet) -> Program:
    """The program with numbers on the results of primitives in executions with a budget."""
    count = 0

    def walk(block: Block) -> Block:
        return Block(tuple(map(visit, block.stms)), block.results)

    def visit(stm: Stm) -> Stm:
        nonlocal count
        if inner := blocks(stm.expr):
            return replace(stm, expr=with_blocks(stm.expr, tuple(map(walk, inner))))
        if not isinstance(stm.expr, Prim) or not _is_in_budget(stm):
            return stm
        count += 1
        numbers = tuple((k, f"{_SIGN}{count}") for k in range(len(stm.outs)))
        return replace(stm, prov=stm.prov.named(numbers))

    return replace(
        program, functions=tuple(replace(f, body=walk(f.body)) for f in program.functions)
    )


def _is_in_budget(stm: Stm) -> bool:
    kinds = (policy_named(mark.policy).kind for mark in stm.prov.checkpoints)
    return any(kind in (BUDGET, EVERY, NUMBERED) for kind in kinds)
