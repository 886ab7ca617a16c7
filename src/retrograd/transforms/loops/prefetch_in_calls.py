"""Software prefetching across calls: a forward sweep asks for what its reverse adds to.

    for i < n:                                  for i < n:
        .. = call forward(.., i)                    .. = call forward(.., i, a_bar)
        a_bar = call reverse(a_bar, .., i)          a_bar = call reverse(a_bar, .., i)

Where an iteration of a map is run and then taken back, the forward sweep may find out by a search
which elements it needs, and the reverse sweep adds to their cotangents: at random, so that each
addition waits for memory. The forward sweep knows the place first, and asks.

Asked is only in blocks that have loops in them, beside which an instruction does not count. A
place is what both sweeps calculate in the same way from the same values, or what the one has put on
the tape for the other (`retrograd.transforms.analysis.index_origins`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    For,
    Function,
    Prim,
    Program,
    Stm,
    Var,
    While,
    ilit,
)
from retrograd.ir.traverse import blocks, with_blocks
from retrograd.ir.types import I64
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.effects import called_once
from retrograd.transforms.analysis.index_origins import Key, Origins
from retrograd.transforms.passes import per_function

__all__ = ["prefetch_in_calls"]


def prefetch_in_calls(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program whose forward sweeps ask for cotangents that their reverse adds to."""
    search = _Search(names, prims, called_once(program))
    done = per_function(program, lambda f: replace(f, body=search.block(f.body, looped=False)))
    return per_function(done, search.asked) if search.asking else program


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Elements, or rows, of an array of the caller's that a reverse sweep adds to."""

    array: Var
    places: tuple[Key, ...]


@dataclass(slots=True)
class _Search:
    """`alone` are the functions that nothing but one call knows; `asking` has what some of them ask
    for."""

    names: NameSupply
    prims: PrimitiveSet
    alone: Mapping[str, Function]
    asking: dict[str, _Asks] = field(default_factory=dict[str, "_Asks"])

    def block(self, block: Block, looped: bool) -> Block:
        """A block whose calls hand cotangents to the functions that ask for them."""
        stms = list(block.stms)
        calls = [k for k, s in enumerate(stms) if isinstance(s.expr, Call)] if looped else []
        for one, other in pairwise(calls):
            given = self.pair(stms, one, other)
            if given is not None:
                stms[one] = replace(stms[one], expr=given)
        found: list[Stm] = []
        for stm in stms:
            loop = isinstance(stm.expr, For | While)
            inner = tuple(self.block(b, loop) for b in blocks(stm.expr))
            found.append(replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm)
        return replace(block, stms=tuple(found))

    def asked(self, function: Function) -> Function:
        """A function that has been looked into, with what it asks for."""
        asks = self.asking.get(function.name)
        if asks is None:
            return function
        more = (var for array, var in asks.given.items() if array in asks.used)
        body = asks.block(function.body, function.params)
        return replace(function, params=(*function.params, *more), body=body)

    def pair(self, stms: Sequence[Stm], one: int, other: int) -> Call | None:
        """The first of two calls, which hands over what the function asks for."""
        ahead, back = stms[one].expr, stms[other].expr
        assert isinstance(ahead, Call)
        assert isinstance(back, Call)
        forward, reverse = self.alone.get(ahead.function), self.alone.get(back.function)
        if forward is None or reverse is None:
            return None
        around = Origins(self.prims)
        first, then = Origins(self.prims), Origins(self.prims)
        first.call(forward.params, ahead.args, around)
        _learned(forward.body, first, 0)
        then.call(reverse.params, back.args, around)
        then.pushed = first.pushed
        later = {out for s in stms[one:other] for out in s.outs}
        theirs = {a for a in back.args if isinstance(a, Var)} - later
        wanted = [w for w in _written(reverse.body, then, 0) if w.array in theirs]
        if not wanted:
            return None
        given = {w.array: self.names.var(w.array.name, w.array.type) for w in wanted}
        asks = _Asks(self.names, self.prims, first, wanted, given)
        asks.block(forward.body, forward.params)
        if not asks.used:
            return None
        self.asking[forward.name] = asks
        used = [a for a in given if a in asks.used]
        return replace(ahead, args=(*ahead.args, *used))


def _learned(block: Block, origins: Origins, depth: int) -> None:
    """Notes what all integers of a block are made of."""
    for stm in block.stms:
        if isinstance(stm.expr, Prim):
            origins.learn(stm, stm.expr)
        elif isinstance(stm.expr, For):
            origins.enter(stm.expr, depth)
            _learned(stm.expr.body, origins, depth + 1)


def _written(block: Block, origins: Origins, depth: int) -> Iterator[_Wanted]:
    """What a block adds to arrays of the caller's, by element or row."""
    for stm in block.stms:
        expr = stm.expr
        if isinstance(expr, For):
            origins.enter(expr, depth)
            yield from _written(expr.body, origins, depth + 1)
        elif isinstance(expr, Prim):
            changed = expr.args[0] if _adds(expr, origins.prims) else None
            array = origins.outside.get(changed) if isinstance(changed, Var) else None
            if isinstance(array, Var):
                yield _Wanted(array, tuple(map(origins.key, expr.args[2:])))
            origins.learn(stm, expr)


def _adds(expr: Prim, prims: PrimitiveSet) -> bool:
    """Whether it adds to an element or to whole rows."""
    access = prims[expr.op].facts.access
    if access is None or not access.writes or access.places != 2:
        return False
    spec = "" if access.element else str(expr.param("spec"))
    return spec == "i" * spec.count("i") + "a" * spec.count("a")


@dataclass(slots=True)
class _Asks:
    """Puts requests into a forward sweep. `given` is what it calls the caller's arrays."""

    names: NameSupply
    prims: PrimitiveSet
    origins: Origins
    wanted: Sequence[_Wanted]
    given: Mapping[Var, Var]
    used: set[Var] = field(default_factory=set[Var])

    def block(self, block: Block, known: Sequence[Var]) -> Block:
        """A block with requests at its end; `known` are the variables from outside."""
        before = list(known)
        own: set[Var] = set()
        stms: list[Stm] = []
        busy = False
        for stm in block.stms:
            busy = busy or isinstance(stm.expr, For | While | Call)
            if isinstance(stm.expr, For):
                body = self.block(stm.expr.body, (*before, stm.expr.index))
                stm = replace(stm, expr=replace(stm.expr, body=body))
            stms.append(stm)
            before += stm.outs
            own.update(stm.outs)
        requests = self.requests(before, own) if busy else []
        return replace(block, stms=(*stms, *requests))

    def requests(self, known: Sequence[Var], own: set[Var]) -> list[Stm]:
        """Statements that ask for what is in places that this block finds out."""
        at = {self.origins.key(v): v for v in known if v.type == I64}
        b = Builder(self.names, self.prims.result_types)
        for one in dict.fromkeys(self.wanted):
            found = [p for key in one.places if (p := _placed(key, at)) is not None]
            if len(found) == len(one.places) and not own.isdisjoint(found):
                self.used.add(one.array)
                self.ask(b, self.given[one.array], found)
        return b.stms

    def ask(self, b: Builder, array: Var, places: Sequence[Atom]) -> None:
        """Asks for the first and the last element of a row."""
        rest = range(len(places), array.type.rank)
        b.bind(Prim("prefetch", (array, *places, *(ilit(0) for _ in rest))), ())
        if rest:
            lasts = [b.prim("sub", b.prim("dim", array, axis=k), ilit(1)) for k in rest]
            b.bind(Prim("prefetch", (array, *places, *lasts)), ())


def _placed(key: Key, at: Mapping[Key, Var]) -> Atom | None:
    """The number, or the variable, of an origin."""
    match key:
        case ("is", int(number)):
            return ilit(number)
        case _:
            return at.get(key)
