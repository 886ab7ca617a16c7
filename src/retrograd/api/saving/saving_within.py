"""Derivatives of programs with budgets as policies: what is saved is chosen by sizes.

The first call with new extents saves nothing of the executions with a budget. The next one has a
program that saves every value count them, chooses (`values_to_save`), has the program that saves
the chosen ones count what that really takes, and compiles it if that is within the budget. A value
that is saved is alive for longer, others for less long; so the peak of a program that saves more is
no more than the first one's and what is saved besides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from retrograd.api.calls.runner import Runner, Stats, scalar_input
from retrograd.api.compile.artefact import Ready, linked
from retrograd.api.compile.derive import Task, product_task
from retrograd.api.compile.known import known
from retrograd.api.compile.native import build
from retrograd.api.compile.prepare import prepare
from retrograd.api.saving.attribution import Owner, budget_of, bytes_of
from retrograd.api.saving.counting_runs import Recorded, counted_runs
from retrograd.api.saving.outermost import outermost_derivatives
from retrograd.api.saving.values_to_save import Value, values_to_save
from retrograd.errors import UserError
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.ir.terms import Block, Prim, Program, Stm, Var, Vjp
from retrograd.ir.traverse import blocks, stms_deep, supply_for, with_blocks
from retrograd.options.saving import BUDGET, EVERY, NUMBERED, Policy, policy_named
from retrograd.transforms.ad.numbered_values import is_number, number_values
from retrograd.transforms.ad.vjp import reach_into_calls
from retrograd.transforms.driver import PLAIN

__all__ = ["within_budget"]

_TRIES = 5
_STATES = 1000
"""Combinations of extents that are remembered at once."""

_LESS = 0.7
"""So much of the room is tried next where what was chosen takes more than there is."""


@dataclass(slots=True)
class WithinBudget:
    """The compilations of one specialisation, by what they save.

    `most`: the bytes that all arrays may take, where the whole function has a budget; native code
    keeps to it. Else ints count as extents do, since iterations may depend on them. `states` has
    for each combination of extents the peak of the first call, then what runs. `cotangents`: the
    places of those among the arguments.
    """

    task: Task
    cotangents: range
    nothing: Runner
    most: int | None
    lone: bool
    repeated: bool
    states: dict[tuple[object, ...], int | Runner] = field(
        default_factory=dict[tuple[object, ...], "int | Runner"]
    )
    made: dict[str, Runner] = field(default_factory=dict[str, Runner])
    last: Runner | None = None

    @property
    def through(self) -> bool:
        return self.nothing.through

    @property
    def stats(self) -> Stats | None:
        """What the last call took, None before the first."""
        return None if self.last is None else self.last.stats

    def __call__(self, flat: Sequence[Any]) -> Sequence[Any]:
        """The entry's results for flat arguments."""
        key = tuple(map(self.extent, flat))
        state = self.states.get(key)
        if state is None and self.repeated and self.most is None:
            # Often there is no second call: a loop that trains runs once.
            state = self.chosen(flat, 0, only_sizes=True)
            if state is not None:
                self.states[key] = state
        if state is None:
            self.last = self.nothing
            results = self.nothing(flat)
            stats = self.nothing.stats
            if len(self.states) == _STATES:
                self.states.clear()
            self.states[key] = 0 if stats is None else stats.peak_bytes
            return results
        if isinstance(state, int):
            state = self.states[key] = self.chosen(flat, state) or self.nothing
        self.last = state
        try:
            return state(flat)
        except UserError as error:
            if state is self.nothing or error.code != "RG4004":
                raise
            # More iterations than those that were counted: their number is data.
            self.states[key] = self.last = self.nothing
            return self.nothing(flat)

    def extent(self, value: Any) -> object:
        """What of an argument sizes and numbers of iterations may depend on, as far as is known."""
        shape = cast("tuple[int, ...]", np.shape(value))
        if shape:
            return shape
        plain = scalar_input(value)
        return plain if self.most is None and isinstance(plain, int) else None

    def chosen(self, flat: Sequence[Any], peak: int, only_sizes: bool = False) -> Runner | None:
        """What is to run for such extents; `peak` is that of saving nothing.

        None where `only_sizes` are to be looked at, and do not decide.
        """
        every = _Counted.of(_marked(self.task, EVERY), flat, self.cotangents, only_sizes)
        if every is None:
            return None if only_sizes else self.nothing
        spared = 0
        if self.most is not None and self.lone:
            nothing = _Counted.of(self.task, flat, self.cotangents)
            spared = 0 if nothing is None else nothing.recorded.total
        values = every.offered()
        rooms = {name: self.room(every.budgets[name], peak) for name in values}
        for _ in range(_TRIES):
            found = {name: values_to_save(of, rooms[name]) for name, of in values.items()}
            # What an execution records of which nothing is saved is not for want of room.
            chosen = {name: numbers for name, numbers in found.items() if numbers}
            numbers = sorted(frozenset[str]().union(*chosen.values()))
            if not numbers:
                break
            task = _marked(self.task, NUMBERED, tuple(numbers))
            made = _Counted.of(task, flat, self.cotangents)
            over = chosen.keys() & (chosen if made is None else self.too_much(made, peak - spared))
            if not over:
                return self.compiled(task, " ".join(numbers))
            rooms |= {name: int(_LESS * rooms[name]) for name in over}
        return self.nothing

    def room(self, budget: int, peak: int) -> int:
        """Bytes for all that one run of an execution leaves."""
        return budget if self.most is None else self.most - peak

    def too_much(self, made: _Counted, others: int) -> set[str]:
        """The executions that record more than there is room for; `others` is what arrays take."""
        runs = made.recorded.runs
        if self.most is not None:
            return set(made.budgets) if others + made.recorded.total > self.most else set()
        return {name for name, size in runs.items() if size > made.budgets[name]}

    def compiled(self, task: Task, key: str) -> Runner:
        if key not in self.made:
            start = time.perf_counter()
            built = linked(build(task), 0.0)
            built = replace(built, seconds=time.perf_counter() - start)
            self.made[key] = Runner(built, self.through, self.most)
        return self.made[key]


def within_budget(
    fun: Callable[..., Any],
    specs: Sequence[ArgSpec],
    named: Mapping[str, ArgSpec],
    ready: Ready,
    product: str = "",
    plain: bool = False,
) -> WithinBudget:
    """What runs a program with a derivative in which there are budgets; `ready` saves nothing.

    Args:
        fun, specs, named: the function, and what is known of its arguments.
        ready: it, compiled.
        product: "jvp", "vjp" or one with " aux" for a product with its Jacobian, else "".
        plain: the derivative is inside of a program, which writes to the caller's arrays.
    """
    task = prepare(fun, specs, named, product != "", voiced=not product).task
    cotangents = range(0)
    if product:
        primals = _leaves(task.args)
        if product.startswith("vjp"):
            cotangents = range(primals, primals + _leaves((task.out,)))
        task = product_task(task, product)
    derivatives = outermost_derivatives(task.program)
    most = None if plain else _bound(derivatives, task.program)
    nodes = (s.expr for f in task.program.functions for s in stms_deep(f.body))
    lone = sum(isinstance(node, Vjp) for node in nodes) == 1
    repeated = any(again for _, again in derivatives)
    runner = Runner(ready.built, plain, most)
    return WithinBudget(task, cotangents, runner, most, lone, repeated)


def _leaves(specs: Sequence[ArgSpec]) -> int:
    return sum(len(list(leaf_types(spec))) for spec in specs)


@dataclass(frozen=True, slots=True)
class _Counted:
    """What a task records.

    Attributes:
        program: it before its derivatives became sweeps, with numbers.
        recorded: what was counted.
        budgets: the bytes that one run of each execution may record.
    """

    program: Program
    recorded: Recorded
    budgets: Mapping[str, int]

    @staticmethod
    def of(
        task: Task, flat: Sequence[Any], cotangents: range, only_sizes: bool = False
    ) -> _Counted | None:
        """None where it cannot be counted (`counted_runs`)."""
        before: dict[str, Program] = {}
        program = PLAIN.run(task.program, known(), listener=before.__setitem__)
        recorded = counted_runs(task, program, cotangents, flat, only_sizes)
        if recorded is None:
            return None
        points = before["points"]
        names = supply_for(points)
        numbered = reach_into_calls(number_values(points, names, known()), names, known())
        stms = (s for f in (*numbered.functions, *program.functions) for s in stms_deep(f.body))
        marks = {mark.name: mark for stm in stms if (mark := budget_of(stm)) is not None}
        return _Counted(numbered, recorded, {name: bytes_of(m) for name, m in marks.items()})

    def offered(self) -> dict[str, list[Value]]:
        """The values of each execution with a budget, in order; those that can be saved have a
        size."""
        saved, work = self.recorded.values, self.recorded.work
        found: dict[str, list[Value]] = {}
        for function in self.program.functions:
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


def _bound(derivatives: Sequence[tuple[Vjp, bool]], program: Program) -> int | None:
    """The bytes of the budget that is around the whole differentiated function, if one is."""
    if len(derivatives) != 1:
        return None
    marks = {budget_of(stm) for stm in program.function(derivatives[0][0].function).body.stms}
    (mark, *others) = marks or {None}
    return None if mark is None or others else bytes_of(mark)


def _marked(task: Task, kind: str, numbers: tuple[str, ...] = ()) -> Task:
    """The task with policies of another kind in the place of budgets."""
    if kind == BUDGET:
        return task

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
        for f in task.program.functions
    )
    return replace(task, program=Program(functions, task.program.entry))
