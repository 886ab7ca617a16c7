"""What a program goes through on its way to the machine code of each product: one value for each.

A product is a list of stages, a stage a list of passes that are run, or not, together. `retrograd
show` walks the same lists that compilation does, so it shows what is run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial

from retrograd.ir.terms import Jvp, Program, Vjp
from retrograd.ir.traverse import stms_deep
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.ad.jvp import expand_jvp_nodes
from retrograd.transforms.ad.numbered_values import number_values
from retrograd.transforms.ad.vjp import lower_vjp_nodes, reach_into_calls, straight_pullbacks
from retrograd.transforms.passes import Pass, run_pipeline
from retrograd.transforms.pipelines import (
    AFTER_AD,
    BATCH,
    MACHINE,
    OPTIMISE,
    POINTS,
    PULLBACKS,
    SELECTIONS,
    SWEEPS,
)

__all__ = [
    "INTERRUPTIBLE",
    "BY_SCHEDULE",
    "LOWEST",
    "PLAIN",
    "PRODUCTS",
    "Pipeline",
    "Stage",
    "When",
]

Listener = Callable[[str, Program], None]


class When(Enum):
    """For which programs a stage is there."""

    ALWAYS = "all"
    TANGENTS = "those with tangents of functions in them"
    COTANGENTS = "those with cotangents of functions in them"
    PULLBACKS = "those with cotangents of straight-line functions inside of them"
    DERIVED = "those of which something was derived in an earlier stage"


@dataclass(frozen=True, slots=True)
class Stage:
    """Passes that are run one after the other; `name` is what `retrograd show` calls the result."""

    name: str
    passes: tuple[Pass, ...]
    when: When = When.ALWAYS


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The stages of a product."""

    name: str
    stages: tuple[Stage, ...]

    def divided(self, last: str) -> tuple[Pipeline, Pipeline]:
        """The stages up to one, and those after it."""
        count = [stage.name for stage in self.stages].index(last) + 1
        first, rest = self.stages[:count], self.stages[count:]
        return Pipeline(self.name, first), Pipeline(self.name, rest)

    def run(
        self,
        program: Program,
        prims: PrimitiveSet,
        *,
        check: bool = False,
        listener: Listener | None = None,
    ) -> Program:
        """The program after all stages.

        Args:
            program: what the frontend made.
            prims: the primitives that the compilation knows.
            check: whether the checker runs after every pass.
            listener: called with the name of each stage that was run, and the program after it.
        """
        derived = False
        for stage in self.stages:
            if not _wanted(stage.when, program, derived, prims):
                continue
            derived |= stage.when in (When.TANGENTS, When.COTANGENTS, When.PULLBACKS)
            program = run_pipeline(stage.passes, program, prims, check=check)
            if listener is not None:
                listener(stage.name, program)
        return program


def _wanted(when: When, program: Program, derived: bool, prims: PrimitiveSet) -> bool:
    match when:
        case When.ALWAYS:
            return True
        case When.TANGENTS:
            return _mentions(program, Jvp)
        case When.COTANGENTS:
            return _mentions(program, Vjp)
        case When.PULLBACKS:
            return straight_pullbacks(program, prims)
        case When.DERIVED:
            return derived


def _mentions(program: Program, kind: type[Jvp] | type[Vjp]) -> bool:
    return any(isinstance(s.expr, kind) for f in program.functions for s in stms_deep(f.body))


def _lowered(apart: bool = False, fuse: bool = False) -> tuple[Stage, ...]:
    """To a program without derivative nodes, optimised before and after derivatives are taken.

    `apart`: inner derivatives are functions, so that they can have schedules of their own.
    `fuse`: both sweeps of a map may be one loop.
    """
    jvp = Pass("jvp", "tangents become programs of dual numbers", expand_jvp_nodes)
    numbers = Pass("numbers", "values that a budget may save have numbers", number_values)
    calls = Pass("calls", "policies reach into functions that are called", reach_into_calls)
    vjp = Pass(
        "vjp", "cotangents become forward and reverse sweeps",
        partial(lower_vjp_nodes, apart=apart, fuse=fuse),
    )  # fmt: skip
    return (
        Stage("optimised", OPTIMISE),
        Stage("tangents", (jvp,), When.TANGENTS),
        Stage("jvp", AFTER_AD, When.DERIVED),
        Stage("pullbacks", PULLBACKS, When.PULLBACKS),
        Stage("selections", SELECTIONS, When.COTANGENTS),
        Stage("points", POINTS),
        # What a schedule divides records as without checkpoints.
        Stage("cotangents", (numbers, vjp) if apart else (numbers, calls, vjp), When.COTANGENTS),
        Stage("vjp", AFTER_AD, When.DERIVED),
        Stage("batch", BATCH, When.DERIVED),
    )


INTERRUPTIBLE = Pipeline("interruptible", _lowered())
"""Code that can stop at its points. `rg.interrupt`; the reference of the evaluators."""

PLAIN = Pipeline("plain", (*_lowered(fuse=True), Stage("machine", MACHINE)))
"""Code that runs to its end: values, forward mode, and reverse mode with a full tape.

A loop of it may run from the last iteration to the first although it can raise. Then `LOWEST` has
code that raises what the first iteration that fails raises.
"""

LOWEST = Pipeline("lowest", (*_lowered(), Stage("machine", MACHINE)))
"""The same, but iterations that can raise are in order."""

BY_SCHEDULE = Pipeline("memory", (*_lowered(apart=True), Stage("sweeps", SWEEPS)))
"""Reverse mode by a schedule, before it is divided in a forward and a reverse program."""

PRODUCTS = {p.name: p for p in (PLAIN, INTERRUPTIBLE, BY_SCHEDULE)}
"""By the names that `retrograd show` knows."""
