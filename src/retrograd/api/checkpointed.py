"""Derivatives in a given amount of memory: two sweeps that take turns, by a schedule."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retrograd.api.call import Runner, Stats, scalar_input
from retrograd.api.compile import build, lowered
from retrograd.api.derive import Task, pullback_task
from retrograd.api.durable import DurableRun, facts_of, leaf_seconds
from retrograd.api.memory import shown
from retrograd.api.prepare import prepare
from retrograd.api.ready import Built, Ready, linked
from retrograd.api.recording import watched
from retrograd.backends.llvm.cache import load_or_compile
from retrograd.backends.llvm.execute import DTYPES, Executable, Result
from retrograd.backends.llvm.jit import link_object
from retrograd.backends.llvm.module import sweeps_text
from retrograd.backends.llvm.turns import Kept, TurnTaking
from retrograd.backends.llvm.written import Snapshots
from retrograd.errors import Span, UserError
from retrograd.frontend.specs import ArgSpec
from retrograd.ir.traverse import supply_for
from retrograd.ir.types import Type
from retrograd.options.checkpointing import Checkpointing
from retrograd.prims import DEFAULT
from retrograd.runtime.context import Context, available_bytes, stack_floor
from retrograd.runtime.disk import Disk
from retrograd.runtime.execute import Run
from retrograd.runtime.generations import Generations
from retrograd.runtime.schedule.actions import Planner, TooSmall
from retrograd.runtime.schedule.budget import BudgetPlanner
from retrograd.runtime.schedule.trees import TreePlan, TreePlanner
from retrograd.runtime.state import FrameShapes
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import SWEEPS
from retrograd.transforms.sweeps import sweeps_apart

_ENDLESS = 1 << 62
"""More bytes than any disk has."""

__all__ = ["Budgeted", "SweepCode", "budgeted", "sweep_code"]


@dataclass(frozen=True, slots=True)
class SweepCode:
    """The two sweeps of a derivative as native code; `seconds` is what its making took.

    `digest` is the SHA-256 of their text.
    """

    ahead: Executable
    back: Executable
    shapes: FrameShapes
    span: Span | None
    seconds: float
    digest: str


def sweep_code(task: Task, start: float) -> SweepCode | None:
    """Compiles a derivative; None where it has no reverse sweep to speak of."""
    program = run_pipeline(SWEEPS, lowered(task.program), DEFAULT, check=False)
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
    span = task.main.prov.span
    digest = hashlib.sha256(module.text.encode()).hexdigest()
    return SweepCode(ahead, back, module.frames, span, time.perf_counter() - start, digest)


@dataclass(slots=True)
class Budgeted:
    """A derivative that is calculated by a schedule.

    By one for a budget it never has more than that in its own memory.
    """

    code: SweepCode
    way: Checkpointing
    last: Run[Kept] | None = None
    pool: list[Context] = field(default_factory=list[Context])

    @property
    def through(self) -> bool:
        """Arguments are never written to."""
        return False

    @property
    def stats(self) -> Stats | None:
        """What the last call took, None before the first."""
        run = self.last
        return None if run is None else Stats(run.peak, run.peak_tape, self.code.seconds)

    def __call__(self, flat: Sequence[Any]) -> Sequence[Any]:
        """The entry's results for flat arguments."""
        code = self.code
        try:
            context = self.pool.pop()
        except IndexError:
            context = Context()
        limit = available_bytes()
        if self.way.kind == "budget":
            limit = min(limit, int(self.way.size))
        context.prepare(limit, stack_floor(), tape=True)
        args = tuple(map(_input, flat, code.ahead.params))
        machine = TurnTaking(code.ahead, code.back, code.shapes, context, args)
        sizes = tuple(a.nbytes if isinstance(a, np.ndarray) else 0 for a in args)
        codec = Snapshots(code.shapes, sizes)
        run = self._run(machine, codec, limit)
        try:
            self._follow(run, machine, codec)
        except TooSmall as error:
            raise UserError(
                "RG4004", f"{shown(limit)} are too little for this derivative", code.span,
                f"give it more: at least {shown(error.least)}",
            ) from None  # fmt: skip
        finally:
            if run.disk is not None:
                run.disk.close()
            machine.drop()
            self.pool.append(context)
        self.last = run
        assert machine.gradients is not None
        return machine.gradients

    def _run(self, machine: TurnTaking, codec: Snapshots, limit: int) -> Run[Kept]:
        """With the disk that it may use."""
        way = self.way
        if way.disk is None:
            return Run(machine, limit)
        return Run(machine, limit, Disk(way.disk, int(way.disk_limit or _ENDLESS), codec))

    def _follow(self, run: Run[Kept], machine: TurnTaking, codec: Snapshots) -> None:
        """The whole schedule, or what is left of it."""
        planner, place = _planner(self.way, run.budget), self.way.resume
        if place is None:
            watched(run)
            run.follow(planner.schedule())
            return
        with Generations(place.path) as files:
            facts = facts_of(self.code.digest, machine.forward.args, self.way)
            planner = DurableRun(place, files, machine, run, facts, codec).begin(planner)
            watched(run)
            run.follow(planner.schedule())
            files.remove()


def _planner(way: Checkpointing, limit: int) -> Planner:
    if way.kind == "budget":
        disk = 0 if way.disk is None else int(way.disk_limit or _ENDLESS)
        return BudgetPlanner(limit, leaf_seconds(way), disk=disk)
    space, time_ = (
        way.bound if way.kind == kind else None for kind in ("fixed_space", "fixed_time")
    )
    return TreePlanner(TreePlan(space, time_, int(way.size), way.split == "binomial"))


def _input(value: Any, type_: Type) -> Result:
    if type_.is_scalar:
        return scalar_input(value)
    return np.ascontiguousarray(value, dtype=DTYPES[type_.dtype])


def budgeted(
    fun: Callable[..., Any], specs: Sequence[ArgSpec], named: Mapping[str, ArgSpec],
    way: Checkpointing, pullback: bool = False,
) -> tuple[Ready, Budgeted | Runner]:  # fmt: skip
    """The derivative `fun`, or the pullback of `fun`, by a schedule.

    One that needs no tape just runs.
    """
    start = time.perf_counter()
    prepared = prepare(fun, specs, named, pullback)
    task = pullback_task(prepared.task) if pullback else prepared.task
    code = sweep_code(task, start)
    if code is None:
        built = linked(build(task), time.perf_counter() - start)
        limit = int(way.size) if way.kind == "budget" else None
        runner: Budgeted | Runner = Runner(built, False, limit)
    else:
        built, runner = Built(code.ahead, code.seconds, True), Budgeted(code, way)
    trees = prepared.task.trees, task.trees, prepared.base.trees
    return Ready(prepared.traced.interface, *trees, prepared.levels, built), runner
