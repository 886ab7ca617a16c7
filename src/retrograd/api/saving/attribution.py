"""Which execution with a budget each value on the tape is of, and its number.

A value is of the execution that its statement is part of. What loops carry has no statement: it is
of the execution that the loop is part of, or all calls of the function around.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from retrograd.api.saving.sweeps import is_tape
from retrograd.ir.terms import Atom, Block, Call, Checkpointed, Function, Prim, Program, Stm, Var
from retrograd.ir.traverse import blocks, stms_deep
from retrograd.options.saving import BUDGET, EVERY, NUMBERED, policy_named
from retrograd.transforms.ad.numbered_values import is_number

__all__ = ["Owner", "budget_of", "bytes_of", "owners_of"]


@dataclass(frozen=True, slots=True)
class Owner:
    """The name of the execution with a budget that a value is of, and the value's number.

    Empty where it is of none, or has none. With a `group` it is of all values of an execution that
    share a counter of elements (`counted_work`), not of one.
    """

    execution: str = ""
    number: str = ""
    group: int = 0


def budget_of(stm: Stm) -> Checkpointed | None:
    """The outermost execution with a budget that a statement is part of."""
    for mark in stm.prov.checkpoints:
        if policy_named(mark.policy).kind in (BUDGET, EVERY, NUMBERED):
            return mark
    return None


def bytes_of(mark: Checkpointed) -> int:
    """The budget of an execution that has one."""
    return int(policy_named(mark.policy).parts[0][0])


def owners_of(program: Program) -> Mapping[int, tuple[Owner, ...]]:
    """Whose each value is that a `push` puts on the tape, by the identity of the statement."""
    found: dict[int, tuple[Owner, ...]] = {}
    callers = _callers(program)
    for function in program.functions:
        origins = _origins(function)
        for stm, around in _with_marks(function.body, callers.get(function.name, "")):
            if is_tape(stm, "push") and isinstance(stm.expr, Prim):
                found[id(stm)] = tuple(_owner(origins, atom, around) for atom in stm.expr.args)
    return found


def _owner(origins: Mapping[Var, Stm], atom: Atom, around: str) -> Owner:
    stm = origins.get(atom) if isinstance(atom, Var) else None
    mark = None if stm is None else budget_of(stm)
    if stm is None or mark is None:
        return Owner(around)
    numbers = [name for _, name in stm.prov.names if is_number(name)]
    return Owner(mark.name, numbers[0] if numbers else "")


def _with_marks(block: Block, around: str) -> Iterator[tuple[Stm, str]]:
    """All statements of a block, with the execution that those around them are part of."""
    for stm in block.stms:
        yield stm, around
        mark = budget_of(stm)
        for inner in blocks(stm.expr):
            yield from _with_marks(inner, around or ("" if mark is None else mark.name))


def _callers(program: Program) -> dict[str, str]:
    """Of which execution all calls of a function are."""
    found: dict[str, set[str]] = {}
    for function in program.functions:
        for stm in stms_deep(function.body):
            if isinstance(stm.expr, Call):
                mark = budget_of(stm)
                marks = found.setdefault(stm.expr.function, set())
                marks.add("" if mark is None else mark.name)
    return {name: marks.pop() for name, marks in found.items() if len(marks) == 1}


def _origins(function: Function) -> dict[Var, Stm]:
    """The statement that calculates each variable; of a copy that of the original."""
    found: dict[Var, Stm] = {}
    for stm in stms_deep(function.body):
        found.update((out, stm) for out in stm.outs)
        if isinstance(stm.expr, Prim) and stm.expr.op == "copy":
            source = stm.expr.args[0]
            if isinstance(source, Var) and source in found:
                found[stm.outs[0]] = found[source]
    return found
