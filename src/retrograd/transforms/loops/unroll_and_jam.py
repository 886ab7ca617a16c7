"""Unroll and jam: some iterations of a loop share the loop inside it.

    for i: s = 0; for j: s = s + w[i, j] * h[j]; y[i] = s
    for i: for j: y[j] += w[i, j] * h[i]

Eight sums that do not wait for each other take as long as one; four terms that go to one element
take one load and one store. Every sum and every element keeps its order, so no bit changes.

Branches before the inner loop that only raise (`nest.guards`) are looked at first: the blocks that
run side by side end before the first one that would, and the iterations from there on run as they
are written. So errors come at the same place, after the same effects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, If, Lit, Prim, Program, Stm, Var, ilit
from retrograd.ir.traverse import freshen_block
from retrograd.ir.types import F64, I64
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.loops.facts import (
    cost,
    each_loop,
    inlined,
    loop,
    place,
    remainder,
    variables,
    whole_blocks,
)
from retrograd.transforms.loops.nest import Nest, nest_of

__all__ = ["jam_loops", "jammed_together"]


def jam_loops(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Jams every nest for which it is legal and pays."""

    def rewrite(stm: Stm, expr: For) -> list[Stm] | None:
        nest = nest_of(expr, prims)
        size = 0 if nest is None else _size(nest, prims)
        if nest is None or size == 0:
            return None
        conditions = _conditions(nest)
        if conditions is None:
            return None
        b = Builder(names, prims.result_types, stm.prov)
        _emit(b, names, stm, nest, size, conditions)
        return b.stms

    return each_loop(program, rewrite)


def jammed_together(loop: For, prims: PrimitiveSet) -> bool:
    """Whether iterations of a loop are to share the loop inside it."""
    nest = nest_of(loop, prims)
    return nest is not None and _size(nest, prims) > 0 and _conditions(nest) is not None


def _size(nest: Nest, prims: PrimitiveSet) -> int:
    """How many iterations run side by side, 0 where that does not pay."""
    scalars = [v for v in nest.inner.carried if v.type.is_scalar]
    costs = prims.costs
    size = costs.jam_sums if scalars else costs.jam_elements if nest.gathers else 0
    few = isinstance(nest.outer.trips, Lit) and nest.outer.trips.value < size
    short = isinstance(nest.inner.trips, Lit) and nest.inner.trips.value < costs.jam_trips
    stms = (*nest.before, *nest.inner.body.stms, *nest.after)
    heavy = cost(stms, prims) > costs.jam_cost
    # Sums are in lanes already; more of them side by side do not fit in registers. Of rows that are
    # written side by side, LLVM would have to know that they do not overlap.
    kept = len(scalars) > 1 or nest.inner.sums or nest.scatters
    return 0 if few or short or heavy or kept else size


@dataclass(frozen=True, slots=True)
class _Conditions:
    """Statements before a guard that its condition needs, and (condition, value that may raise)."""

    stms: tuple[Stm, ...]
    tests: tuple[tuple[Atom, bool], ...]


def _conditions(nest: Nest) -> _Conditions | None:
    """What decides about the guards; None where that reads an array."""
    tests: list[tuple[Atom, bool]] = []
    for stm in nest.guards:
        assert isinstance(stm.expr, If)
        then, orelse = stm.expr.then, stm.expr.orelse
        if then.stms and orelse.stms:
            return None
        tests.append((stm.expr.cond, bool(then.stms)))
    wanted = set(variables(cond for cond, _ in tests))
    needed: list[Stm] = []
    for stm in reversed(nest.before):
        if wanted.isdisjoint(out.name for out in stm.outs):
            continue
        assert isinstance(stm.expr, Prim)
        if any(not a.type.is_scalar for a in stm.expr.args):
            return None
        needed.append(stm)
        wanted.update(variables(stm.expr.args))
    return _Conditions(tuple(reversed(needed)), tuple(tests))


def _emit(
    b: Builder, names: NameSupply, stm: Stm, nest: Nest, size: int, conditions: _Conditions
) -> None:
    outer = nest.outer
    blocks, done = whole_blocks(b, outer.trips, size)
    if conditions.tests:
        blocks = _first_raising(b, names, nest, size, conditions, blocks)
        done = b.prim("mul", blocks, ilit(size))
    types = [v.type for v in outer.carried]

    def block(inner: Builder, k: Var, carried: tuple[Var, ...]) -> Sequence[Atom]:
        base = inner.prim("mul", k, ilit(size))
        copies = _Copies(inner, names, nest)
        copies.versions.update(zip((v.name for v in outer.carried), carried, strict=True))
        for u in range(size):
            index = place(inner, outer, inner.prim("add", base, ilit(u)))
            copies.maps.append({outer.index: index})
            copies.copy(u, nest.before)
        copies.loop(size)
        for u in range(size):
            copies.copy(u, nest.after)
        return [copies.versions[v.name] for v in outer.carried]

    ends = loop(b, blocks, outer.inits, types, block)
    remainder(b, names, stm, outer, done, ends)


def _first_raising(
    b: Builder, names: NameSupply, nest: Nest, size: int, conditions: _Conditions, blocks: Atom
) -> Atom:
    """The number of the first block in which a guard may raise, `blocks` if none does."""
    conds = [cond for cond, _ in conditions.tests]

    def block(inner: Builder, k: Var, first: tuple[Var, ...]) -> Sequence[Atom]:
        position = inner.prim("mul", k, ilit(size))
        found: Atom = first[0]
        for u in range(size):
            index = place(inner, nest.outer, inner.prim("add", position, ilit(u)))
            made = inlined(inner, names, conditions.stms, conds, {nest.outer.index: index})
            for cond, (_, raising) in zip(made, conditions.tests, strict=True):
                here = inner.prim("imin", found, k)
                yes, no = (here, found) if raising else (found, here)
                found = inner.prim("select", cond, yes, no)
        return (found,)

    return loop(b, blocks, [blocks], [I64], block)[0]


@dataclass(slots=True)
class _Copies:
    """Copies of the parts of a nest in one block: `maps` has the scalars of each iteration.

    `versions` has the version of each changing array at the place that is being written.
    """

    b: Builder
    names: NameSupply
    nest: Nest
    versions: dict[str, Atom] = field(default_factory=dict[str, Atom])
    maps: list[dict[Var, Atom]] = field(default_factory=list["dict[Var, Atom]"])

    def copy(self, u: int, stms: Sequence[Stm]) -> None:
        """Emits statements for iteration `u` of the block."""
        family, known = self.nest.family, self.maps[u]
        for stm in stms:
            assert isinstance(stm.expr, Prim)
            arrays = [a for a in stm.expr.args if isinstance(a, Var) and a.name in family]
            now = {**known, **{a: self.versions[family[a.name]] for a in arrays}}
            copy = freshen_block(Block((stm,), stm.outs), self.names, now)
            self.b.stms.extend(copy.stms)
            for out, new in zip(stm.outs, copy.results, strict=True):
                if out.name in family:
                    self.versions[family[out.name]] = new
                else:
                    known[out] = new

    def at(self, u: int, atom: Atom) -> Atom:
        """An atom of iteration `u`."""
        if not isinstance(atom, Var):
            return atom
        if atom.name in self.nest.family:
            return self.versions[self.nest.family[atom.name]]
        return self.maps[u].get(atom, atom)

    def loop(self, size: int) -> None:
        """The inner loop of all iterations of the block."""
        inner, family = self.nest.inner, self.nest.family
        count = len(inner.carried)
        arrays = [k for k in range(count) if not inner.carried[k].type.is_scalar]
        scalars = [k for k in range(count) if inner.carried[k].type.is_scalar]
        slots = [(u, k) for u in range(size) for k in scalars]
        inits = [self.at(0, inner.inits[k]) for k in arrays]
        inits += [self.at(u, inner.inits[k]) for u, k in slots]
        carried = tuple(self.names.var(inner.carried[k].name, inner.carried[k].type)
                        for k in (*arrays, *(k for _, k in slots)))  # fmt: skip
        index = self.names.var(inner.index.name, I64)
        outside = self.b
        self.b = outside.inner()
        for k, var in zip(arrays, carried, strict=False):
            self.versions[family[inner.carried[k].name]] = var
        for (u, k), var in zip(slots, carried[len(arrays) :], strict=True):
            self.maps[u][inner.carried[k]] = var
        for u in range(size):
            self.maps[u][inner.index] = index
            self.copy(u, inner.body.stms)
        results = [self.at(0, inner.body.results[k]) for k in arrays]
        results += [self.at(u, inner.body.results[k]) for u, k in slots]
        results += [self.at(u, a) for u in range(size) for a in inner.body.results[count:]]
        body, self.b = self.b.block(results), outside
        expr = For(index, inner.trips, carried, tuple(inits), body,
                   sums=size * inner.sums, descending=inner.descending)  # fmt: skip
        types = [*(v.type for v in carried), *(F64,) * expr.sums]
        outs = self.b.bind(expr, types, "r")
        self.bind(outs, arrays, slots)

    def bind(
        self, outs: Sequence[Var], arrays: Sequence[int], slots: Sequence[tuple[int, int]]
    ) -> None:
        """Makes the results of the inner loop known."""
        inner, names = self.nest.inner, self.nest.inner_stm.outs
        for k, out in zip(arrays, outs, strict=False):
            self.versions[self.nest.family[inner.carried[k].name]] = out
        for (u, k), out in zip(slots, outs[len(arrays) :], strict=False):
            self.maps[u][names[k]] = out
        sums = outs[len(arrays) + len(slots) :]
        for place_, out in enumerate(sums):
            u, k = divmod(place_, inner.sums)
            self.maps[u][names[len(inner.carried) + k]] = out
