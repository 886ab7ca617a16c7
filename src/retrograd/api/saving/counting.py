"""Counting programs: how much a forward sweep leaves on the tape.

One array of counters goes through every function that records something: as a parameter and a
result of functions, carried by loops, a result of branches. What is recorded becomes a change of
the counters, and is on no tape unless the same sweep takes a part of it back. Then whatever no
size, number of iterations or branch depends on is dead code, so that most of the arithmetic goes;
what is left runs once on the user's arguments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from retrograd.api.calls.runner import Runner
from retrograd.api.compile.artefact import linked
from retrograd.api.compile.derive import Task
from retrograd.api.compile.known import known
from retrograd.api.compile.native import image_of
from retrograd.api.saving.sweeps import Sweeps, is_tape, pushed, site_of
from retrograd.frontend.identity.specs import TupleSpec
from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    For,
    Function,
    If,
    Param,
    Prim,
    Program,
    Stm,
    Var,
    While,
    ilit,
)
from retrograd.ir.traverse import blocks, free_vars, stms_deep, supply_for, with_blocks
from retrograd.ir.types import DType, Type
from retrograd.transforms.ad.vjp.shaping import ShapeTable, with_explicit_shapes
from retrograd.transforms.analysis.effects import reaching
from retrograd.transforms.optimise.dce import eliminate_dead_code
from retrograd.transforms.optimise.simplify import simplify
from retrograd.transforms.passes import Pass, run_pipeline
from retrograd.transforms.pipelines import UNNEEDED

__all__ = ["Count", "counted", "reduced", "results_of"]

_COUNTERS = Type(DType.I64, 1)
_PASSES = (
    UNNEEDED,
    Pass("simplify", "copies, constants, identities, common subexpressions", simplify),
    UNNEEDED,
    Pass("dead-code", "what no result and no effect needs goes", eliminate_dead_code),
)


@dataclass(frozen=True, slots=True)
class Count:
    """What one atom of one `push` puts on the tape in a run.

    Attributes:
        times: how often it is recorded.
        bytes: of its elements, all times together.
        words: bytes of the addresses and extents of arrays, all times together.
        shape: its extents, None where they differ between times, in what is taken back too, or it
            is never recorded.
    """

    times: int
    bytes: int
    words: int
    shape: tuple[int, ...] | None


def counted(task: Task, sweeps: Sweeps, given: Sequence[Any]) -> list[Count] | None:
    """What stands on the tape when the forward sweep ends, in the order of `pushed`.

    None where a cotangent decides that: one loop does both sweeps of a part, and may raise in its
    reverse.
    """
    places: dict[Param, list[int]] = {}
    every: list[Atom] = []
    size = 0
    for _, stm, position, atom in pushed(sweeps):
        if position == 0:
            places.setdefault(site_of(stm), []).append(size)
        every.append(atom)
        size += _slots(atom.type)
    if not every:
        return []
    program = reduced(_counting(sweeps, places, size))
    read = free_vars(program.main.body)
    pairs = zip(sweeps.program.main.params, program.main.params, strict=True)
    if any(before in sweeps.cotangents and own in read for before, own in pairs):
        return None
    (counters,) = results_of(task, program, given)
    values = cast("list[int]", counters.tolist())
    found: list[Count] = []
    at = 0
    for atom in every:
        found.append(_count(atom.type, values[at : at + _slots(atom.type)]))
        at += _slots(atom.type)
    return found


def reduced(program: Program) -> Program:
    """A counting program without what no counter depends on."""
    return run_pipeline(_PASSES, program, known(), check=False)


def results_of(task: Task, program: Program, given: Sequence[Any]) -> Sequence[Any]:
    """The results of a program on arguments of the task that it was made from."""
    lone = Task(program, task.args, TupleSpec(()))
    return Runner(linked(image_of(lone, program), 0.0), False)(given)


def _slots(type_: Type) -> int:
    """Counters for a value: times, elements, and the sum and the largest of each extent."""
    return 2 + 2 * type_.rank


def _count(type_: Type, values: Sequence[int]) -> Count:
    times, elements = values[:2]
    rank = type_.rank
    sums, largest = values[2 : 2 + rank], values[2 + rank :]
    if type_.is_scalar:
        return Count(times, times * max(type_.dtype.size, 8), 0, ())
    same = times > 0 and all(s == times * m for s, m in zip(sums, largest, strict=True))
    shape = tuple(largest) if same else None
    return Count(times, elements * type_.dtype.size, times * 8 * (1 + rank), shape)


def _counting(sweeps: Sweeps, places: Mapping[Param, Sequence[int]], size: int) -> Program:
    forward = sweeps.ahead
    names = supply_for(forward)
    counting = _Counting(names, sweeps, places)
    chosen = reaching(forward.functions, lambda f: any(map(counting.counts, stms_deep(f.body))))
    counting.counters = chosen
    functions = tuple(map(counting.function, forward.functions))
    main = next(f for f in functions if f.name == forward.entry)
    b = Builder(names, known().result_types)
    zeros = b.prim("zeros", ilit(size), dtype=DType.I64.value)
    # The entry has no further parameter: it makes the counters.
    body = Block((*b.stms, *_bound(main, zeros).stms), main.body.results)
    entry = replace(main, params=main.params[1:], body=body)
    return Program(tuple(entry if f is main else f for f in functions), forward.entry)


def _bound(main: Function, zeros: Var) -> Block:
    """The body of the entry, in which the counters that it was given are those that it made."""
    first = main.params[0]
    copied = Stm((first,), Prim("copy", (zeros,)))
    return Block((copied, *main.body.stms), main.body.results)


@dataclass(slots=True)
class _Counting:
    """Gives functions that record the counters.

    `places` are where those of the statements of a site begin that put something on the tape;
    `seen` are as many of these as have been met. `counters` are the functions that are given them.
    """

    names: NameSupply
    sweeps: Sweeps
    places: Mapping[Param, Sequence[int]]
    counters: frozenset[str] = frozenset()
    seen: Counter[Param] = field(default_factory=Counter["Param"])
    table: ShapeTable = field(default_factory=ShapeTable)

    def function(self, function: Function) -> Function:
        if function.name not in self.counters:
            return function
        function, self.table = with_explicit_shapes(function, self.names, known())
        counters = self.names.var("counters", _COUNTERS)
        body, last = self.block(function.body, counters)
        params = (counters, *function.params)
        return replace(function, params=params, body=replace(body, results=(last, *body.results)))

    def block(self, block: Block, counters: Var) -> tuple[Block, Var]:
        """The block with the counters as they are at its end."""
        stms: list[Stm] = []
        for stm in block.stms:
            if not self.records(stm):
                stms.append(stm)
            elif isinstance(stm.expr, Prim):
                b = Builder(self.names, known().result_types, stm.prov)
                counters = self.changed(b, stm, counters)
                kept = site_of(stm) in self.sweeps.shared
                stms += [stm, *b.stms] if kept else b.stms
            else:
                given, counters = counters, self.names.var("counters", _COUNTERS)
                stms.append(replace(stm, outs=(counters, *stm.outs), expr=self.expr(stm, given)))
        return Block(tuple(stms), block.results), counters

    def counts(self, stm: Stm) -> bool:
        """Whether a statement puts on the tape what stays there, or takes off a part of it."""
        if is_tape(stm, "push"):
            return site_of(stm) in self.sweeps.kept
        return is_tape(stm, "pop") and site_of(stm) in self.sweeps.shared

    def records(self, stm: Stm) -> bool:
        if isinstance(stm.expr, Call):
            return stm.expr.function in self.counters
        inner = (s for block in blocks(stm.expr) for s in block.stms)
        return self.counts(stm) or any(map(self.records, inner))

    def changed(self, b: Builder, stm: Stm, counters: Var) -> Var:
        """Counts what a statement puts on the tape, or takes off."""
        assert isinstance(stm.expr, Prim)
        site, times = site_of(stm), 1 if is_tape(stm, "push") else -1
        at = self.places[site][0]
        if site not in self.sweeps.shared:
            at = self.places[site][self.seen[site]]
            self.seen[site] += 1
        for atom in stm.expr.args if times == 1 else stm.outs:
            counters = self.moved(b, atom, counters, at, times)
            at += _slots(atom.type)
        return counters

    def expr(self, stm: Stm, counters: Var) -> Call | If | For | While:
        expr = stm.expr
        if isinstance(expr, Call):
            return replace(expr, args=(counters, *expr.args))
        assert isinstance(expr, If | For | While)
        if isinstance(expr, If):
            return cast(
                "If", with_blocks(expr, tuple(self.handed(b, counters) for b in blocks(expr)))
            )
        inside = self.names.var("counters", _COUNTERS)
        carried, inits = (inside, *expr.carried), (counters, *expr.inits)
        body = self.handed(expr.body, inside)
        if isinstance(expr, While):
            return replace(expr, carried=carried, inits=inits, body=body)
        return replace(expr, carried=carried, inits=inits, body=body, block=False)

    def handed(self, block: Block, counters: Var) -> Block:
        """A block whose first result are the counters."""
        inner, last = self.block(block, counters)
        return Block(inner.stms, (last, *inner.results))

    def moved(self, b: Builder, atom: Atom, counters: Var, at: int, times: int) -> Var:
        """The counters of a value, which is put on the tape 1 or -1 times."""
        # The extents of what is taken off have names after that only.
        dims = self.table.of(atom) if times == 1 else None
        dims = b.dims(atom) if dims is None else dims
        elements: Atom = ilit(times)
        for dim in dims:
            elements = b.mul(elements, dim)
        counters = _changed(b, counters, at, "add", ilit(times))
        counters = _changed(b, counters, at + 1, "add", elements)
        for k, dim in enumerate(dims):
            part = b.mul(ilit(times), dim)
            counters = _changed(b, counters, at + 2 + k, "add", part)
            counters = _changed(b, counters, at + 2 + len(dims) + k, "maximum", dim)
        return counters


def _changed(b: Builder, counters: Var, place: int, op: str, value: Atom) -> Var:
    before = b.prim("index", counters, ilit(place), checked=False, span=None)
    after = b.prim(op, before, value)
    return b.prim(
        "update", counters, after, ilit(place), hint="counters", checked=False, span=None
    )  # fmt: skip
