"""What runs of executions with a budget leave on the tape, counted in the whole program.

A derivative may stand in a loop, in a branch, or in what another one differentiates, and record
something else each time. So nothing stops where a reverse sweep begins: one array of counters goes
through the program, with what there is on the tape of each execution and of each of its values, and
the most that there was. What a reverse sweep takes off is not looked at: where it begins, counters
are again what they were before its forward sweep; where a run of an execution ends, those of the
execution are what they were before the run. Then what no size, number of iterations and branch
depends on is dead code, the tape included.

Mostly only sizes decide. Then the program does nothing but arithmetic with extents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from retrograd.api.compile.derive import Task
from retrograd.api.compile.known import known
from retrograd.api.saving.attribution import Owner, owners_of
from retrograd.api.saving.by_sizes import decided_by_sizes
from retrograd.api.saving.counted_work import Work, work_of
from retrograd.api.saving.counting import reduced, results_of
from retrograd.api.saving.ends_of_runs import Run, ends_of_runs
from retrograd.api.saving.extents import Extents, carries_extents, with_extents
from retrograd.api.saving.sweeps import is_tape, site_of
from retrograd.api.saving.tape_effects import Effects, Entry, effects_of
from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Expr,
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
)  # fmt: skip
from retrograd.ir.traverse import blocks, free_vars, stms_deep, supply_for, with_blocks
from retrograd.ir.types import DType, Type
from retrograd.transforms.analysis.effects import reaching
from retrograd.transforms.silence import silenced

__all__ = ["Recorded", "counted_runs"]

_COUNTERS = Type(DType.I64, 1)
_TOTAL = Owner()


@dataclass(frozen=True, slots=True)
class Recorded:
    """The most bytes that there are on the tape in a run of a program.

    Attributes:
        total: of all.
        runs: of what one run of an execution leaves, by its name.
        values: of the times of one value in one run.
        work: the additions that all times of a value in one run take, of those that are counted.
    """

    total: int
    runs: Mapping[str, int]
    values: Mapping[Owner, int]
    work: Mapping[Owner, float]


def counted_runs(
    task: Task, program: Program, cotangents: range, given: Sequence[Any], only_sizes: bool
) -> Recorded | None:
    """What a program records when it is run with arguments.

    None where a cotangent decides that; with `only_sizes` where anything but extents and ints does.

    Args:
        task: what the program was made of.
        program: the program that is run, without derivative nodes.
        cotangents: the places of those among its arguments.
        given: the arguments.
        only_sizes: nothing else is to be calculated for it.
    """
    counting = _counting(_without_blocks(silenced(program)))
    if counting is None:
        return None
    slots = tuple(counting.slots)
    whole = counting.program()
    made = decided_by_sizes(whole)
    if made is None:
        made = None if only_sizes else reduced(whole)
    if made is None:
        return None
    read = free_vars(made.main.body)
    if any(made.main.params[k] in read for k in cotangents):
        return None
    (counters,) = results_of(task, made, given)
    most = cast("list[int]", counters.tolist())[len(slots) :]
    found = dict(zip(slots, most, strict=True))
    runs = {o.execution: found[o] for o in slots if o == Owner(o.execution) != _TOTAL}
    values = {o: found[o] for o in slots if o.number}
    return Recorded(found[_TOTAL], runs, values, counting.work.by_value(found))


def _counting(program: Program) -> _Counting | None:
    names = supply_for(program)
    program, extents = with_extents(program, names)
    effects = effects_of(program)
    if effects is None:
        return None
    owners, of_site = owners_of(program), dict[Param, set[Owner]]()
    for stm in (s for f in program.functions for s in stms_deep(f.body)):
        if _counts(stm):
            whose = (o for owner in owners[id(stm)] for o in _slots_of(owner))
            of_site.setdefault(site_of(stm), set()).update(whose)
    executions = {o.execution for own in of_site.values() for o in own} - {""}
    numbers = {
        e: {
            site: frozenset(o.number for o in own if o.execution == e and o.number)
            for site, own in of_site.items() if Owner(e) in own
        }
        for e in sorted(executions)
    }  # fmt: skip
    work = work_of(program, extents)
    slots = sorted({_TOTAL, *work.counters()}.union(*of_site.values()), key=_ordered)

    def counts(function: Function) -> bool:
        return any(map(_counts, stms_deep(function.body))) or work.within(function.body)

    counted = reaching(program.functions, counts)
    return _Counting(
        program, names, effects, owners, of_site, ends_of_runs(program, effects, numbers), extents,
        work, {owner: k for k, owner in enumerate(slots)},
        {name: names.name(f"{name}_counted") for name in sorted(counted)},
    )  # fmt: skip


def _without_blocks(program: Program) -> Program:
    """The program with loops that put values on the tape one by one: those that count cannot put a
    block there, so none may expect one, also where a reverse sweep decides what is counted."""

    def block(found: Block) -> Block:
        return Block(tuple(map(stm, found.stms)), found.results)

    def stm(found: Stm) -> Stm:
        inner = tuple(map(block, blocks(found.expr)))
        expr = with_blocks(found.expr, inner) if inner else found.expr
        expr = replace(expr, block=False) if isinstance(expr, For) else expr
        return replace(found, expr=expr)

    functions = tuple(replace(f, body=block(f.body)) for f in program.functions)
    return Program(functions, program.entry)


def _ordered(owner: Owner) -> tuple[str, str, int]:
    return owner.execution, owner.number, owner.group


def _slots_of(owner: Owner) -> list[Owner]:
    """The counters of a value: of all, of its execution, and its own."""
    return list(dict.fromkeys((_TOTAL, Owner(owner.execution), owner)))


def _counts(stm: Stm) -> bool:
    """Whether a statement puts something on the tape that is counted: no second run does."""
    return is_tape(stm, "push") and not stm.prov.rerun and not carries_extents(stm)


@dataclass(slots=True)
class _Counting:
    """Gives the functions that record the counters; `renamed` are those, with their new names.

    `of_site` are the counters that a site changes, `ends` the runs that end in blocks
    (`ends_of_runs`), `extents` those of the arrays of each function, `work` counts elements.
    `slots` are the places of counters; as many of the most that there was follow.
    """

    whole: Program
    names: NameSupply
    effects: Effects
    owners: Mapping[int, tuple[Owner, ...]]
    of_site: Mapping[Param, set[Owner]]
    ends: Mapping[int, Sequence[Run]]
    extents: Mapping[str, Extents]
    work: Work
    slots: Mapping[Owner, int]
    renamed: Mapping[str, str]
    own: Extents = field(init=False)

    def program(self) -> Program:
        """A program whose result are the counters."""
        made = [self.function(f) for f in self.whole.functions if f.name in self.renamed]
        b = Builder(self.names, known().result_types)
        counters = b.prim("zeros", ilit(2 * len(self.slots)), dtype=DType.I64.value)
        main = self.whole.main
        if main.name in self.renamed:
            call = Call(self.renamed[main.name], (counters, *main.params))
            (counters, *_) = b.bind(call, (_COUNTERS, *main.result_types))
        entry = replace(main, name=self.names.name("counting"), body=b.block((counters,)))
        return Program((entry, *made, *self.whole.functions), entry.name)

    def function(self, function: Function) -> Function:
        self.own = self.extents[function.name]
        counters = self.names.var("counters", _COUNTERS)
        body, last = self.block(function.body, counters)
        return replace(
            function, name=self.renamed[function.name], params=(counters, *function.params),
            body=replace(body, results=(last, *body.results)),
        )  # fmt: skip

    def block(self, block: Block, counters: Var) -> tuple[Block, Var]:
        """The block with the counters as they are at its end."""
        entries, _ = self.effects.matched(block)
        taken = [e for e in entries if e.until is not None and not e.left]
        before: dict[int, list[tuple[int, Var]]] = {}
        runs, begun = self.ends.get(id(block), ()), dict[Run, list[tuple[int, Var]]]()
        b = Builder(self.names, known().result_types)
        for place, stm in enumerate(block.stms):
            b.prov = stm.prov
            for entry in reversed(taken):
                if entry.until == place:
                    for slot, was in before[entry.place]:
                        counters = _set(b, counters, slot, was)
            for entry in taken:
                if entry.place == place:
                    before[place] = [(k, _read(b, counters, k)) for k in self.changed(entry)]
            for run in runs:
                if run.first == place:
                    begun[run] = [(k, _read(b, counters, k)) for k in self.slots_of(run.execution)]
            counters = self.worked(b, block, place, self.stm(b, stm, counters))
            for run in runs:
                if run.last == place:
                    for slot, was in begun[run]:
                        counters = _set(b, counters, slot, was)
        return Block(tuple(b.stms), block.results), counters

    def worked(self, b: Builder, block: Block, place: int, counters: Var) -> Var:
        """Counts what has been calculated, once for all values with the same extents."""
        for owner, dims in self.work.at(block, place):
            counters = self.more(b, owner, [_product(b, dims)], counters)
        return counters

    def slots_of(self, execution: str) -> list[int]:
        return [slot for owner, slot in self.slots.items() if owner.execution == execution]

    def changed(self, entry: Entry) -> list[int]:
        """The counters that a statement changes."""
        owners = set[Owner]().union(*(self.of_site.get(site, ()) for site in entry.sites))
        executions = {owner.execution for owner in owners}
        groups = {o for o in self.slots if o.group and o.execution in executions}
        return sorted(self.slots[owner] for owner in owners | groups)

    def stm(self, b: Builder, stm: Stm, counters: Var) -> Var:
        """Emits a statement that changes the counters, where it does."""
        if _counts(stm):
            b.stms.append(stm)
            return self.pushed(b, stm, counters)
        if not self.records(stm):
            b.stms.append(stm)
            return counters
        after = self.names.var("counters", _COUNTERS)
        b.stms.append(replace(stm, outs=(after, *stm.outs), expr=self.expr(stm.expr, counters)))
        return after

    def records(self, stm: Stm) -> bool:
        if stm.prov.rerun:
            return False
        if isinstance(stm.expr, Call):
            return stm.expr.function in self.renamed
        inner = blocks(stm.expr)
        stms = (s for block in inner for s in block.stms)
        return _counts(stm) or any(map(self.records, stms)) or any(map(self.work.within, inner))

    def expr(self, expr: Expr, counters: Var) -> Expr:
        if isinstance(expr, Call):
            return Call(self.renamed[expr.function], (counters, *expr.args))
        if isinstance(expr, If):
            return with_blocks(expr, tuple(self.handed(b, counters) for b in blocks(expr)))
        assert isinstance(expr, For | While)
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

    def pushed(self, b: Builder, stm: Stm, counters: Var) -> Var:
        assert isinstance(stm.expr, Prim)
        sizes: dict[Owner, list[Atom]] = {}
        for owner, atom in zip(self.owners[id(stm)], stm.expr.args, strict=True):
            size = self.bytes_of(b, atom)
            for counter in _slots_of(owner):
                sizes.setdefault(counter, []).append(size)
        for owner, parts in sizes.items():
            counters = self.more(b, owner, parts, counters)
        return counters

    def more(self, b: Builder, owner: Owner, parts: Sequence[Atom], counters: Var) -> Var:
        """Adds parts to a counter, and notes the most that there has been."""
        slot, most = self.slots[owner], self.slots[owner] + len(self.slots)
        now: Atom = _read(b, counters, slot)
        for part in parts:
            now = b.add(now, part)
        counters = _set(b, counters, slot, now)
        most_now = b.prim("imax", _read(b, counters, most), now)
        return _set(b, counters, most, most_now)

    def bytes_of(self, b: Builder, atom: Atom) -> Atom:
        """Bytes of a value on the tape, with an array's address and extents."""
        type_ = atom.type
        if type_.is_scalar:
            return ilit(max(type_.dtype.size, 8))
        size = _product(b, (ilit(type_.dtype.size), *self.own.of(atom)))
        return b.add(size, ilit(8 * (1 + type_.rank)))


def _product(b: Builder, factors: Sequence[Atom]) -> Atom:
    product: Atom = ilit(1)
    for factor in factors:
        product = b.mul(product, factor)
    return product


def _read(b: Builder, counters: Var, place: int) -> Var:
    return b.prim("index", counters, ilit(place), checked=False, span=None)


def _set(b: Builder, counters: Var, place: int, value: Atom) -> Var:
    return b.prim(
        "update", counters, value, ilit(place), hint="counters", checked=False, span=None
    )  # fmt: skip
