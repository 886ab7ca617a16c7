"""Derivatives in a given amount of memory, and programs in which there are such derivatives."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from retrograd.api.calls.runner import Runner, Stats
from retrograd.api.checkpoint.durable import LessRoom, Outgrown
from retrograd.api.checkpoint.progress import shown_progress
from retrograd.api.checkpoint.recording import Derivative, finished, watched
from retrograd.api.checkpoint.sweepcode import SweepCode
from retrograd.api.checkpoint.sweeping import (
    Outcome,
    UnderWay,
    Variants,
    by_schedule,
    durably,
    inner_of,
    input_of,
    sweep_code,
    too_little,
)
from retrograd.api.compile.artefact import Built, Ready, linked
from retrograd.api.compile.derive import Task, product_task
from retrograd.api.compile.known import known
from retrograd.api.compile.native import build
from retrograd.api.compile.prepare import prepare
from retrograd.backends.llvm.cache import object_codes
from retrograd.backends.llvm.coroutines import Kept
from retrograd.backends.llvm.execute import Executable, Result
from retrograd.backends.llvm.jit import link_objects
from retrograd.backends.llvm.module import module_text
from retrograd.backends.llvm.nested_gradients import Answers, Inner
from retrograd.backends.llvm.time_slices import Legs
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.frontend.identity.transformed import Rerun, Ruled, Transformed
from retrograd.ir.terms import Program
from retrograd.ir.traverse import supply_for
from retrograd.options.checkpointing import Checkpointing
from retrograd.runtime.arrays import apart
from retrograd.runtime.context import MEMORY, Context, stack_floor, warm
from retrograd.runtime.execute import Exhausted, Run
from retrograd.runtime.schedule.actions import Planner, TooSmall
from retrograd.runtime.schedule.segments import Before
from retrograd.runtime.state import FrameShapes
from retrograd.transforms.checkpoint.sweep_split import inner_programs
from retrograd.transforms.checkpoint.upcalls import with_asks
from retrograd.transforms.driver import BY_SCHEDULE

__all__ = ["Budgeted", "Mixed", "budgeted"]

_ENDLESS = 1 << 62
_FREE = Checkpointing("budget", _ENDLESS)
"""All the memory that there is, for a derivative whose user has not chosen a budget."""


@dataclass(slots=True)
class Budgeted:
    """A derivative that is calculated by a schedule.

    By one for a budget it never has more than that in its own memory. `seconds` is what its making
    took. Calls are taken to be much like the one `before`, where that was by the same code
    (`known`); those that can continue in another process are not, since what they do must not
    depend on this one.
    """

    variants: Variants
    way: Checkpointing
    seconds: float
    function: str = ""
    last: Run[Kept] | None = None
    before: Before | None = None
    known: SweepCode | None = None
    learns: bool = True

    @property
    def code(self) -> SweepCode:
        """The sweeps that are tried first."""
        return self.variants.units

    @property
    def through(self) -> bool:
        """Arguments are never written to."""
        return False

    @property
    def stats(self) -> Stats | None:
        """What the last call took, None before the first."""
        run = self.last
        return None if run is None else Stats(run.peak, run.peak_tape, self.seconds)

    def inputs(self, flat: Sequence[Any]) -> tuple[Result, ...]:
        """Flat arguments as the sweeps take them."""
        given = map(input_of, flat, self.code.ahead.params)
        return tuple(given) if self.way.resume is None else apart(given)

    def follow(self, under_way: UnderWay) -> None:
        """The whole schedule, or what is left of it where another process has begun."""

        def go(planner: Planner) -> None:
            self.watch(under_way, planner)

        if self.way.resume is None:
            go(under_way.planner)
        else:
            durably(under_way, self.code, self.way, False, go)

    def watch(self, under_way: UnderWay, planner: Planner) -> None:
        """Follows a schedule, and has whoever looks told of it meanwhile."""
        run = under_way.run
        watched(run, Derivative(self.function, self.way, run.budget))
        with shown_progress(run, under_way.machine, self.function):
            run.follow(planner.schedule())

    def __call__(self, flat: Sequence[Any]) -> Sequence[Any]:
        """The entry's results for flat arguments."""
        limit = MEMORY.available()
        if self.way.kind == "budget":
            limit = min(limit, int(self.way.size))
        args = self.inputs(flat)
        if self.way.resume is not None:
            self.variants.refused = (0, 0)
        try:
            outcome = self.variants.calculate(lambda c: self._by(c, limit, args), limit, args)
        except Outgrown:
            return self(flat)
        except (TooSmall, LessRoom) as error:
            steps = error.steps if isinstance(error, TooSmall) else 0
            raise too_little(self.variants, self.way, limit, args, steps) from None
        finished(outcome.run)
        self.last = outcome.run
        if self.way.resume is None and self.learns:
            self.before, self.known = outcome.learnt, outcome.code
        return outcome.results

    def _by(self, code: SweepCode, limit: int, args: Sequence[Result]) -> Outcome:
        """By a run like the one before; where that does not fit, as if there had been none."""
        if code is not self.known:
            self.before, self.known, self.learns = None, code, True
        before = self.before
        if before is not None:
            try:
                return by_schedule(code, self.way, limit, args, self.follow, before)
            except TooSmall:
                self.before, self.learns = None, False
        return by_schedule(code, self.way, limit, args, self.follow)


@dataclass(slots=True)
class Mixed:
    """A program that is no derivative itself, with derivatives in it that have their own budgets.

    `through`: arguments that it writes to are those of the caller.
    """

    executable: Executable
    shapes: FrameShapes
    inner: Inner
    through: bool
    seconds: float
    pool: list[Context] = field(default_factory=list[Context])
    peaks: tuple[int, int] | None = None

    @property
    def stats(self) -> Stats | None:
        """What the last call took, None before the first."""
        return None if self.peaks is None else Stats(*self.peaks, self.seconds)

    def __call__(self, flat: Sequence[Any]) -> Sequence[Any]:
        """The entry's results for flat arguments."""
        context = warm(self.pool)
        context.prepare(MEMORY.available(), stack_floor(), tape=True)
        args = tuple(map(input_of, flat, self.executable.params))
        legs = Legs(self.executable, self.shapes, context, args)
        legs.answers = Answers(context, self.inner, legs.own)
        try:
            ended = legs.start(_LEG)
            while not ended:
                ended = legs.resume(_LEG)
        except Exhausted as error:
            raise MemoryError("there is no room for an inner derivative") from error
        finally:
            legs.drop()
            self.peaks = context.peaks()
            context.cool(self.executable.native.trim)
            self.pool.append(context)
        assert legs.results is not None
        return legs.results


_LEG = 1 << 18
"""Steps after which the interpreter may look for signals."""


def _mixed(task: Task, program: Program, through: bool, start: float) -> tuple[Built, Mixed]:
    """A program that has asks, but is no derivative itself."""
    program = with_asks(program, supply_for(program), known())
    module = module_text(program, known(), True)
    native = link_objects(object_codes(module), program.entry, True)
    types, results = tuple(p.type for p in task.main.params), task.main.result_types
    executable = Executable.of(native, types, results, module.errors, module.consumed)
    inner = inner_of(inner_programs(program).values())
    seconds = time.perf_counter() - start
    built = Built(executable, seconds, True)
    return built, Mixed(executable, module.frames, inner, through, seconds)


def _name(fun: Callable[..., Any]) -> str:
    """The name of the user's function inside."""
    while isinstance(fun, Transformed | Rerun | Ruled):
        fun = fun.fun
    return getattr(fun, "__name__", repr(fun))


def budgeted(
    fun: Callable[..., Any], specs: Sequence[ArgSpec], named: Mapping[str, ArgSpec],
    way: Checkpointing | None, product: str = "", through: bool = False,
) -> tuple[Ready, Budgeted | Mixed | Runner]:  # fmt: skip
    """`fun`, or a product with its Jacobian ("jvp", "vjp"), by a schedule.

    Without a `way` it is a program in which there are derivatives that have one; `through`: it may
    write to its arguments. A derivative that needs no tape just runs.
    """
    start = time.perf_counter()
    prepared = prepare(fun, specs, named, bool(product), not product)
    task = prepared.task
    if product:
        task = product_task(task, product)
    program = BY_SCHEDULE.run(task.program, known())
    code = sweep_code(program)
    seconds = time.perf_counter() - start
    runner: Budgeted | Mixed | Runner
    if code is not None:
        built = Built(code.ahead, seconds, True)
        variants = Variants(program, code)
        runner = Budgeted(variants, _FREE if way is None else way, seconds, _name(fun))
    elif way is None:
        built, runner = _mixed(task, program, through, start)
    else:
        built = linked(build(task), seconds)
        limit = int(way.size) if way.kind == "budget" else None
        runner = Runner(built, False, limit, task.main.prov.span)
    trees = prepared.task.trees, task.trees, prepared.base.trees
    return Ready(prepared.traced.interface, *trees, prepared.levels, built, prepared.silent), runner
