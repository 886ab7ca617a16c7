"""The two sweeps of a derivative as native code, and a run of them by a schedule.

Inner derivatives may have schedules of their own: each has its sweeps too, which are compiled when
they are asked for first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retrograd.api.call import scalar_input
from retrograd.api.kept import COMPILING
from retrograd.backends.llvm.answers import Derivative, Given, Inner
from retrograd.backends.llvm.cache import load_or_compile
from retrograd.backends.llvm.execute import DTYPES, Executable, Result
from retrograd.backends.llvm.jit import link_object
from retrograd.backends.llvm.module import sweeps_text
from retrograd.backends.llvm.turns import Kept, TurnTaking
from retrograd.errors import CompilerBug, Span, UserError
from retrograd.ir.terms import Program
from retrograd.ir.traverse import supply_for
from retrograd.ir.types import Type
from retrograd.options.checkpointing import Checkpointing
from retrograd.options.memory import shown
from retrograd.prims import DEFAULT
from retrograd.runtime.context import Context, available_bytes, stack_floor
from retrograd.runtime.execute import Exhausted, Run
from retrograd.runtime.schedule.actions import Schedule, TooSmall
from retrograd.runtime.schedule.budget import budget_schedule
from retrograd.runtime.schedule.trees import TreePlan, tree_schedule
from retrograd.runtime.state import FrameShapes
from retrograd.transforms.sweeps import sweeps_apart

__all__ = [
    "Outcome",
    "SweepCode",
    "by_schedule",
    "inner_of",
    "input_of",
    "sweep_code",
    "too_little",
]

Around = Callable[[Run[Kept], TurnTaking], AbstractContextManager[None]]
"""What is done around a run, for those who look."""


@dataclass(frozen=True, slots=True)
class SweepCode:
    """The two sweeps of a derivative as native code; `pool` has contexts that are not in use."""

    ahead: Executable
    back: Executable
    shapes: FrameShapes
    span: Span | None
    inner: Inner
    pool: list[Context] = field(default_factory=list[Context])


def sweep_code(program: Program) -> SweepCode | None:
    """Compiles a derivative (without derivative nodes); None where it has no two sweeps."""
    sweeps = sweeps_apart(program, supply_for(program), DEFAULT)
    if sweeps is None:
        return None
    module = sweeps_text(sweeps, DEFAULT)
    native = link_object(load_or_compile(module.text), sweeps.forward.entry, turns=True)
    made: list[Executable] = []
    ends = (sweeps.forward.main, module.taken_ahead), (sweeps.reverse.main, module.taken_back)
    for main, taken in ends:
        types = tuple(p.type for p in main.params)
        made.append(Executable.of(native, types, main.result_types, module.errors, taken))
    ahead, back = made
    span = program.main.prov.span
    return SweepCode(ahead, back, module.frames, span, inner_of(sweeps.inner.values()))


def inner_of(programs: Iterable[Program]) -> Inner:
    """Inner derivatives, each of which is compiled where it is asked for."""
    return Inner.of([_Inner(program) for program in programs])


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a derivative, and the run that has calculated it."""

    results: Sequence[Result]
    run: Run[Kept]


def by_schedule(
    code: SweepCode, way: Checkpointing, limit: int, args: Sequence[Result],
    around: Around | None = None,
) -> Outcome:  # fmt: skip
    """Calculates a derivative in at most so many bytes. Raises TooSmall where they are too few."""
    try:
        context = code.pool.pop()
    except IndexError:
        context = Context()
    context.prepare(limit, stack_floor(), tape=True)
    machine = TurnTaking(code.ahead, code.back, code.shapes, context, args, code.inner)
    run = Run(machine, limit)
    try:
        with nullcontext() if around is None else around(run, machine):
            run.follow(_schedule(way, limit))
    finally:
        machine.drop()
        code.pool.append(context)
    run.inner = machine.answers.count
    assert machine.gradients is not None
    return Outcome(machine.gradients, run)


def _schedule(way: Checkpointing, limit: int) -> Schedule:
    if way.kind in ("budget", "share"):
        return budget_schedule(limit)
    space, time_ = (
        way.bound if way.kind == kind else None for kind in ("fixed_space", "fixed_time")
    )
    return tree_schedule(TreePlan(space, time_, int(way.size), way.split == "binomial"))


def input_of(value: Any, type_: Type) -> Result:
    """A value as native code takes it, without a copy where it is that already."""
    if type_.is_scalar:
        return scalar_input(value)
    return np.ascontiguousarray(value, dtype=DTYPES[type_.dtype])


@dataclass(slots=True)
class _Inner(Derivative):
    """An inner derivative: a program whose entry does nothing but its two sweeps."""

    program: Program
    code: SweepCode | None = None

    @property
    def params(self) -> tuple[Type, ...]:
        return tuple(p.type for p in self.program.main.params)

    @property
    def results(self) -> tuple[Type, ...]:
        return self.program.main.result_types

    @property
    def way(self) -> Checkpointing:
        way = self.program.main.derivative
        if way is None:
            raise CompilerBug("an inner derivative without a way")
        return way

    @property
    def capped(self) -> bool:
        return self.way.kind != "share"

    def __call__(self, args: Sequence[Result], room: int) -> Given:
        with COMPILING:
            code = self.code = self.code or sweep_code(self.program)
        if code is None:
            raise CompilerBug("an inner derivative without two sweeps")
        way = self.way
        room = min(room, available_bytes())
        limit = min(room, int(way.size)) if way.kind == "budget" else room
        try:
            outcome = by_schedule(code, way, limit, args)
        except TooSmall as error:
            if limit < room:
                raise too_little(limit, error.least, code.span) from None
            raise Exhausted from error
        run = outcome.run
        results = sum(v.nbytes for v in outcome.results if isinstance(v, np.ndarray))
        return Given(outcome.results, max(run.peak, results), run.steps == run.recorded)


def too_little(limit: int, least: int, span: Span | None) -> UserError:
    """What a user is told whose budget no schedule can keep to."""
    return UserError(
        "RG4004", f"{shown(limit)} are too little for this derivative", span,
        f"give it more: at least about {shown(least)}",
    )  # fmt: skip
