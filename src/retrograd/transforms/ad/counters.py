"""Carried integers that grow by the same amount in each iteration are read off the loop's index.

A number that a loop carries is another one in each iteration, so the reverse sweep would have to
record it. Iteration k of a counter from `first` has `first + k * step`, which it can calculate.
After the loop it is `first + trips * step`, so the same goes for a counter of the loop around it.

Nothing overflows that did not: where the additions are checked their checks stay, and modulo 2**64
the product is what the sum is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, Lit, Prim, Program, Stm, Var, ilit
from retrograd.ir.traverse import substitute
from retrograd.ir.types import I64
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.loops.facts import each_loop, inlined, pure

__all__ = ["count_by_index"]


def count_by_index(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Replaces the carried counters of counted loops."""

    def rewrite(stm: Stm, expr: For) -> list[Stm] | None:
        return None if expr.directions or expr.descending else _counted(stm, expr, names, prims)

    return each_loop(program, rewrite)


def _counted(stm: Stm, expr: For, names: NameSupply, prims: PrimitiveSet) -> list[Stm] | None:
    """The loop with its counters calculated, between what that takes; None where it has none."""
    if all(var.type != I64 for var in expr.carried):
        return None
    made = {out: s for s in expr.body.stms for out in s.outs}
    look = _Look(expr, prims, made)
    found = {k: steps for k, var in enumerate(expr.carried) if (steps := look.steps(k, var))}
    if not found:
        return None
    before = Builder(names, prims.result_types, stm.prov)
    inner, after = before.inner(), before.inner()
    mapping: dict[Var, Atom] = {}
    outs = list(stm.outs)
    for k, steps in found.items():
        step = _total(before, look, steps)
        mapping[expr.carried[k]] = _reached(inner, expr.inits[k], expr.index, step)
        outs[k] = names.var(stm.outs[k].name, I64)
        trips = after.prim("imax", expr.trips, ilit(0))
        grown = after.prim("mul", trips, step)
        last = Prim("add", (expr.inits[k], grown))
        after.stms.append(Stm((stm.outs[k],), last, stm.prov))
    body = substitute(expr.body, mapping)
    body = Block((*inner.stms, *body.stms), body.results)
    return [*before.stms, Stm(tuple(outs), replace(expr, body=body), stm.prov), *after.stms]


def _reached(b: Builder, first: Atom, index: Atom, step: Atom) -> Atom:
    grown = index if step == ilit(1) else b.prim("mul", index, step)
    return grown if first == ilit(0) else b.prim("add", first, grown)


def _total(b: Builder, look: _Look, steps: list[Atom]) -> Atom:
    """The sum of what an iteration adds, calculated before the loop."""
    total: Atom = ilit(0)
    for step in inlined(b, b.names, look.needed(steps), steps, {}):
        if isinstance(step, Lit) and isinstance(total, Lit):
            total = ilit(int(total.value) + int(step.value))
        else:
            total = step if total == ilit(0) else b.prim("add", total, step)
    return total


@dataclass(slots=True)
class _Look:
    """What a body adds to its carried integers; `made` has its statements by what they bind."""

    loop: For
    prims: PrimitiveSet
    made: Mapping[Var, Stm]

    def steps(self, position: int, start: Var) -> list[Atom]:
        """What the body adds to the value that it is given, all of it known before the loop."""
        if start.type != I64:
            return []
        found = list[Atom]()
        atom = self.loop.body.results[position]
        while atom != start:
            stm = self.made.get(atom) if isinstance(atom, Var) else None
            if stm is None or not isinstance(stm.expr, Prim):
                return []
            op = stm.expr.op
            if op != "add" and self.prims[op].facts.held != "add":
                return []
            one, other = stm.expr.args
            if self.known(one):
                one, other = other, one
            if not self.known(other):
                return []
            found.append(other)
            atom = one
        return found

    def known(self, atom: Atom) -> bool:
        """Whether a value is the same in every iteration, and is calculated without an effect."""
        if isinstance(atom, Lit):
            return True
        if atom == self.loop.index or atom in self.loop.carried:
            return False
        stm = self.made.get(atom)
        if stm is None:
            return True
        plain = pure(stm, self.prims) and isinstance(stm.expr, Prim) and atom.type.is_scalar
        return plain and all(a.type.is_scalar and self.known(a) for a in _args(stm))

    def needed(self, atoms: list[Atom]) -> list[Stm]:
        """The statements of the body that calculate known values, in order."""
        wanted, pending = set[int](), list(atoms)
        while pending:
            atom = pending.pop()
            stm = self.made.get(atom) if isinstance(atom, Var) else None
            if stm is not None and id(stm) not in wanted:
                wanted.add(id(stm))
                pending += _args(stm)
        return [stm for stm in self.loop.body.stms if id(stm) in wanted]


def _args(stm: Stm) -> tuple[Atom, ...]:
    return stm.expr.args if isinstance(stm.expr, Prim) else ()
