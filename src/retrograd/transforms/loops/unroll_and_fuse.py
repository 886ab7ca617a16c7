"""Some iterations of a loop over arrays go through their elements together.

    for k: y = y * x + c[k]; push(y)        for blocks of four: c0, .. = c[4 b], ..
                                                y1 = y * x + c0; ..; y4 = y3 * x + c3
                                                push(y1); ..; push(y4)

An iteration that does no more than elementwise operations reads and writes whole arrays for few of
them. Machine code goes through the elements of statements that follow each other once
(`backends.llvm.element_runs`), so the statements of four iterations are arranged for that: first
numbers and what is taken off the tape, then the arrays, then what is put on the tape and what needs
their sums. Every element, sum and stack has its order, so no bit changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, Function, Lit, Prim, Program, Stm, Var, ilit
from retrograd.ir.traverse import free_vars_expr, freshen_block, stms_deep
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.analysis.effects import prim_effect
from retrograd.transforms.analysis.elements import elements_of
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.analysis.shapes import Extents
from retrograd.transforms.loops.facts import loop, place, plain, remainder, rewritten, whole_blocks
from retrograd.transforms.passes import per_function

__all__ = ["unroll_and_fuse"]


class _Phase(IntEnum):
    """When a statement of a block of iterations is done."""

    NUMBERS = 0
    ELEMENTS = 1
    AFTER = 2


def unroll_and_fuse(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Arranges every loop whose iterations can go through their arrays together."""
    if not any(isinstance(s.expr, For) for f in program.functions for s in stms_deep(f.body)):
        return program
    shapes = agreed_shapes(program, prims)

    def one(function: Function) -> Function:
        found = _Found(names, prims, shapes[function.name].arrays)
        return rewritten(function, found.rewrite)

    return per_function(program, one)


@dataclass(frozen=True, slots=True)
class _Found:
    """Looks for such loops in a function, of whose arrays `extents` are known by name."""

    names: NameSupply
    prims: PrimitiveSet
    extents: Mapping[str, Extents]

    def rewrite(self, stm: Stm, expr: For) -> list[Stm] | None:
        """The loop in blocks of iterations, and what is left of it after them."""
        phases = self.phases(expr)
        if not phases:
            return None
        b = Builder(self.names, self.prims.result_types, stm.prov)
        blocks, done = whole_blocks(b, expr.trips, self.prims.costs.unrolled_iterations)
        types = [v.type for v in expr.carried]

        def block(inner: Builder, k: Var, carried: tuple[Var, ...]) -> Sequence[Atom]:
            size = self.prims.costs.unrolled_iterations
            base = inner.prim("mul", k, ilit(size))
            made = _Iterations(self.names, expr, carried, inner)
            for u in range(size):
                index = place(inner, expr, inner.prim("add", base, ilit(u)))
                made.maps.append({expr.index: index})
            for phase in _Phase:
                for u in range(size):
                    made.copy(u, [one for one, its in phases if its is phase])
            return [made.at(size, v) for v in expr.carried]

        ends = loop(b, blocks, expr.inits, types, block)
        remainder(b, self.names, stm, expr, done, ends)
        return b.stms

    def phases(self, expr: For) -> Sequence[tuple[Stm, _Phase]]:
        """When the statements of each iteration are done; nothing where iterations stay apart."""
        costs = self.prims.costs
        few = isinstance(expr.trips, Lit) and int(expr.trips.value) < costs.unrolled_iterations
        if few or not plain(expr) or expr.directions or expr.rematerialised:
            return ()
        if len(expr.body.stms) > costs.unrolled_statements:
            return ()
        found = self.settled(expr)
        made = {s.outs[0] for s, phase in found if phase is _Phase.ELEMENTS}
        arrays = {a for a in expr.body.results if not a.type.is_scalar}
        extents = {
            elements_of(s, self.prims, self.extents)
            for s, phase in found
            if phase is _Phase.ELEMENTS
        }
        if made.isdisjoint(arrays) or len(extents) > 1 or _late_reads(expr, found, self.prims):
            return ()
        return found

    def settled(self, expr: For) -> Sequence[tuple[Stm, _Phase]]:
        """A statement is done after what it needs, of this iteration and of those before."""
        now: dict[Atom, _Phase] = {}
        for _ in range(2 * len(expr.carried) + 1):
            known, found = dict(now), list[tuple[Stm, _Phase]]()
            for stm in expr.body.stms:
                phase = self.phase(stm, now)
                if phase is None:
                    return ()
                found.append((stm, phase))
                summed = phase is _Phase.ELEMENTS and stm.outs[0].type.is_scalar
                now.update((out, _Phase.AFTER if summed else phase) for out in stm.outs)
            for var, result in zip(expr.carried, expr.body.results, strict=True):
                now[var] = max(_of(var, now), _of(result, now))
            if now == known:
                return found
        return ()

    def phase(self, stm: Stm, now: Mapping[Atom, _Phase]) -> _Phase | None:
        """When a statement is done; None where it would be too late, or where it has effects."""
        expr = stm.expr
        if not isinstance(expr, Prim) or any(out.type.is_bundle for out in stm.outs):
            return None
        needs = max((_of(a, now) for a in expr.args), default=_Phase.NUMBERS)
        if expr.op == "pop":
            return _Phase.NUMBERS
        if expr.op == "push":
            return _Phase.AFTER
        if prim_effect(expr, self.prims) is not Effect.PURE:
            return None
        if elements_of(stm, self.prims, self.extents):
            return None if needs is _Phase.AFTER else _Phase.ELEMENTS
        facts = self.prims[expr.op].facts
        if facts.writes and facts.element:
            return _Phase.AFTER
        arrays = any(not out.type.is_scalar for out in stm.outs)
        return None if arrays or needs is _Phase.ELEMENTS else needs


def _of(atom: Atom, now: Mapping[Atom, _Phase]) -> _Phase:
    return now.get(atom, _Phase.NUMBERS)


def _late_reads(expr: For, found: Sequence[tuple[Stm, _Phase]], prims: PrimitiveSet) -> bool:
    """Whether something is read, or put on the tape, after elements of it have been added to; or
    whether the tape is written and read, so that what is on it has another order."""
    ops = {stm.expr.op for stm, _ in found if isinstance(stm.expr, Prim)}
    added: set[Atom] = set()
    for stm, phase in found:
        if phase is _Phase.ELEMENTS and isinstance(stm.expr, Prim) and prims[stm.expr.op].consumes:
            added.update((stm.expr.args[0], *stm.outs))
    for _ in expr.carried:  # what an iteration hands on may be added to some iterations later
        added.update(r for v, r in zip(expr.carried, expr.body.results, strict=True) if v in added)
    late = (s.expr.args for s, p in found if p is _Phase.AFTER and isinstance(s.expr, Prim))
    mixed = "push" in ops and "pop" in ops
    return mixed or any(not added.isdisjoint(args) for args in late)


@dataclass(frozen=True, slots=True)
class _Iterations:
    """Copies of the statements of a body, for some iterations: `maps` has the values of each, and
    `carried` is what the first of them is given."""

    names: NameSupply
    expr: For
    carried: Sequence[Var]
    b: Builder
    maps: list[dict[Var, Atom]] = field(default_factory=list["dict[Var, Atom]"])

    def at(self, u: int, atom: Atom) -> Atom:
        """What an atom is in iteration number `u`."""
        if not isinstance(atom, Var):
            return atom
        if atom not in self.expr.carried:
            return self.maps[u].get(atom, atom)
        k = self.expr.carried.index(atom)
        return self.carried[k] if u == 0 else self.at(u - 1, self.expr.body.results[k])

    def copy(self, u: int, stms: Sequence[Stm]) -> None:
        """Emits statements for iteration number `u`."""
        for stm in stms:
            now = {v: self.at(u, v) for v in free_vars_expr(stm.expr)}
            copy = freshen_block(Block((stm,), stm.outs), self.names, now)
            self.b.stms.extend(copy.stms)
            self.maps[u].update(zip(stm.outs, copy.results, strict=True))
