"""What is never interrupted apart from what is: functions that run as part of a unit.

A call with a point may be interrupted inside. A call without one is part of a unit (the sweeps of
an inner derivative, a body that is run again), and so is all that it calls in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Call, Expr, For, Function, Program, Stm, While
from retrograd.ir.traverse import blocks, stms_deep, with_blocks
from retrograd.prims.core import PrimitiveSet

__all__ = ["interruptible_functions", "with_units"]

Change = Callable[[Expr], Expr]


def interruptible_functions(program: Program) -> frozenset[str]:
    """The entry, and what it calls at points, directly or through others."""
    table = {f.name: f for f in program.functions}
    found = {program.entry}
    pending = [program.entry]
    while pending:
        for stm in stms_deep(table[pending.pop()].body):
            expr = stm.expr
            if not isinstance(expr, Call) or expr.point is None:
                continue
            if expr.function not in found:
                found.add(expr.function)
                pending.append(expr.function)
    return frozenset(found)


def with_units(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program with no function that runs both as a unit and with points; units have none."""
    table = {f.name: f for f in program.functions}
    pointed = interruptible_functions(program)
    units: dict[str, str] = {}
    made: list[Function] = []

    def unit(name: str) -> str:
        """The name of the unit for a function, which is made where it is asked for first."""
        if name not in units:
            units[name] = names.name(f"{name}_unit") if name in pointed else name
            body = _changed(table[name].body, pointless)
            made.append(replace(table[name], name=units[name], body=body))
        return units[name]

    def pointless(expr: Expr) -> Expr:
        match expr:
            case Call():
                return replace(expr, function=unit(expr.function), point=None)
            case For() | While():
                return replace(expr, point=None)
            case _:
                return expr

    def called(expr: Expr) -> Expr:
        if isinstance(expr, Call) and expr.point is None:
            return replace(expr, function=unit(expr.function))
        return expr

    kept = [
        replace(f, body=_changed(f.body, called)) for f in program.functions if f.name in pointed
    ]
    return Program((*kept, *made), program.entry)


def _changed(block: Block, change: Change) -> Block:
    def visit(stm: Stm) -> Stm:
        inner = tuple(_changed(b, change) for b in blocks(stm.expr))
        return replace(stm, expr=change(with_blocks(stm.expr, inner)))

    return Block(tuple(map(visit, block.stms)), block.results)
