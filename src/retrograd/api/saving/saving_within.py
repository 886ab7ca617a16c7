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
from retrograd.api.saving.counting import Count, counted
from retrograd.api.saving.inner_sweeps import each_runs_alike, inner_sweeps
from retrograd.api.saving.sweeps import Sweeps, pushed, sweeps_of
from retrograd.api.saving.values_to_save import Value, values_to_save
from retrograd.errors import UserError
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.ir.terms import Atom, Block, Call, Checkpointed, Prim, Program, Stm, Var, Vjp
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
        if state is None:
            self.last = self.nothing
            results = self.nothing(flat)
            stats = self.nothing.stats
            if len(self.states) == _STATES:
                self.states.clear()
            self.states[key] = 0 if stats is None else stats.peak_bytes
            return results
        if isinstance(state, int):
            state = self.states[key] = self.chosen(flat, state)
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

    def chosen(self, flat: Sequence[Any], peak: int) -> Runner:
        """What is to run for such extents; `peak` is that of saving nothing."""
        nothing, every = (self.tapes(_marked(self.task, kind), flat) for kind in (BUDGET, EVERY))
        if nothing is None or every is None:
            return self.nothing
        # What is done again is the same in all derivatives: that which saves most has the say.
        most = {name: tape for tape in sorted(every, key=_size) for name in tape.sizes}
        values = {name: _values(tape)[name] for name, tape in most.items()}
        share = 1.0
        for _ in range(_TRIES):
            numbers = sorted(
                {
                    number
                    for name, of in values.items()
                    for number in values_to_save(of, int(share * self.room(name, most[name], peak)))
                }
            )
            if not numbers:
                break
            task = _marked(self.task, NUMBERED, tuple(numbers))
            tapes = self.tapes(task, flat)
            if tapes is not None and self.fits(tapes, nothing, peak):
                return self.compiled(task, " ".join(numbers))
            share *= _LESS
        return self.nothing

    def tapes(self, task: Task, flat: Sequence[Any]) -> list[_Tape] | None:
        """What is recorded by a task that saves something else; its parameters are the same."""
        return _Tape.of_each(task, flat, self.cotangents)

    def room(self, execution: str, every: _Tape, peak: int) -> int:
        """Bytes for all that is saved of an execution, however often it is run."""
        if self.most is not None:
            return self.most - peak
        return every.budgets[execution] * every.runs(execution)

    def fits(self, tapes: Sequence[_Tape], nothing: Sequence[_Tape], peak: int) -> bool:
        """Whether what is recorded is within the budget."""
        if self.most is not None:
            # Where there are several derivatives, what is saved of one may be new at the peak.
            spared = nothing[0].bytes if len(nothing) == len(tapes) == 1 else 0
            return peak + max(map(_size, tapes), default=0) - spared <= self.most
        return all(
            size <= tape.budgets[name] * tape.runs(name)
            for tape in tapes
            for name, size in tape.sizes.items()
        )

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
) -> WithinBudget | Runner:
    """What runs a program with a derivative in which there are budgets; `ready` saves nothing.

    So does what is returned where what a derivative records is not the same whenever it is run:
    in a loop, a branch or another derivative.

    Args:
        fun, specs, named: the function, and what is known of its arguments.
        ready: it, compiled.
        product: "jvp", "vjp" or one with " aux" for a product with its Jacobian, else "".
        plain: the derivative is inside of a program, which writes to the caller's arrays.
    """
    task = prepare(fun, specs, named, product != "").task
    cotangents = range(0)
    if product:
        primals = _leaves(task.args)
        if product.startswith("vjp"):
            cotangents = range(primals, primals + _leaves((task.out,)))
        task = product_task(task, product)
    if not each_runs_alike(task.program):
        return Runner(ready.built, plain)
    most = None if plain else _bound(task.program)
    return WithinBudget(task, cotangents, Runner(ready.built, plain, most), most)


def _leaves(specs: Sequence[ArgSpec]) -> int:
    return sum(len(list(leaf_types(spec))) for spec in specs)


@dataclass(slots=True)
class _Tape:
    """What is recorded for one derivative, counted.

    Attributes:
        program: the program before its derivatives became sweeps, with numbers.
        bytes: of all that is recorded.
        saved: of each value that has a number, by execution, and how often it is recorded.
        sizes: what is recorded of each execution with a budget, in all its runs.
        budgets: the bytes that one run of each may record.
        times: how often that of its values is recorded which is least often, by execution.
    """

    program: Program
    bytes: int = 0
    saved: dict[tuple[str, str], tuple[int, int]] = field(
        default_factory=dict[tuple[str, str], "tuple[int, int]"]
    )
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    budgets: dict[str, int] = field(default_factory=dict[str, int])
    times: dict[str, int] = field(default_factory=dict[str, int])

    @staticmethod
    def of_each(task: Task, flat: Sequence[Any], cotangents: range) -> list[_Tape] | None:
        """None where it cannot be counted (`api.saving.counting.counted`)."""
        before: dict[str, Program] = {}
        program = PLAIN.run(task.program, known(), listener=before.__setitem__)
        if cotangents:
            program = _entered(program)
            bars = program.main.params[cotangents.start : cotangents.stop]
            each: list[Sweeps] | None = [sweeps_of(program, bars)]
        else:
            each = inner_sweeps(program)
        if each is None:
            return None
        points = before["points"]
        names = supply_for(points)
        numbered = reach_into_calls(number_values(points, names, known()), names, known())
        tapes = list[_Tape]()
        for sweeps in each:
            counts = counted(task, sweeps, flat)
            if counts is None:
                return None
            tapes.append(_Tape.of(numbered, sweeps, counts))
        return tapes

    @staticmethod
    def of(numbered: Program, sweeps: Sweeps, counts: Sequence[Count]) -> _Tape:
        """What the counts say; `numbered` is the program before."""
        tape = _Tape(numbered)
        for function in numbered.functions:
            for stm in stms_deep(function.body):
                if (mark := _budget(stm)) is not None:
                    tape.budgets[mark.name] = _bytes(mark)
        origins = {f.name: _origins(f.body) for f in sweeps.ahead.functions}
        for (function, _, _, atom), count in zip(pushed(sweeps), counts, strict=True):
            tape.note(count, origins[function.name], atom)
        return tape

    def note(self, count: Count, origins: Mapping[Var, Stm], atom: Atom) -> None:
        size = count.bytes + count.words
        self.bytes += size
        stm = origins.get(atom) if isinstance(atom, Var) else None
        mark = None if stm is None else _budget(stm)
        if stm is None or mark is None:
            return
        self.sizes[mark.name] = self.sizes.get(mark.name, 0) + size
        self.budgets.setdefault(mark.name, _bytes(mark))
        if count.times:
            self.times[mark.name] = min(count.times, self.times.get(mark.name, count.times))
        for _, name in stm.prov.names:
            if is_number(name):
                before = self.saved.get((mark.name, name), (0, 0))
                self.saved[mark.name, name] = before[0] + size, before[1] + count.times

    def runs(self, execution: str) -> int:
        """How often an execution is run; once where nothing says so."""
        return max(1, self.times.get(execution, 1))


def _size(tape: _Tape) -> int:
    return tape.bytes


def _entered(program: Program) -> Program:
    """The program that begins in the function to which its entry hands everything on."""
    main = program.main
    match main.body.stms:
        case (Stm(expr=Call(function=name, args=args)),) if args == main.params:
            return _entered(Program(program.functions, name))
        case _:
            return program


def _origins(body: Block) -> dict[Var, Stm]:
    """The statement that calculates each variable; of a copy that of the original."""
    found: dict[Var, Stm] = {}
    for stm in stms_deep(body):
        found.update((out, stm) for out in stm.outs)
        if isinstance(stm.expr, Prim) and stm.expr.op == "copy":
            source = stm.expr.args[0]
            if isinstance(source, Var) and source in found:
                found[stm.outs[0]] = found[source]
    return found


def _values(tape: _Tape) -> dict[str, list[Value]]:
    """The values of each execution with a budget, in order; `tape` has those that can be saved."""
    costs = known().costs
    largest = max((size / max(1, times) for size, times in tape.saved.values()), default=8.0)
    found: dict[str, list[Value]] = {}
    for function in tape.program.functions:
        made: dict[Var, str] = {}
        for stm in stms_deep(function.body):
            mark, numbers = _budget(stm), [n for _, n in stm.prov.names if is_number(n)]
            if mark is None or not numbers or not isinstance(stm.expr, Prim):
                continue
            made.update(zip(stm.outs, numbers, strict=False))
            size, times = tape.saved.get((mark.name, numbers[0]), (0, 1))
            words = (size or largest) / 8 if stm.outs[0].type.rank else max(1, times)
            each = costs.extent if stm.expr.op == "matmul" else known()[stm.expr.op].cost
            parents = tuple(made[a] for a in stm.expr.args if isinstance(a, Var) and a in made)
            kept = (mark.name, numbers[0]) in tape.saved and not known()[stm.expr.op].facts.view
            offered = size if kept else None
            found.setdefault(mark.name, []).append(
                Value(numbers[0], words * each, parents, offered)
            )
    return found


def _budget(stm: Stm) -> Checkpointed | None:
    """The outermost execution with a budget that a statement is part of."""
    for mark in stm.prov.checkpoints:
        if policy_named(mark.policy).kind in (BUDGET, EVERY, NUMBERED):
            return mark
    return None


def _derivatives(program: Program) -> list[Vjp]:
    """What is differentiated in reverse anywhere in a program."""
    stms = (stm for f in program.functions for stm in stms_deep(f.body))
    return [stm.expr for stm in stms if isinstance(stm.expr, Vjp)]


def _bound(program: Program) -> int | None:
    """The bytes of the budget that is around the whole differentiated function, if one is."""
    (node,) = _derivatives(program)
    marks = {_budget(stm) for stm in program.function(node.function).body.stms}
    (mark, *others) = marks or {None}
    return None if mark is None or others else _bytes(mark)


def _bytes(mark: Checkpointed) -> int:
    return int(policy_named(mark.policy).parts[0][0])


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
