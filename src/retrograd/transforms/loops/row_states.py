"""States that are run again wait in the elements that take their cotangents.

    call again(first, trips)                for i < trips with (x):
                                                state = ..
                                                x = update(x, state, first + i)
    for i < trips descending with (x):      for i < trips descending with (x):
        state = pop()                           state = index(x, first + i)
        v = .. state ..                         v = .. state ..
        x = update(x, v, first + i)             x = update(x, v, first + i)

A row's iterations are run again, one record each, just before their reverse takes them back. Where
the reverse stores an element in each iteration, and no row meets an element of another one
(`rising_rows`), that element is there to be used until then: what would be recorded is written to
it, and the tape does not grow with the length of a row.

Sites that one statement in the program pushes and another one pops are left out of the order of the
tape together, so it stays that of all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, For, Function, Prim, Program, Stm, Var
from retrograd.ir.traverse import defined_in, freshen_block, stms_deep, substitute
from retrograd.ir.types import F64
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.analysis.demand import site_of
from retrograd.transforms.analysis.effects import prim_effect
from retrograd.transforms.loops.facts import element, pure, stored

__all__ = ["RowStates"]


@dataclass(frozen=True, slots=True)
class RowStates:
    """`program` is the one before rows are stored, `table` its functions by name."""

    names: NameSupply
    prims: PrimitiveSet
    program: Program
    table: Mapping[str, Function]

    def in_row(
        self, block: Block, loop: For, arrays: Sequence[Var], first: Atom, made: Mapping[str, Prim]
    ) -> Block:
        """The block whose loop finds what is run again before it in the arrays that it stores.

        Args:
            block: one with the loop in it; itself where nothing waits in the arrays.
            loop: one that stores element `first + i` of each of the arrays in iteration `i`, and
                does not read it.
            arrays: some of those that the loop carries.
            first: the first of the elements.
            made: the operations that names are calculated by.
        """
        place = next(k for k, s in enumerate(block.stms) if s.expr is loop)
        call = self.called_before(block, place)
        if call is None:
            return block
        expr = block.stms[call].expr
        assert isinstance(expr, Call)
        callee = self.table[expr.function]
        mapping = dict(zip(callee.params, expr.args, strict=True))
        again = freshen_block(callee.body, self.names, mapping)
        known = {**made, **defined_in(again)}
        found = next((s for s in again.stms if self.records(s, loop, known)), None)
        if found is None:
            return block
        assert isinstance(found.expr, For)
        waiting = self.waiting(found.expr, loop, arrays)
        if not waiting:
            return block
        ahead, back = self.both(found, block.stms[place], waiting, first)
        before = [s for k, s in enumerate(block.stms[:place]) if k != call]
        body = [ahead if s is found else s for s in again.stms]
        return block.changed((*before, *body, back, *block.stms[place + 1 :]), block.results)

    def called_before(self, block: Block, place: int) -> int | None:
        """Which statement calls what records for a loop, with numbers alone calculated since."""
        for k in reversed(range(place)):
            stm = block.stms[k]
            if isinstance(stm.expr, Call):
                callee = self.table[stm.expr.function]
                plain = callee.custom is None and callee.derivative is None
                return k if plain and not stm.outs else None
            if not pure(stm, self.prims) or any(not v.type.is_scalar for v in stm.outs):
                return None
        return None

    def records(self, stm: Stm, loop: For, made: Mapping[str, Prim]) -> bool:
        """Whether a loop has the iterations of another one, forwards, and records in them."""
        ahead = stm.expr
        if not isinstance(ahead, For) or ahead.descending or ahead.sums or not loop.descending:
            return False
        return bool(_sites(ahead, "push")) and _same(ahead.trips, loop.trips, made, self.prims)

    def waiting(self, ahead: For, back: For, arrays: Sequence[Var]) -> dict[str | None, list[Var]]:
        """In which arrays the values of which site wait, of those that there is room for."""
        every = [s for f in self.program.functions for s in stms_deep(f.body)]
        times = Counter(_site(s) for s in every)
        pops, free = _sites(back, "pop"), list(arrays)
        found: dict[str | None, list[Var]] = {}
        for site, stm in _sites(ahead, "push").items():
            values = stm.args
            alone = site in pops and times[site] == 2
            if alone and all(a.type == F64 for a in values) and len(values) <= len(free):
                found[site], free = free[: len(values)], free[len(values) :]
        return found

    def both(
        self, found: Stm, stm: Stm, waiting: Mapping[str | None, Sequence[Var]], first: Atom
    ) -> tuple[Stm, Stm]:
        """The loop that runs again and its reverse, with values in elements."""
        ahead, back = found.expr, stm.expr
        assert isinstance(ahead, For)
        assert isinstance(back, For)
        used = [array for arrays in waiting.values() for array in arrays]
        held = {v: self.names.var("waiting", v.type) for v in used}
        after = {v: self.names.var("waiting", v.type) for v in used}
        inits = {v: back.inits[back.carried.index(v)] for v in used}
        forward = replace(
            ahead,
            carried=(*ahead.carried, *held.values()),
            inits=(*ahead.inits, *inits.values()),
            body=self.written(ahead, waiting, held, first),
        )
        reverse = replace(
            back,
            inits=tuple(after.get(v, a) for v, a in zip(back.carried, back.inits, strict=True)),
            body=self.read(back, waiting, first),
        )
        outs = (*found.outs, *after.values())
        return replace(found, outs=outs, expr=_taped(forward)), stm.with_expr(_taped(reverse))

    def written(
        self, loop: For, waiting: Mapping[str | None, Sequence[Var]], held: Mapping[Var, Var],
        first: Atom,
    ) -> Block:  # fmt: skip
        """A body that writes values to elements where it recorded them."""
        now: dict[Var, Var] = dict(held)
        b = Builder(self.names, self.prims.result_types)
        for stm in loop.body.stms:
            arrays = waiting.get(_site(stm))
            if arrays is None:
                b.stms.append(stm)
                continue
            assert isinstance(stm.expr, Prim)
            b.prov = stm.prov
            at = b.prim("add", first, loop.index)
            for array, value in zip(arrays, stm.expr.args, strict=True):
                now[array] = stored(b, now[array], value, at)
        return Block(tuple(b.stms), (*loop.body.results, *now.values()))

    def read(self, loop: For, waiting: Mapping[str | None, Sequence[Var]], first: Atom) -> Block:
        """A body that reads values from elements where it took them back."""
        b = Builder(self.names, self.prims.result_types)
        values: dict[Var, Atom] = {}
        for stm in loop.body.stms:
            arrays = waiting.get(_site(stm))
            if arrays is None:
                b.stms.append(stm)
                continue
            b.prov = stm.prov
            at = b.prim("add", first, loop.index)
            values.update((v, element(b, a, at)) for v, a in zip(stm.outs, arrays, strict=True))
        return substitute(Block(tuple(b.stms), loop.body.results), values)


def _taped(loop: For) -> For:
    """A loop that is a block only where something in it is on the tape."""
    taped = any(_site(stm) is not None for stm in stms_deep(loop.body))
    return replace(loop, block=loop.block and taped)


def _site(stm: Stm) -> str | None:
    """Where a statement pushes or pops."""
    return site_of(stm.expr) if isinstance(stm.expr, Prim) else None


def _sites(loop: For, op: str) -> dict[str | None, Prim]:
    """The pushes or pops that each iteration of a loop does once, by their sites."""
    found = (s for s in loop.body.stms if isinstance(s.expr, Prim) and s.expr.op == op)
    return {_site(s): s.expr for s in found if isinstance(s.expr, Prim)}


def _same(one: Atom, other: Atom, made: Mapping[str, Prim], prims: PrimitiveSet) -> bool:
    """Whether two numbers are calculated in the same way from the same ones."""
    seen: dict[tuple[Atom, Atom], bool] = {}

    def same(a: Atom, b: Atom) -> bool:
        if a == b:
            return True
        if (a, b) not in seen:
            seen[a, b] = calculated(a, b)
        return seen[a, b]

    def calculated(a: Atom, b: Atom) -> bool:
        if not isinstance(a, Var) or not isinstance(b, Var):
            return False
        left, right = made.get(a.name), made.get(b.name)
        if left is None or right is None or left.op != right.op:
            return False
        if prim_effect(left, prims) is not Effect.PURE:
            return False  # such as a record, of which each one taken is another
        if _options(left) != _options(right) or len(left.args) != len(right.args):
            return False
        return all(map(same, left.args, right.args))

    return same(one, other)


def _options(expr: Prim) -> list[tuple[str, object]]:
    """The parameters that say what is calculated, without where it was written."""
    return [(name, value) for name, value in expr.params if name != "span"]
