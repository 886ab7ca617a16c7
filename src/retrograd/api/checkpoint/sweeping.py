"""The two sweeps of a derivative as native code, and a run of them by a schedule.

Inner derivatives may have schedules of their own: each has its sweeps too, which are compiled when
they are asked for first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from retrograd.api.calls.advice import looked, refusal
from retrograd.api.calls.runner import scalar_input
from retrograd.api.checkpoint.durable import DurableRun, LessRoom, facts_of, leaf_seconds
from retrograd.api.checkpoint.sweepcode import SweepCode
from retrograd.api.compile.compile_cache import compiling
from retrograd.api.compile.known import known
from retrograd.backends.llvm.cache import object_codes
from retrograd.backends.llvm.coroutines import Kept, TurnTaking
from retrograd.backends.llvm.execute import DTYPES, Executable, Result
from retrograd.backends.llvm.jit import link_objects
from retrograd.backends.llvm.module import sweeps_text
from retrograd.backends.llvm.nested_gradients import Derivative, Given, Inner, Watch
from retrograd.backends.llvm.serialisation import Snapshots
from retrograd.errors import CompilerBug, UserError
from retrograd.ir.terms import Program
from retrograd.ir.traverse import supply_for
from retrograd.ir.types import Type
from retrograd.options.checkpointing import Checkpointing, policy_named
from retrograd.options.durability import Durable
from retrograd.runtime.arrays import apart
from retrograd.runtime.context import MEMORY, stack_floor, warm
from retrograd.runtime.disk import Disk
from retrograd.runtime.execute import Exhausted, Run
from retrograd.runtime.metered import Meter, Metered
from retrograd.runtime.progress import Progress
from retrograd.runtime.rotating_files import Generations
from retrograd.runtime.schedule.actions import Action, Observation, Planner, TooSmall
from retrograd.runtime.schedule.budget import BudgetPlanner
from retrograd.runtime.schedule.segments import Before
from retrograd.runtime.schedule.trees import TreePlan, TreePlanner
from retrograd.transforms.analysis.effects import reaching
from retrograd.transforms.checkpoint.rematerialised_bodies import has_short_bodies
from retrograd.transforms.checkpoint.sweep_split import sweeps_apart
from retrograd.transforms.checkpoint.upcalls import is_capped

__all__ = [
    "Outcome",
    "UnderWay",
    "Variants",
    "by_schedule",
    "durably",
    "inner_of",
    "input_of",
    "sweep_code",
    "too_little",
]


def sweep_code(program: Program, every: bool = False) -> SweepCode | None:
    """Compiles a derivative (without derivative nodes); None where it has no two sweeps.

    `every` body that is run again is an inner derivative then; else the long ones are.
    """
    sweeps = sweeps_apart(program, supply_for(program), known(), every)
    if sweeps is None:
        return None
    module = sweeps_text(sweeps, known())
    native = link_objects(object_codes(module), sweeps.forward.entry, turns=True)
    made: list[Executable] = []
    ends = (sweeps.forward.main, module.taken_ahead), (sweeps.reverse.main, module.taken_back)
    for main, taken in ends:
        types = tuple(p.type for p in main.params)
        made.append(Executable.of(native, types, main.result_types, module.errors, taken))
    ahead, back = made
    span = program.main.prov.span
    inner = inner_of(sweeps.inner.values())
    return SweepCode(ahead, back, module.frames, span, inner, module.digest)


def inner_of(programs: Iterable[Program]) -> Inner:
    """Inner derivatives, each of which is compiled where it is asked for."""
    return Inner.of([_Inner(program) for program in programs])


@dataclass(slots=True)
class Variants:
    """The sweeps of a derivative where short bodies are units and, for budgets that are too small
    for that, where every body that is run again is an inner derivative.

    The second has frames and copies that the first has not, so it is slower where both fit; it is
    compiled where it is asked for. `refused` is a budget that was too small for units, and how many
    bytes the arguments had then: less room, or larger arguments, are not tried again.
    """

    program: Program
    units: SweepCode
    apart: SweepCode | None = None
    refused: tuple[int, int] = (0, 0)

    def finest(self) -> SweepCode:
        """The sweeps that need the least memory."""
        with compiling():
            if self.apart is None:
                short = has_short_bodies(self.program, known())
                self.apart = (sweep_code(self.program, True) if short else None) or self.units
        return self.apart

    def calculate(
        self, calculation: Callable[[SweepCode], Outcome], limit: int, args: Sequence[Result]
    ) -> Outcome:
        """A calculation by units, where so many bytes are enough, and else by the finest sweeps.

        Raises TooSmall where they are not enough for these, either.
        """
        size = sum(a.nbytes for a in args if isinstance(a, np.ndarray))
        most, least = self.refused
        if limit > most or size < least:
            try:
                return calculation(self.units)
            except TooSmall:
                if self.finest() is self.units:
                    raise
                self.refused = limit, size
        return calculation(self.finest())


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A run that is to follow a schedule; `codec` writes its snapshots as plain data."""

    code: SweepCode
    run: Run[Kept]
    machine: TurnTaking
    codec: Snapshots
    planner: Planner


Follow = Callable[[UnderWay], None]
"""Follows the schedule, and does whatever there is to be done around that."""


def durably(
    under_way: UnderWay, units: SweepCode, way: Checkpointing, nested: bool,
    go: Callable[[Planner], None],
) -> None:  # fmt: skip
    """What `go` does with a planner, or with that of another process which has begun; `units` is
    the code that has been tried first."""
    machine, place = under_way.machine, way.resume
    assert place is not None
    with Generations(place.path) as files:
        facts = facts_of(units.digest, machine.forward.args, way)
        apart = under_way.code is not units
        run, codec = under_way.run, under_way.codec
        durable = DurableRun(place, files, machine, run, facts, codec, apart, nested)
        try:
            go(durable.begin(under_way.planner))
            durable.end()
        except TooSmall as error:
            raise durable.begin_again(error) from None
        finally:
            durable.journal.close()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a derivative, the run of its code, what that has taught, and the forward steps
    that it took, with those of inner derivatives."""

    code: SweepCode
    results: Sequence[Result]
    run: Run[Kept]
    learnt: Before
    steps: int


def by_schedule(
    code: SweepCode, way: Checkpointing, limit: int, args: Sequence[Result],
    follow: Follow | None = None, before: Before | None = None,
) -> Outcome:  # fmt: skip
    """Calculates a derivative in at most so many bytes. Raises TooSmall where they are too few.

    The schedule is made for a run like the one `before`, where there was one; if this one is
    different it takes a little longer.
    """
    context = warm(code.pool)
    context.prepare(limit, stack_floor(), tape=True)
    inner = code.inner if way.resume is None else code.inner.afresh()
    machine = TurnTaking(code.ahead, code.back, code.shapes, context, args, inner)
    sizes = tuple(a.nbytes if isinstance(a, np.ndarray) else 0 for a in args)
    codec = Snapshots(code.shapes, sizes)
    disk = None if way.disk is None else Disk(way.disk, int(way.disk_limit or _ENDLESS), codec)
    run, planner = Run(machine, limit, disk), _planner(way, limit)
    if before is not None:
        planner.foresee(before)
    try:
        if follow is None:
            run.follow(planner.schedule())
        else:
            follow(UnderWay(code, run, machine, codec, planner))
    except TooSmall as error:
        error.steps = run.certain + machine.answers.steps
        raise
    finally:
        if disk is not None:
            disk.close()
        machine.drop()
        context.cool(None)  # free blocks are given back where both sweeps are dropped
        code.pool.append(context)
    run.inner = machine.answers.count
    assert machine.gradients is not None
    steps = run.certain + machine.answers.steps
    return Outcome(code, machine.gradients, run, planner.learnt(), steps)


_ENDLESS = 1 << 62
"""More bytes than any disk has."""


def metered(meter: Meter, under_way: UnderWay) -> None:
    """Charges what a run does, with inner derivatives, to a meter; the clock has no part in it."""
    under_way.machine.evenly(meter.leg)
    under_way.run.machine = Metered(under_way.machine, meter)
    under_way.machine.answers.meter = meter


def too_little(
    variants: Variants, way: Checkpointing, limit: int, args: Sequence[Result], steps: int
) -> UserError:
    """What a user is told whose budget no schedule can keep to, after so many forward steps.

    The budget that is named has been tried, by a run that leaves nothing behind.
    """
    code = variants.finest()
    alone = replace(code, inner=code.inner.afresh(), pool=[])

    def trial(budget: int, meter: Meter) -> None:
        def follow(under_way: UnderWay) -> None:
            metered(meter, under_way)
            under_way.run.follow(under_way.planner.schedule())

        by_schedule(alone, replace(way, resume=None), budget, args, follow)

    return refusal(limit, looked(trial, limit, MEMORY.available(), steps), code.span)


def _planner(way: Checkpointing, limit: int) -> Planner:
    if way.kind in ("budget", "share"):
        disk = 0 if way.disk is None else int(way.disk_limit or _ENDLESS)
        return BudgetPlanner(limit, leaf_seconds(way), disk=disk)
    space, time_ = (
        way.bound if way.kind == kind else None for kind in ("fixed_space", "fixed_time")
    )
    return TreePlanner(TreePlan(space, time_, int(way.size), way.split == "binomial"))


def input_of(value: Any, type_: Type) -> Result:
    """A value as native code takes it, without a copy where it is that already."""
    if type_.is_scalar:
        return scalar_input(value)
    return np.ascontiguousarray(value, dtype=DTYPES[type_.dtype])


def _watched(watch: Watch, under_way: UnderWay) -> None:
    """Has somebody told of how far an inner derivative is."""
    progress = Progress()

    def tick(step: int, tape: int, back: bool, within: float) -> None:
        progress.look(step, tape, back, within)
        watch(progress.share or 0.0)

    def see(action: Action, seen: Observation) -> None:
        progress.see(action, seen, 0.0)
        watch(progress.share or 0.0)

    under_way.machine.watch(tick)
    under_way.run.listener = see


@dataclass(slots=True)
class _Inner(Derivative):
    """An inner derivative: a program whose entry does nothing but its two sweeps."""

    program: Program
    variants: Variants | None = None

    @property
    def params(self) -> tuple[Type, ...]:
        return tuple(p.type for p in self.program.main.params)

    @property
    def results(self) -> tuple[Type, ...]:
        return self.program.main.result_types

    @property
    def way(self) -> Checkpointing:
        name = self.program.main.derivative
        if name is None:
            raise CompilerBug("an inner derivative without a policy")
        return policy_named(name)

    @property
    def capped(self) -> bool:
        return self.program.entry in reaching(self.program.functions, is_capped)

    @property
    def free(self) -> bool:
        return self.way.kind == "share"

    def make(self) -> None:
        self.compiled()

    def compiled(self) -> Variants:
        """Its two sweeps; those that they may ask for are not compiled yet."""
        with compiling():
            if self.variants is None:
                code = sweep_code(self.program)
                if code is None:
                    raise CompilerBug("an inner derivative without two sweeps")
                self.variants = Variants(self.program, code)
        return self.variants

    def __call__(
        self, args: Sequence[Result], room: int, watch: Watch | None = None,
        place: Durable | None = None, meter: Meter | None = None,
    ) -> Given:  # fmt: skip
        variants, way = self.compiled(), replace(self.way, resume=place)
        args = args if place is None else apart(args)
        room = min(room, MEMORY.available())
        limit = min(room, int(way.size)) if way.kind == "budget" else room

        def follow(under_way: UnderWay) -> None:
            def go(planner: Planner) -> None:
                under_way.run.follow(planner.schedule())

            if watch is not None:
                _watched(watch, under_way)
            if meter is not None:
                metered(meter, under_way)
            if place is None:
                go(under_way.planner)
            else:
                durably(under_way, variants.units, way, True, go)

        try:
            outcome = variants.calculate(
                lambda c: by_schedule(c, way, limit, args, follow), limit, args
            )
        except LessRoom:
            assert place is not None
            with Generations(place.path) as files:
                files.remove()
            return self(args, room, watch, place, meter)
        except TooSmall as error:
            if limit < room:
                raise too_little(variants, way, limit, args, error.steps) from None
            raise Exhausted from error
        run = outcome.run
        results = sum(v.nbytes for v in outcome.results if isinstance(v, np.ndarray))
        peak, at_once = max(run.peak, results), run.steps == run.recorded
        return Given(outcome.results, peak, at_once, outcome.steps)
