"""Passes and how a list of them is run: checked after each, with the failing one named."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from operator import is_

from retrograd.errors import CompilerBug
from retrograd.ir.check import check_program
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Function, Program
from retrograd.ir.traverse import supply_for
from retrograd.prims.core import PrimitiveSet

__all__ = ["Listener", "Pass", "Run", "per_function", "run_pipeline", "unless_settled"]

Run = Callable[[Program, NameSupply, PrimitiveSet], Program]


@dataclass(frozen=True, slots=True)
class Pass:
    """One program-to-program step."""

    name: str
    doc: str
    run: Run


Listener = Callable[[Pass, Program], None]


def per_function(program: Program, change: Callable[[Function], Function]) -> Program:
    """`program` with `change` applied to each function."""
    return Program(tuple(map(change, program.functions)), program.entry)


def unless_settled(
    function: Function, names: NameSupply, key: Hashable, change: Callable[[Function], Function]
) -> Function:
    """What `change` makes of a function, which depends on the function and on `key` only.

    Where it leaves it as it is, it is the function itself, and is not asked again. It is where it
    has taken a name, too: what others are called may not depend on who has asked before.
    """
    if key in function.known:
        return function
    before = names.known
    made = _older(change(function), function)
    if made is function and names.known == before:
        function.known[key] = True
    return made


def _with_old(made: Program, before: Program) -> Program:
    """`made` with the functions of `before` that are equal to its own, and `before` itself where
    all are: so what has been found out about them is still known."""
    old = {f.name: f for f in before.functions}
    functions = tuple(_older(f, old.get(f.name)) for f in made.functions)
    alike = made.entry == before.entry and len(functions) == len(before.functions)
    if alike and all(map(is_, functions, before.functions)):
        return before
    return Program(functions, made.entry)


def _older(made: Function, before: Function | None) -> Function:
    """`before` where it is known to be equal: of functions that are nested too deep to be compared
    it is not known."""
    if before is None or made is before:
        return made
    try:
        return before if made == before else made
    except RecursionError:
        return made


def run_pipeline(
    passes: Sequence[Pass],
    program: Program,
    prims: PrimitiveSet,
    *,
    check: bool,
    listener: Listener | None = None,
) -> Program:
    """Runs `passes` in order. `check` verifies every intermediate program, the first included.

    A pass that has left a program as it is would leave it so again: it is run once more only after
    another one has changed something. `listener` sees the program after each pass.
    """
    if check:
        check_program(program, prims)
    names = supply_for(program)
    settled: set[str] = set()
    for step in passes:
        if step.name not in settled:
            made = _with_old(step.run(program, names, prims), program)
            if made is program:
                settled.add(step.name)
            else:
                settled = set()
                if check:
                    _checked_after(step, made, program, prims)
            program = made
        if listener is not None:
            listener(step, program)
    return program


def _checked_after(step: Pass, made: Program, before: Program, prims: PrimitiveSet) -> None:
    """CompilerBug with the name of the pass, unless it made a program that is well formed."""
    try:
        check_program(made, prims, before=before)
    except CompilerBug as bug:
        raise CompilerBug(f"after pass {step.name!r}: {bug.message}", bug.span) from bug
