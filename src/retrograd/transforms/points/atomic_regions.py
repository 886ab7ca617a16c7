"""What is never interrupted apart from what is: functions that run as part of a unit.

A call with a point may be interrupted inside. A call without one is part of a unit (the sweeps of
an inner derivative, a body that is run again), and so is all that it calls in turn.
"""

from __future__ import annotations

from dataclasses import replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Call, Expr, For, Function, Program, While
from retrograd.ir.traverse import map_exprs, stms_deep
from retrograd.prims.core import PrimitiveSet

__all__ = ["interruptible_functions", "with_units"]


def interruptible_functions(program: Program) -> frozenset[str]:
    """The entry, and what it calls at points, directly or through others.

    An inner derivative that is called at a point is done as a unit, or by somebody else.
    """
    table = {f.name: f for f in program.functions}
    found = {program.entry}
    pending = [program.entry]
    while pending:
        for stm in stms_deep(table[pending.pop()].body):
            expr = stm.expr
            if not isinstance(expr, Call) or expr.point is None:
                continue
            if expr.function not in found and table[expr.function].derivative is None:
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
            body = map_exprs(table[name].body, pointless)
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
        if isinstance(expr, Call) and (expr.point is None or expr.function not in pointed):
            return replace(expr, function=unit(expr.function))
        return expr

    kept = [
        replace(f, body=map_exprs(f.body, called)) for f in program.functions if f.name in pointed
    ]
    return Program((*kept, *made), program.entry)
