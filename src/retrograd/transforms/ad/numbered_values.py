"""Values that a budget may save have numbers: the choice says which of them are saved.

Just before cotangents become sweeps, so that the same program has the same numbers whatever is
saved. A number is a name (`Prov.names`) that begins as no user's does.
"""

from __future__ import annotations

from dataclasses import replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Call, Function, Prim, Program, Stm
from retrograd.ir.traverse import blocks, stms_deep, with_blocks
from retrograd.options.saving import BUDGET, EVERY, NUMBERED, policy_named
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.effects import reachable

__all__ = ["is_number", "number_tangents", "number_values"]

_SIGN = "\0"


def is_number(name: str) -> bool:
    """Whether a name of a value is its number."""
    return name.startswith(_SIGN)


def number_values(program: Program, _names: NameSupply, _prims: PrimitiveSet) -> Program:
    """The program with numbers on the results of primitives in executions with a budget, and in
    functions that these call."""
    count = 0
    called = _called(program)

    def walk(block: Block, whole: bool) -> Block:
        return Block(tuple(visit(stm, whole) for stm in block.stms), block.results)

    def visit(stm: Stm, whole: bool) -> Stm:
        nonlocal count
        if inner := blocks(stm.expr):
            walked = tuple(walk(block, whole) for block in inner)
            return replace(stm, expr=with_blocks(stm.expr, walked))
        if not isinstance(stm.expr, Prim) or not (whole or _is_in_budget(stm)):
            return stm
        count += 1
        numbers = tuple((k, f"{_SIGN}{count}") for k in range(len(stm.outs)))
        return replace(stm, prov=stm.prov.named(numbers))

    functions = tuple(replace(f, body=walk(f.body, f.name in called)) for f in program.functions)
    return replace(program, functions=functions)


def number_tangents(function: Function) -> Function:
    """A function of dual numbers, in which tangents have the numbers of what they are tangents of.

    Their statements come after that of the value. So what is chosen holds for what a derivative
    makes of a derivative, too.
    """
    return replace(function, body=_tangents(function.body))


def _tangents(block: Block) -> Block:
    stms: list[Stm] = []
    number = ""
    for stm in block.stms:
        inner = with_blocks(stm.expr, tuple(map(_tangents, blocks(stm.expr))))
        found = next((name for _, name in stm.prov.names if is_number(name)), "")
        if not isinstance(stm.expr, Prim) or not _is_in_budget(stm):
            number = ""
        elif found:
            number = found
        elif number:
            numbers = tuple((k, number) for k in range(len(stm.outs)))
            stm = replace(stm, prov=stm.prov.named(numbers))
        stms.append(stm.with_expr(inner))
    return Block(tuple(stms), block.results)


def _called(program: Program) -> frozenset[str]:
    """The functions that executions with a budget call, and those that these call."""
    found: set[str] = set()
    calls = (s for f in program.functions for s in stms_deep(f.body) if isinstance(s.expr, Call))
    for call in calls:
        if _is_in_budget(call) and isinstance(call.expr, Call):
            found |= reachable(replace(program, entry=call.expr.function))
    return frozenset(found)


def _is_in_budget(stm: Stm) -> bool:
    kinds = (policy_named(mark.policy).kind for mark in stm.prov.checkpoints)
    return any(kind in (BUDGET, EVERY, NUMBERED) for kind in kinds)
