"""What a gradient puts on its tape, value by value and line by line, and what for.

How many bytes that are depends on sizes, numbers of iterations and branches: a counting program
(`retrograd.api.saving.counting`) finds them in one run of what these depend on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from retrograd.api.compile.derive import Task
from retrograd.api.compile.known import known
from retrograd.api.saving.counting import counted
from retrograd.api.saving.sweeps import Sweeps, is_tape, pushed, sweeps_of
from retrograd.ir.terms import Atom, Prim, Program, Stm, Var
from retrograd.ir.traverse import stms_deep
from retrograd.options.saving import Residual
from retrograd.prims.shape import STORAGE
from retrograd.transforms.analysis.origins import NOWHERE, Origin, origins, record_of, source_text

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
    made_by = origins(sweeps.ahead.functions, known())
    for k, (function, stm, position, atom) in enumerate(pushed(sweeps)):
        origin = _origin(made_by[function.name], atom)
        span = origin.prov.span
        if span is not None and (counts is None or counts[k].times):
            place = (span.file, span.line)
            what.setdefault(place, {})[origin.text] = None
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
    made_by = origins(sweeps.ahead.functions, known())
    found: list[Residual] = []
    for (function, _, _, atom), count in zip(pushed(sweeps), counts, strict=True):
        if count.times:
            record = record_of(atom.type, _origin(made_by[function.name], atom))
            size = None if count.shape is None else count.bytes // count.times
            found.append(replace(
                record, shape=count.shape, bytes=size, times=count.times, total=count.bytes
            ))  # fmt: skip
    return found


def _origin(made_by: Mapping[Var, Origin], atom: Atom) -> Origin:
    return made_by.get(atom, NOWHERE) if isinstance(atom, Var) else NOWHERE


def sweeps_in(task: Task, program: Program, cotangents: Sequence[Var]) -> Sweeps:
    """The sweeps of a pullback.

    Args:
        task: the pullback.
        program: what code of it is made from.
        cotangents: the parameters of the task that are.
    """
    pairs = zip(task.main.params, program.main.params, strict=True)
    return sweeps_of(program, [own for param, own in pairs if param in cotangents])


def nothing(param: Var) -> Any:
    """A cotangent, which the forward sweep does not read."""
    kind = STORAGE[param.type.dtype]
    empty = np.zeros((0,) * param.type.rank, kind)
    return kind(0).item() if param.type.is_scalar else empty


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
                    yield f"{source_text(user.prov.span)} (line {user.prov.span.line})"
