"""Where the forward sweeps of a program's derivatives end, one after the other.

A derivative may stand in a function that is called, in a loop over directions, or after another
one. For each of them there is a program that stops where its reverse sweep begins; of a loop around
it that does one iteration, which all others are like.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from retrograd.api.saving.sweeps import Sites, Sweeps, sites_of_functions, sites_of_stms
from retrograd.ir.formers import unhandled
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Block,
    Call,
    For,
    Function,
    If,
    Jvp,
    Param,
    Prim,
    Program,
    Stm,
    Vjp,
    While,
    flit,
    ilit,
)
from retrograd.ir.traverse import blocks, callees_of, stms_deep, supply_for
from retrograd.ir.types import I64
from retrograd.transforms.analysis.effects import reachable

__all__ = ["each_runs_alike", "inner_sweeps"]


def each_runs_alike(program: Program) -> bool:
    """Whether a program has derivatives, and each of them records the same whenever it runs.

    So it is outside of loops, but for those over directions, outside of branches, and outside of
    other derivatives.
    """
    seen: set[tuple[str, bool]] = set()
    found = list[bool]()

    def walk(block: Block, apart: bool) -> None:
        for stm in block.stms:
            expr = stm.expr
            if isinstance(expr, Vjp):
                inner = reachable(replace(program, entry=expr.function))
                stms = (s for name in inner for s in stms_deep(program.function(name).body))
                found.append(apart and not any(isinstance(s.expr, Vjp) for s in stms))
            elif isinstance(expr, Call | Jvp):
                for name in callees_of(expr):
                    if (name, apart) not in seen:
                        seen.add((name, apart))
                        walk(program.function(name).body, apart)
            alike = apart and isinstance(expr, For) and expr.directions
            for inner_block in blocks(expr):
                walk(inner_block, alike)

    walk(program.main.body, True)
    return bool(found) and all(found)


def inner_sweeps(program: Program) -> list[Sweeps] | None:
    """The forward sweep of each derivative of a program without arguments that are cotangents.

    None where one of them is in a branch or a `while` loop.
    """
    work = _Walk(program, sites_of_functions(program), supply_for(program))
    try:
        return list(work.of_main())
    except _Unknown:
        return None


class _Unknown(Exception):
    """A derivative that may not be run."""


@dataclass(frozen=True, slots=True)
class _Ahead:
    """Statements up to where a reverse sweep begins, with functions that they need, and the sites
    of what it takes off."""

    stms: tuple[Stm, ...]
    functions: tuple[Function, ...]
    popped: frozenset[Param]


@dataclass(frozen=True, slots=True)
class _Walk:
    program: Program
    sites: Mapping[str, Sites]
    names: NameSupply

    def of_main(self) -> Iterator[Sweeps]:
        main = self.program.main
        for ahead in self.block(main.body):
            own = replace(main, body=Block(ahead.stms, ()))
            others = (f for f in self.program.functions if f.name != main.name)
            program = Program((own, *others, *ahead.functions), main.name)
            done = sites_of_stms(ahead.stms, sites_of_functions(program))
            left = done.pushed & ahead.popped
            yield Sweeps(program, (), ahead.stms, (), left, left & done.popped, ())

    def block(self, block: Block) -> Iterator[_Ahead]:
        """What comes before each reverse sweep that begins in a block."""
        open_ = frozenset[Param]()
        for place, stm in enumerate(block.stms):
            own = sites_of_stms((stm,), self.sites)
            before = block.stms[:place]
            if own.popped & open_:
                rest = sites_of_stms(block.stms[place:], self.sites)
                yield _Ahead(before, (), rest.popped)
            elif own.pushed & own.popped:
                for ahead in self.inside(stm):
                    yield replace(ahead, stms=(*before, *ahead.stms))
            open_ = (open_ | own.pushed) - own.popped

    def inside(self, stm: Stm) -> Iterator[_Ahead]:
        """A statement that stops where a reverse sweep inside of it begins."""
        match stm.expr:
            case Call() as expr:
                function = self.program.function(expr.function)
                for ahead in self.block(function.body):
                    name = self.names.name(function.name)
                    made = replace(function, name=name, body=Block(ahead.stms, ()))
                    call = Stm((), replace(expr, function=name), stm.prov)
                    yield replace(ahead, stms=(call,), functions=(made, *ahead.functions))
            case For() as expr:
                for ahead in self.block(expr.body):
                    once = self.names.var("once", I64)
                    first = Stm((once,), Prim("imin", (expr.trips, ilit(1))), stm.prov)
                    results = (*expr.carried, *[flit(0.0)] * expr.sums)
                    loop = replace(expr, trips=once, body=Block(ahead.stms, results))
                    yield replace(ahead, stms=(first, replace(stm, expr=loop)))
            case If() | While():
                raise _Unknown
            case Prim() | Jvp() | Vjp():
                return
            case _:
                unhandled(stm.expr)
