"""What a program with a derivative records, whatever is saved of executions with budgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retrograd.api.compile.derive import Task
from retrograd.api.compile.known import known
from retrograd.api.saving.attribution import Owner, budget_of, bytes_of
from retrograd.api.saving.counting_runs import Recorded, counted_runs
from retrograd.api.saving.measuring import additions
from retrograd.api.saving.values_to_save import Value
from retrograd.ir.terms import Block, Prim, Program, Stm, Var
from retrograd.ir.traverse import blocks, stms_deep, supply_for, with_blocks
from retrograd.options.saving import BUDGET, Policy, policy_named
from retrograd.transforms.ad.numbered_values import is_number, number_values
from retrograd.transforms.ad.vjp import reach_into_calls
from retrograd.transforms.driver import PLAIN

__all__ = ["Counted", "Given"]

_BEFORE, _AFTER = PLAIN.divided("points")


@dataclass(frozen=True, slots=True)
class Counted:
    """What a task records.

    Attributes:
        key: what it saves.
        task: it.
        program: what plain machine code of it is made from.
        points: it before its derivatives became sweeps.
        recorded: what was counted.
        budgets: the bytes that one run of each execution may record.
    """

    key: str
    task: Task
    program: Program
    points: Program
    recorded: Recorded
    budgets: Mapping[str, int]

    def offered(self) -> dict[str, list[Value]]:
        """The values of each execution with a budget, in order; those that can be saved have a
        size."""
        saved, work = self.recorded.values, self.recorded.work
        names = supply_for(self.points)
        numbered = reach_into_calls(number_values(self.points, names, known()), names, known())
        found: dict[str, list[Value]] = {}
        for function in numbered.functions:
            made: dict[Var, str] = {}
            for stm in stms_deep(function.body):
                mark, numbers = budget_of(stm), [n for _, n in stm.prov.names if is_number(n)]
                if mark is None or not numbers or not isinstance(stm.expr, Prim):
                    continue
                made.update(zip(stm.outs, numbers, strict=False))
                owner = Owner(mark.name, numbers[0])
                size = saved.get(owner)
                parents = tuple(made[a] for a in stm.expr.args if isinstance(a, Var) and a in made)
                # What no run has recorded is not known: a branch may be taken another time.
                offered = None if known()[stm.expr.op].facts.view else size or None
                value = Value(numbers[0], work.get(owner, 0.0), parents, offered)
                found.setdefault(mark.name, []).append(value)
        return {name: of for name, of in found.items() if name in self.recorded.runs}


@dataclass(frozen=True, slots=True)
class Given:
    """A task with arguments.

    Attributes:
        task: it, with executions that have budgets.
        points: what the passes before derivatives made of its program, whatever is saved.
        flat: the arguments.
        cotangents: the places of those among them.
        only_sizes: nothing else is to decide what is counted.
    """

    task: Task
    points: Program
    flat: Sequence[Any]
    cotangents: range
    only_sizes: bool

    @staticmethod
    def of(task: Task, flat: Sequence[Any], cotangents: range, only_sizes: bool) -> Given:
        points = _BEFORE.run(task.program, known())
        return Given(task, points, flat, cotangents, only_sizes)

    def counted(self, kind: str, numbers: tuple[str, ...] = ()) -> Counted | None:
        """The task with policies of a kind in the place of budgets; None where it cannot be counted
        (`counted_runs`)."""
        points = _marked(self.points, kind, numbers)
        task = replace(self.task, program=_marked(self.task.program, kind, numbers))
        program = _AFTER.run(points, known())
        recorded = counted_runs(task, program, self.cotangents, self.flat, self.only_sizes)
        if recorded is None:
            return None
        stms = (s for f in (*points.functions, *program.functions) for s in stms_deep(f.body))
        marks = {mark.name: mark for stm in stms if (mark := budget_of(stm)) is not None}
        budgets = {name: bytes_of(m) for name, m in marks.items()}
        return Counted(" ".join((kind, *numbers)), task, program, points, recorded, budgets)

    def work(self, counted: Counted) -> tuple[int, bool] | None:
        """The additions of a run, and whether floats decide about them."""
        return additions(counted.task, counted.program, self.flat, self.only_sizes)


def _marked(program: Program, kind: str, numbers: tuple[str, ...]) -> Program:
    """A program with policies of another kind in the place of budgets."""
    if kind == BUDGET:
        return program

    def policy(text: str) -> str:
        found = policy_named(text)
        return Policy(kind, numbers, found.parts).text if found.kind == BUDGET else text

    def marks(stm: Stm) -> Stm:
        inner = tuple(Block(tuple(map(marks, b.stms)), b.results) for b in blocks(stm.expr))
        expr = with_blocks(stm.expr, inner) if inner else stm.expr
        found = tuple(replace(mark, policy=policy(mark.policy)) for mark in stm.prov.checkpoints)
        return replace(stm, expr=expr, prov=replace(stm.prov, checkpoints=found))

    functions = tuple(
        replace(f, body=Block(tuple(map(marks, f.body.stms)), f.body.results))
        for f in program.functions
    )
    return Program(functions, program.entry)
