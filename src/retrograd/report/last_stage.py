"""Remarks about checkpoints that spare a gradient nothing.

The reverse sweep begins, without a pause, with what the forward sweep has ended with. So whatever
a checkpoint around a whole function, or around its last stage, does not save is calculated again at
once, and the peak is the same. Where such a checkpoint stands is read off the program; whether it
spares anything is counted: the peak of a gradient with it, and without it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from retrograd.api.compile.derive import Entry, Task, grad_task
from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import has_budgets, has_ways
from retrograd.api.saving.buffers import Unknown
from retrograd.api.saving.measuring import Measure, measured
from retrograd.errors import OF_PROGRAMS
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.specs import LeafSpec
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Checkpointed,
    Prim,
    Program,
    Stm,
    flit,
)
from retrograd.ir.traverse import blocks, callees_of, stms_deep, with_blocks
from retrograd.ir.types import F64
from retrograd.options.memory import shown
from retrograd.options.saving import policy_named
from retrograd.report.pullback import Pulled
from retrograd.transforms.analysis.origins import source_text
from retrograd.transforms.driver import PLAIN

__all__ = ["remarks_on"]

_LIGHT = 1.0
"""The cost of what is no stage of its own unless it is an element-wise operation."""


@dataclass(frozen=True, slots=True)
class _Stage:
    """A checkpointed execution after which nothing comes that takes long.

    Attributes:
        mark: the execution.
        call: the statement that calls it, or its last one where it is no call.
        around: the name of the function in which it stands; None is the one that is
            differentiated.
        whole: whether it is all of the function that is differentiated.
    """

    mark: Checkpointed
    call: Stm
    around: str | None
    whole: bool


def remarks_on(pullback: Pulled) -> tuple[str, ...]:
    """What is to be said about the checkpoints of a function; nothing where they spare something,
    or where that cannot be counted."""
    program = pullback.inner.program
    stage = _last_stage(program)
    if stage is None or has_ways(program) or has_budgets(program):
        return ()
    if policy_named(stage.mark.policy).kind == "everything_saveable":
        return ()  # the same as no checkpoint, and meant so
    found = _taken(pullback.inner, pullback)
    plain = replace(pullback.inner, program=_without(program, stage.mark))
    other = None if found is None else _taken(plain, pullback)
    if found is None or other is None or found.peak < other.peak:
        return ()
    return (_remark(stage, pullback.name, found, other),)


def _remark(stage: _Stage, name: str, found: Measure, other: Measure) -> str:
    around = repr(name if stage.around is None else stage.around)
    if stage.whole:
        which = f"The checkpoint around all of {around}"
        why = "the reverse sweep follows at once"
        way_out = f"Checkpoint stages of {around} instead, but not the last one."
    else:
        which = f"The checkpoint {_place(stage.call)}"
        why = f"it is the last stage of {around}, and the reverse sweep begins with it"
        way_out = f"Leave it out, or checkpoint an earlier stage of {around}."
    if (found.peak, found.tape, found.work) == (other.peak, other.tape, other.work):
        why, way_out = "without it as much is saved and calculated again", "Leave it out."
    else:
        why += ", so that what was not saved is calculated again right away"
    peaks = f"{shown(found.peak)} with it"
    peaks += " as without it" if found.peak == other.peak else f" and {shown(other.peak)} without"
    return f"{which} spares a gradient nothing: {why}. The peak is {peaks}. {way_out}"


def _place(stm: Stm) -> str:
    """The function that a statement calls, and where."""
    span, expr = stm.prov.span, stm.expr
    called = f"of {_stem(expr.function)!r}" if isinstance(expr, Call) else ""
    if span is None:
        return called
    return f"{called} at {Path(span.file).name}:{span.line}, `{source_text(span)}`,".lstrip()


def _stem(function: str) -> str:
    """The user's name of a function."""
    return function.rpartition("_")[0]


def _last_stage(program: Program) -> _Stage | None:
    """The checkpointed execution that a program ends with, but for what is light."""
    every = {f.name: f for f in program.functions}
    calls = Counter(
        name
        for f in program.functions
        for stm in stms_deep(f.body)
        for name in callees_of(stm.expr)
    )
    function = program.main
    while True:
        found = next((s for s in reversed(function.body.stms) if not _is_light(s)), None)
        if found is None:
            return None
        if found.prov.checkpoints:
            entry = function is program.main
            around = None if entry else _stem(function.name)
            whole = entry and found.prov.span == function.prov.span
            stage = _Stage(found.prov.checkpoints[0], found, around, whole)
            return stage if _is_only_one(program, stage) else None
        if not isinstance(found.expr, Call) or calls[found.expr.function] > 1:
            return None
        function = every[found.expr.function]


def _is_only_one(program: Program, stage: _Stage) -> bool:
    """Whether the place in the user's file stands for no other execution, of which a remark about
    the place might be wrong."""
    there = {
        stm.prov.checkpoints[0].name
        for function in program.functions
        for stm in stms_deep(function.body)
        if stm.prov.checkpoints and stm.prov.span == stage.call.prov.span
    }
    return there == {stage.mark.name}


def _is_light(stm: Stm) -> bool:
    """Whether a statement is an element-wise operation, a sum or the like, and in no checkpoint."""
    if stm.prov.checkpoints or not isinstance(stm.expr, Prim):
        return False
    primitive = known()[stm.expr.op]
    return primitive.facts.cheap or primitive.cost <= _LIGHT


def _without(program: Program, mark: Checkpointed) -> Program:
    """The program without a checkpoint."""

    def block(given: Block) -> Block:
        return replace(given, stms=tuple(map(stm, given.stms)))

    def stm(given: Stm) -> Stm:
        inner = tuple(map(block, blocks(given.expr)))
        expr = with_blocks(given.expr, inner) if inner else given.expr
        marks = tuple(m for m in given.prov.checkpoints if m.name != mark.name)
        return replace(given, expr=expr, prov=replace(given.prov, checkpoints=marks))

    functions = tuple(replace(f, body=block(f.body)) for f in program.functions)
    return replace(program, functions=functions)


def _taken(task: Task, pullback: Pulled) -> Measure | None:
    """What a gradient of the sum of all results takes; None where that cannot be counted."""
    argnums = pullback.argnums
    if argnums is None:
        argnums = tuple(k for k in range(len(task.args)) if task.float_positions(k))
    gradient = grad_task(_summed(task), argnums, False, False, None)
    try:
        found = measured(gradient, PLAIN.run(gradient.program, known()), pullback.flat)
    except (Unknown, *OF_PROGRAMS):
        return None
    return None if found.gaps else found


def _summed(task: Task) -> Task:
    """The sum of all floats that a task gives."""
    if task.out == LeafSpec(F64):
        return task
    entry = Entry.around(task)
    outs = entry.b.bind(Call(task.main.name, entry.params), task.main.result_types, "y")
    total: Atom = flit(0.0)
    for out, _ in zip(outs, leaf_types(task.out), strict=False):
        if out.type.is_float:
            rank = out.type.rank
            axes = tuple(range(rank))
            part = entry.b.prim("reduce_sum", out, axes=axes, keepdims=False) if rank else out
            total = entry.b.prim("add", total, part)
    return entry.finish("sum", entry.params, (total,), LeafSpec(F64), task.args)
