"""What a gradient puts on its tape, line by line, and what for.

How many bytes that are depends on sizes, numbers of iterations and branches. So the forward sweep
is run with the residuals of one line alone, for each line; nothing else is on the tape then.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from retrograd.api.calls.runner import Runner
from retrograd.api.compile.artefact import linked
from retrograd.api.compile.derive import Task
from retrograd.api.compile.native import image_of
from retrograd.errors import Span
from retrograd.frontend.identity.specs import TupleSpec
from retrograd.ir.terms import Block, Call, For, Function, Prim, Program, Stm, Var, While
from retrograd.ir.traverse import atoms, blocks, stms_deep, with_blocks
from retrograd.prims.shape import STORAGE
from retrograd.transforms.analysis.effects import reachable, reaching

__all__ = ["Residual", "nothing", "residuals_of"]

_MOST = 12
"""Lines that are measured: each takes a compilation."""

Place = tuple[str, int]
"""A file and a line of it."""


@dataclass(frozen=True, slots=True)
class Residual:
    """What one line records: where, what, for which lines, and how much; None: not measured."""

    place: Place
    what: tuple[str, ...]
    readers: tuple[str, ...]
    bytes: int | None


def residuals_of(
    task: Task, program: Program, flat: Sequence[Any]
) -> tuple[list[Residual], int | None]:
    """What the forward sweep of a pullback records, and the bytes of it all.

    Args:
        task: the pullback.
        program: what plain machine code of it is made from.
        flat: arguments of the pullback, with any cotangents.
    """
    forward = _forward(program)
    every = {place: _said(program, forward, place) for place in sorted(_places(forward))}
    if not every:
        return [], 0
    if any(_is(stm, "pop") for stm in _every(forward)):
        return [Residual(place, *said, None) for place, said in every.items()], None
    found: list[Residual] = []
    for k, (place, said) in enumerate(every.items()):
        size = _measured(task, _only(forward, place), flat) if k < _MOST else None
        if size != 0:
            found.append(Residual(place, *said, size))
    return found, _measured(task, forward, flat)


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


def _is(stm: Stm, op: str) -> bool:
    return isinstance(stm.expr, Prim) and stm.expr.op == op


def _every(program: Program) -> Iterator[Stm]:
    """The statements of all functions that the entry needs."""
    kept = reachable(program)
    for function in program.functions:
        if function.name in kept:
            yield from stms_deep(function.body)


def _forward(program: Program) -> Program:
    """The entry up to where it takes something off the tape, without results."""
    back = reaching(program.functions, lambda f: any(_is(stm, "pop") for stm in stms_deep(f.body)))
    ahead = reaching(
        program.functions, lambda f: any(_is(stm, "push") for stm in stms_deep(f.body))
    )
    stms: list[Stm] = []
    for stm in program.main.body.stms:
        if isinstance(stm.expr, Call) and stm.expr.function in back - ahead:
            break
        stms.append(stm)
    main = replace(program.main, body=Block(tuple(stms), ()))
    functions = (main if f.name == program.entry else f for f in program.functions)
    return Program(tuple(functions), program.entry)


def _measured(task: Task, forward: Program, given: Sequence[Any]) -> int:
    """The bytes that a forward sweep leaves on the tape."""
    lone = Task(forward, task.args, TupleSpec(()))
    runner = Runner(linked(image_of(lone, forward), 0.0), False)
    runner(given)
    return 0 if runner.stats is None else runner.stats.tape_bytes


def _origins(function: Function) -> Mapping[Var, Span | None]:
    """Where each variable of a function is calculated; one that a loop carries where the loop
    calculates it for the next iteration."""
    found: dict[Var, Span | None] = dict.fromkeys(function.params, function.prov.span)
    for stm in stms_deep(function.body):
        found.update(dict.fromkeys(stm.outs, stm.prov.span))
    for stm in stms_deep(function.body):
        if isinstance(stm.expr, For | While):
            for var, result in zip(stm.expr.carried, stm.expr.body.results, strict=False):
                found[var] = found.get(cast("Var", result), stm.prov.span)
    return found


def _recorded(program: Program) -> Iterator[tuple[Stm, int, Span]]:
    """Each thing that is recorded: the statement, its position there, where it is calculated."""
    kept = reachable(program)
    for function in program.functions:
        if function.name not in kept:
            continue
        origins = _origins(function)
        for stm in stms_deep(function.body):
            if _is(stm, "push"):
                for k, atom in enumerate(atoms(stm.expr)):
                    span = origins.get(atom) if isinstance(atom, Var) else None
                    if span is not None:
                        yield stm, k, span


def _places(program: Program) -> set[Place]:
    return {(span.file, span.line) for _, _, span in _recorded(program)}


def _only(program: Program, place: Place) -> Program:
    """The program with what is recorded elsewhere left out."""
    wanted: dict[int, set[int]] = {}
    for stm, k, span in _recorded(program):
        if (span.file, span.line) == place:
            wanted.setdefault(id(stm), set()).add(k)

    def walk(block: Block) -> Block:
        stms: list[Stm] = []
        for stm in block.stms:
            inner = tuple(map(walk, blocks(stm.expr)))
            if _is(stm, "push"):
                stms += _kept(stm, wanted.get(id(stm), set()))
            else:
                stms.append(replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm)
        return Block(tuple(stms), block.results)

    return Program(tuple(replace(f, body=walk(f.body)) for f in program.functions), program.entry)


def _kept(stm: Stm, positions: set[int]) -> list[Stm]:
    """A statement that records, with some of what it records."""
    assert isinstance(stm.expr, Prim)
    if not positions:
        return []
    order = sorted(positions)
    args = tuple(stm.expr.args[k] for k in order)
    params = tuple(
        (key, tuple(order.index(k) for k in cast("tuple[int, ...]", value) if k in positions))
        if key == "held" else (key, value)
        for key, value in stm.expr.params
    )  # fmt: skip
    return [replace(stm, expr=replace(stm.expr, args=args, params=params))]


def _said(
    program: Program, forward: Program, place: Place
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a line records, as it is written, and for what."""
    what: dict[str, None] = {}
    readers: dict[str, None] = {}
    for stm, k, span in _recorded(forward):
        if (span.file, span.line) == place:
            what[_source(span)] = None
            readers.update(dict.fromkeys(_readers(program, stm, k)))
    return tuple(what), tuple(readers)


def _readers(program: Program, push: Stm, position: int) -> Iterable[str]:
    """The operations in whose reverse something is used that was recorded there."""
    assert isinstance(push.expr, Prim)
    site = push.expr.param("site")
    for function in program.functions:
        every = list(stms_deep(function.body))
        for stm in every:
            if not _is(stm, "pop") or cast("Prim", stm.expr).param("site") != site:
                continue
            var = stm.outs[position]
            for user in every:
                if isinstance(user.expr, Prim) and var in user.expr.args and user.prov.span:
                    yield f"{_source(user.prov.span)} (line {user.prov.span.line})"
