"""Counting programs: how much a forward sweep puts on the tape, without a tape.

One array of counters goes through every function that records something: as a parameter and a
result of functions, carried by loops, a result of branches. What is recorded becomes a change of
the counters. Then whatever no size, number of iterations or branch depends on is dead code, so
that most of the arithmetic goes; what is left runs once on the user's arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from retrograd.api.calls.runner import Runner
from retrograd.api.compile.artefact import linked
from retrograd.api.compile.derive import Task
from retrograd.api.compile.known import known
from retrograd.api.compile.native import image_of
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
    Prim,
    Program,
    Stm,
    Var,
    While,
    ilit,
)
from retrograd.ir.traverse import blocks, free_vars_expr, stms_deep, supply_for, with_blocks
from retrograd.ir.types import DType, Type
from retrograd.transforms.ad.vjp.shaping import ShapeTable, with_explicit_shapes
from retrograd.transforms.analysis.effects import reachable, reaching
from retrograd.transforms.optimise.dce import eliminate_dead_code
from retrograd.transforms.optimise.simplify import simplify
from retrograd.transforms.passes import Pass, run_pipeline
from retrograd.transforms.pipelines import UNNEEDED

__all__ = ["Count", "counted", "forward_of", "is_tape", "pushed"]

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
        shape: its extents, None where they differ between times, or it is never recorded.
    """

    times: int
    bytes: int
    words: int
    shape: tuple[int, ...] | None


def is_tape(stm: Stm, op: str) -> bool:
    """Whether a statement is a `push`, or a `pop`."""
    return isinstance(stm.expr, Prim) and stm.expr.op == op


def forward_of(program: Program, cotangents: Sequence[Var] = ()) -> Program:
    """The entry up to where it takes something off the tape or reads a cotangent, without results.

    A sweep back that is one with the sweep ahead, which reads cotangents, records nothing for it.
    """
    given = frozenset(cotangents)
    back = _touching(program, "pop")
    ahead = _touching(program, "push")
    stms: list[Stm] = []
    for stm in program.main.body.stms:
        if isinstance(stm.expr, Call) and stm.expr.function in back - ahead:
            break
        whole = isinstance(stm.expr, Call) and stm.expr.function in ahead
        if is_tape(stm, "pop") or (not whole and not given.isdisjoint(_read(stm))):
            break
        stms.append(stm)
    main = replace(program.main, body=Block(tuple(stms), ()))
    functions = (main if f.name == program.entry else f for f in program.functions)
    return Program(tuple(functions), program.entry)


def _read(stm: Stm) -> frozenset[Var]:
    return frozenset(free_vars_expr(stm.expr))


def _touching(program: Program, op: str) -> frozenset[str]:
    """The functions that push, or pop, themselves or in what they call."""
    return reaching(program.functions, lambda f: any(is_tape(stm, op) for stm in stms_deep(f.body)))


def pushed(forward: Program) -> Iterator[tuple[Function, Stm, int, Atom]]:
    """Each thing that is recorded: the function, the statement, the position there, the value."""
    kept = reachable(forward)
    for function in forward.functions:
        if function.name in kept:
            for stm in stms_deep(function.body):
                if isinstance(stm.expr, Prim) and stm.expr.op == "push":
                    for k, atom in enumerate(stm.expr.args):
                        yield function, stm, k, atom


def counted(task: Task, forward: Program, given: Sequence[Any]) -> list[Count] | None:
    """What is recorded in a run of a forward sweep, in the order of `pushed`.

    None where the sweep takes something off the tape again: it holds the whole of a derivative,
    and no more than a part of what it records is there at the end.
    """
    kept = reachable(forward)
    forward = Program(tuple(f for f in forward.functions if f.name in kept), forward.entry)
    if _touching(forward, "pop"):
        return None
    every = [atom for *_, atom in pushed(forward)]
    if not every:
        return []
    program = run_pipeline(_PASSES, _counting(forward, every), known(), check=False)
    lone = Task(program, task.args, TupleSpec(()))
    (counters,) = Runner(linked(image_of(lone, program), 0.0), False)(given)
    values = cast("list[int]", counters.tolist())
    found: list[Count] = []
    at = 0
    for atom in every:
        found.append(_count(atom.type, values[at : at + _slots(atom.type)]))
        at += _slots(atom.type)
    return found


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


def _counting(forward: Program, every: Sequence[Atom]) -> Program:
    names = supply_for(forward)
    counting = _Counting(names, _touching(forward, "push"), forward.entry)
    functions = tuple(map(counting.function, forward.functions))
    size = sum(_slots(atom.type) for atom in every)
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
    """Gives functions that push the counters; `at` is where those of the next value are."""

    names: NameSupply
    pushing: frozenset[str]
    entry: str
    at: int = 0
    table: ShapeTable = field(default_factory=ShapeTable)

    def function(self, function: Function) -> Function:
        if function.name not in self.pushing:
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
                for atom in stm.expr.args:
                    counters = self.counts(b, atom, counters)
                stms += b.stms
            else:
                given, counters = counters, self.names.var("counters", _COUNTERS)
                stms.append(replace(stm, outs=(counters, *stm.outs), expr=self.expr(stm, given)))
        return Block(tuple(stms), block.results), counters

    def records(self, stm: Stm) -> bool:
        if isinstance(stm.expr, Call):
            return stm.expr.function in self.pushing
        inner = (s for block in blocks(stm.expr) for s in block.stms)
        return is_tape(stm, "push") or any(map(self.records, inner))

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

    def counts(self, b: Builder, atom: Atom, counters: Var) -> Var:
        """Counts one value that is recorded."""
        dims = self.table.of(atom)
        dims = b.dims(atom) if dims is None else dims
        elements: Atom = ilit(1)
        for dim in dims:
            elements = b.mul(elements, dim)
        counters = _changed(b, counters, self.at, "add", ilit(1))
        counters = _changed(b, counters, self.at + 1, "add", elements)
        for k, dim in enumerate(dims):
            counters = _changed(b, counters, self.at + 2 + k, "add", dim)
            counters = _changed(b, counters, self.at + 2 + len(dims) + k, "maximum", dim)
        self.at += _slots(atom.type)
        return counters


def _changed(b: Builder, counters: Var, place: int, op: str, value: Atom) -> Var:
    before = b.prim("index", counters, ilit(place), checked=False, span=None)
    after = b.prim(op, before, value)
    return b.prim(
        "update", counters, after, ilit(place), hint="counters", checked=False, span=None
    )  # fmt: skip
