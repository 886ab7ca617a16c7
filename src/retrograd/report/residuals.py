"""What a gradient puts on its tape, value by value and line by line, and what for.

How many bytes that are depends on sizes, numbers of iterations and branches: a counting program
(`retrograd.api.saving.counting`) finds them in one run of what these depend on.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from retrograd.api.compile.derive import Task
from retrograd.api.saving.counting import Count, counted
from retrograd.api.saving.sweeps import Sweeps, is_tape, pushed, sweeps_of
from retrograd.errors import Span
from retrograd.ir.terms import For, Function, Prim, Program, Prov, Stm, Var, While
from retrograd.ir.traverse import stms_deep
from retrograd.options.saving import Residual
from retrograd.prims.shape import STORAGE
from retrograd.transforms.ad.numbered_values import is_number

__all__ = ["LineResiduals", "nothing", "residuals_of", "sweeps_in", "values_of"]

Place = tuple[str, int]
"""A file and a line of it."""


@dataclass(frozen=True, slots=True)
class LineResiduals:
    """What one line records: where, what, for which lines, and how much; None: not measured."""

    place: Place
    what: tuple[str, ...]
    readers: tuple[str, ...]
    bytes: int | None


def residuals_of(
    task: Task, program: Program, flat: Sequence[Any], cotangents: Sequence[Var] = ()
) -> tuple[list[LineResiduals], int | None]:
    """What the forward sweep of a pullback records, by lines, and the bytes of it all.

    Args:
        task: the pullback.
        program: what plain machine code of it is made from.
        flat: arguments of the pullback, with any cotangents.
        cotangents: the parameters of the task that are.
    """
    sweeps = sweeps_in(task, program, cotangents)
    counts = counted(task, sweeps, flat)
    what: dict[Place, dict[str, None]] = {}
    readers: dict[Place, dict[str, None]] = {}
    sizes: dict[Place, int] = {}
    origins = {f.name: _origins(f) for f in sweeps.ahead.functions}
    for k, (function, stm, position, atom) in enumerate(pushed(sweeps)):
        prov = origins[function.name].get(atom, _NOWHERE)[0] if isinstance(atom, Var) else Prov()
        if prov.span is not None and (counts is None or counts[k].times):
            place = (prov.span.file, prov.span.line)
            what.setdefault(place, {})[_source(prov.span)] = None
            found = dict.fromkeys(_readers(program, stm, position))
            readers.setdefault(place, {}).update(found)
            size = 0 if counts is None else counts[k].bytes + counts[k].words
            sizes[place] = sizes.get(place, 0) + size
    lines = [
        LineResiduals(p, tuple(what[p]), tuple(readers[p]), None if counts is None else sizes[p])
        for p in sorted(what)
        if counts is None or sizes[p]
    ]
    return lines, None if counts is None else sum(c.bytes + c.words for c in counts)


def values_of(task: Task, sweeps: Sweeps, flat: Sequence[Any]) -> list[Residual] | None:
    """Each value that the forward sweep of a pullback records in this run, in its order.

    None where that cannot be counted (`retrograd.api.saving.counting.counted`).
    """
    counts = counted(task, sweeps, flat)
    if counts is None:
        return None
    origins = {f.name: _origins(f) for f in sweeps.ahead.functions}
    found: list[Residual] = []
    for (function, _, _, atom), count in zip(pushed(sweeps), counts, strict=True):
        if count.times:
            where = _NOWHERE
            if isinstance(atom, Var):
                where = origins[function.name].get(atom, _NOWHERE)
            found.append(_residual(function, str(atom.type.dtype.value), where, count))
    return found


def sweeps_in(task: Task, program: Program, cotangents: Sequence[Var]) -> Sweeps:
    """The sweeps of a pullback.

    Args:
        task: the pullback.
        program: what code of it is made from.
        cotangents: the parameters of the task that are.
    """
    pairs = zip(task.main.params, program.main.params, strict=True)
    return sweeps_of(program, [own for param, own in pairs if param in cotangents])


def _residual(function: Function, dtype: str, where: Origin, count: Count) -> Residual:
    prov, primitive, position = where
    span = prov.span
    size = None if count.shape is None else count.bytes // count.times
    return Residual(
        primitive, dtype, count.shape, size,
        names=tuple(n for k, n in prov.names if k == position and not is_number(n)),
        line=None if span is None else span.line,
        expression=_source(span),
        times=count.times,
        function=function.name,
        file="" if span is None else span.file,
        total=count.bytes,
    )  # fmt: skip


Origin = tuple[Prov, str, int]
"""Where a value is calculated, by which primitive, and which of its results it is."""

_NOWHERE: Origin = (Prov(), "", 0)


def _source(span: Span | None) -> str:
    """What stands at a place, if it is on one line; else what its first line begins."""
    if span is None:
        return ""
    text = linecache.getline(span.file, span.line)
    if span.end_line != span.line:
        return f"what is made by `{text.strip()}`"
    return text[span.col : span.end_col].strip()


def nothing(param: Var) -> Any:
    """A cotangent, which the forward sweep does not read."""
    kind = STORAGE[param.type.dtype]
    return 0.0 if param.type.is_scalar else np.zeros((0,) * param.type.rank, kind)


def _origins(function: Function) -> Mapping[Var, Origin]:
    """Where each variable of a function is calculated; one that a loop carries where the loop
    calculates it for the next iteration."""
    found: dict[Var, Origin] = {}
    for param in function.params:
        found[param] = (function.prov, "argument", 0)
    for stm in stms_deep(function.body):
        for k, out in enumerate(stm.outs):
            found[out] = (stm.prov, _primitive(stm), k)
    for stm in stms_deep(function.body):
        if isinstance(stm.expr, For | While):
            for var, result in zip(stm.expr.carried, stm.expr.body.results, strict=False):
                if isinstance(result, Var) and result in found:
                    found[var] = found[result]
                else:
                    found[var] = (stm.prov, _primitive(stm), 0)
    return found


def _primitive(stm: Stm) -> str:
    return stm.expr.op if isinstance(stm.expr, Prim) else type(stm.expr).__name__.lower()


def _readers(program: Program, push: Stm, position: int) -> Iterable[str]:
    """The operations in whose reverse something is used that was recorded there."""
    assert isinstance(push.expr, Prim)
    site = push.expr.param("site")
    for function in program.functions:
        every = list(stms_deep(function.body))
        for stm in every:
            if not is_tape(stm, "pop") or cast("Prim", stm.expr).param("site") != site:
                continue
            var = stm.outs[position]
            for user in every:
                if isinstance(user.expr, Prim) and var in user.expr.args and user.prov.span:
                    yield f"{_source(user.prov.span)} (line {user.prov.span.line})"
