"""Rows that lie one after the other: what is added to their elements is stored, once each.

    x = zeros(n)                            if starts rise from 0 at least to n at most:
    for r < rows with (x):                      x = zeros_around(n, starts[0], starts[rows])
        for i < starts[r + 1] - starts[r]:      for r < rows with (x):
            k = wrap(starts[r] + i, n)              for i < starts[r + 1] - starts[r]:
            add_at(x, v, k)                             k = starts[r] + i
                                                        update(x, 0 + v, k)
                                            else: as it was

The reverse sweep of a product with a sparse matrix adds to the cotangents of its elements, row by
row, and that of a scan part by part. Nothing in the program says that the starts of rows rise, or
that a part begins where the one before ends. Where they do, which a look at them tells, no element
is met twice, and none between the first and the last row is left out: they need not be cleared
before, and what they are is stored. No index comes round then. Until an element is stored, what its
iteration recorded waits in it (`row_states`).

The loop over rows may be in blocks, of which another loop has the numbers, as sweeps that are one
loop are. A body that is a function, as one that is run again, stands in the loop where that helps.
Loops are as they were where no array is filled in this way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
    flit,
    ilit,
)
from retrograd.ir.traverse import (
    blocks,
    defined_in,
    freshen_block,
    mentions,
    stms_deep,
    substitute,
    with_blocks,
)
from retrograd.ir.types import F64, Type
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.shape import ALL_ZEROS
from retrograd.transforms.analysis.affine import Forms, forms_of, linear, resolved
from retrograd.transforms.analysis.bounds import Linear
from retrograd.transforms.analysis.effects import callees, reachable
from retrograd.transforms.loops.row_ranges import Parts, Ranges, Starts, formulas
from retrograd.transforms.loops.row_states import RowStates
from retrograd.transforms.passes import per_function

__all__ = ["store_rising_rows"]


def store_rising_rows(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program whose sums of zero and one term by rows are stored where the rows rise."""
    table = {f.name: f for f in program.functions}

    def one(function: Function) -> Function:
        if not any(_is_zeros(stm) for stm in stms_deep(function.body)):
            return function
        made, uses = defined_in(function.body), mentions(function.body)
        search = _Search(names, prims, made, uses, program, table)
        return function.with_body(search.block(function.body))

    return per_function(program, one)


def _is_zeros(stm: Stm) -> bool:
    """Whether it makes a vector of zeros."""
    one = isinstance(stm.expr, Prim) and stm.expr.op in ALL_ZEROS
    return one and stm.outs[0].type == Type(F64.dtype, 1)


def _extent(zeros: Stm) -> Atom:
    """That of such a vector."""
    assert isinstance(zeros.expr, Prim)
    return zeros.expr.args[0]


@dataclass(frozen=True, slots=True)
class _Filling:
    """An array of zeros, to whose elements a nest adds once each: `add` in the loop `element` over
    one of `rows`, from `first` on, at an `index` that comes round, where there is one."""

    zeros: Stm
    rows: Ranges
    element: For
    first: Atom
    add: Stm
    index: Var | None


@dataclass(frozen=True, slots=True)
class _Search:
    """`made` are the operations of a function, `uses` how often each variable is mentioned."""

    names: NameSupply
    prims: PrimitiveSet
    made: Mapping[str, Prim]
    uses: Mapping[Var, int]
    program: Program
    table: Mapping[str, Function]

    def block(self, block: Block) -> Block:
        """A block whose nests have two versions where they fill arrays by rows."""
        zeros: dict[Atom, Stm] = {}
        found: list[Stm] = []
        for stm in block.stms:
            if _is_zeros(stm) and self.uses[stm.outs[0]] == 1:
                zeros[stm.outs[0]] = stm
            given = stm.expr.inits if isinstance(stm.expr, For) else ()
            both = self.versions(stm, [zeros[a] for a in given if a in zeros])
            if both is not None:
                filled, stms = both
                found = [s for s in found if s not in filled] + stms
                continue
            inner = tuple(map(self.block, blocks(stm.expr)))
            found.append(stm.with_expr(with_blocks(stm.expr, inner)) if inner else stm)
        return block.changed(tuple(found), block.results)

    def versions(self, stm: Stm, zeros: Sequence[Stm]) -> tuple[list[Stm], list[Stm]] | None:
        """Arrays of zeros that a nest fills, and what stands for them and the nest."""
        loop = stm.expr
        if not zeros or not isinstance(loop, For):
            return None
        opened = self.opened(loop, [loop.carried[loop.inits.index(z.outs[0])] for z in zeros])
        inside = replace(self, made={**self.made, **defined_in(opened.body)})
        each = [inside.filling(opened, z) for z in zeros]
        fillings = [f for f in each if f is not None]
        if not fillings:
            return None
        first = fillings[0]
        fillings = [f for f in fillings if (f.rows, f.element) == (first.rows, first.element)]
        b = Builder(self.names, self.prims.result_types, stm.prov)
        rises = first.rows.rise(b, list(dict.fromkeys(_extent(f.zeros) for f in fillings)))
        fast, slow = b.inner(), b.inner()
        begin, end = first.rows.ends(fast)
        there: dict[Atom, Atom] = {}
        for filling in fillings:
            around = (_extent(filling.zeros), begin, end)
            made = fast.prim("zeros_around", *around, dtype=F64.dtype.value, rank=1)
            there[filling.zeros.outs[0]] = made
        inits = tuple(there.get(a, a) for a in opened.inits)
        stored = replace(inside.stored(opened, fillings), inits=inits)
        filled = [f.zeros for f in fillings]
        slow.stms.extend(filled)
        branches = If(rises, self.alone(fast, stm, stored), self.alone(slow, stm, loop))
        return filled, [*b.stms, replace(stm, expr=branches)]

    def alone(self, b: Builder, stm: Stm, loop: For) -> Block:
        """A block that ends with a loop, all of whose names are new."""
        outs = tuple(self.names.var(v.name, v.type) for v in stm.outs)
        stms = (*b.stms, replace(stm, outs=outs, expr=loop))
        return freshen_block(Block(stms, outs), self.names, {})

    def opened(self, loop: For, filled: Sequence[Var]) -> For:
        """A loop in whose body the function that fills these arrays stands, where one does."""
        stms: list[Stm] = []
        results: dict[Var, Atom] = {}
        for stm in loop.body.stms:
            if isinstance(stm.expr, Call) and not set(filled).isdisjoint(stm.expr.args):
                callee = self.table[stm.expr.function]
                if callee.custom is None and callee.derivative is None and self.ends(callee):
                    mapping = dict(zip(callee.params, stm.expr.args, strict=True))
                    body = freshen_block(callee.body, self.names, mapping)
                    stms += body.stms
                    results.update(zip(stm.outs, body.results, strict=True))
                    continue
            stms.append(stm)
        if not results:
            return loop
        return replace(loop, body=substitute(Block(tuple(stms), loop.body.results), results))

    def ends(self, function: Function) -> bool:
        """Whether a function does not call itself."""
        inside = (reachable(replace(self.program, entry=name)) for name in callees(function))
        return not any(function.name in names for names in inside)

    def stored(self, loop: For, fillings: Sequence[_Filling]) -> For:
        """A nest whose elements are stored, at indices that do not come round."""
        element = fillings[0].element
        stored = _stored(element, fillings, self.prims, self.names)
        return replace(loop, body=self.in_block(loop.body, element, stored, fillings))

    def in_block(self, block: Block, old: For, new: For, fillings: Sequence[_Filling]) -> Block:
        """A block with another loop over elements, whose states wait in what it fills."""
        stms: list[Stm] = []
        for stm in block.stms:
            if stm.expr is old:
                stms.append(stm.with_expr(new))
                continue
            inner = tuple(self.in_block(b, old, new, fillings) for b in blocks(stm.expr))
            stms.append(stm.with_expr(with_blocks(stm.expr, inner)) if inner else stm)
        made = block.changed(tuple(stms), block.results)
        if all(s.expr is not new for s in stms) or not _outside(fillings[0].first, new):
            return made
        arrays = [f.add.expr.args[0] for f in fillings if isinstance(f.add.expr, Prim)]
        states = RowStates(self.names, self.prims, self.program, self.table)
        return states.in_row(
            made, new, [a for a in arrays if isinstance(a, Var)], fillings[0].first, self.made
        )

    # Which rows a nest goes through.

    def filling(self, loop: For, zeros: Stm) -> _Filling | None:
        """How a nest fills an array of zeros, where it does."""
        return self.filled(loop, loop.inits.index(zeros.outs[0]), zeros, {}, ())

    def filled(
        self, loop: For, k: int, zeros: Stm, forms: Forms, around: tuple[For, ...]
    ) -> _Filling | None:
        """How a nest fills its k-th carried array."""
        var, known = loop.carried[k], {**forms, **forms_of(loop.body)}
        if len(around) > 2 or not _outside(_extent(zeros), loop):
            return None
        writers = [s for s in loop.body.stms if self.changes(s, var)]
        if len(writers) != 1:
            return None
        (stm,) = writers
        if isinstance(stm.expr, For) and var in stm.expr.inits:
            inner = stm.expr.inits.index(var)
            if loop.body.results[k] != stm.outs[inner]:
                return None
            return self.filled(stm.expr, inner, zeros, known, (*around, loop))
        if not around or loop.body.results[k] != (stm.outs or (None,))[0]:
            return None
        return self.element(loop, stm, var, zeros, known, around)

    def changes(self, stm: Stm, var: Var) -> bool:
        """Whether a statement does more with an array than to ask for its memory."""
        if isinstance(stm.expr, Prim):
            return var in stm.expr.args and stm.expr.op != "prefetch"
        inner = blocks(stm.expr)
        given = var in getattr(stm.expr, "inits", ()) or var in getattr(stm.expr, "args", ())
        results = any(var in b.results for b in inner)
        return given or results or any(self.changes(s, var) for b in inner for s in b.stms)

    def element(
        self, loop: For, stm: Stm, var: Var, zeros: Stm, forms: Forms, around: tuple[For, ...]
    ) -> _Filling | None:
        """How a loop over elements fills an array, where it adds to one in each iteration."""
        add = stm.expr
        if not isinstance(add, Prim) or add.op != "add_at" or len(add.args) != 3:
            return None
        if add.args[0] != var or add.args[1] == var or not isinstance(add.args[2], Var):
            return None
        index, place = add.args[2], self.of(add.args[2])
        comes_round = place is not None and place.op == "wrap" and place.args[1] == _extent(zeros)
        if comes_round and place is not None:
            place = self.of(place.args[0])
        if place is None or place.op != "add" or loop.index not in place.args:
            return None
        first = place.args[1 - place.args.index(loop.index)]
        rows = self.starts(first, loop.trips, forms, around)
        rows = self.parts(first, loop.trips, around) if rows is None else rows
        if rows is None:
            return None
        return _Filling(zeros, rows, loop, first, stm, index if comes_round else None)

    def parts(self, first: Atom, trips: Atom, around: tuple[For, ...]) -> Parts | None:
        """Rows that formulas of their number give."""
        outer = around[-1]
        stms = formulas(outer, first, trips, self.prims) if len(around) == 1 else None
        if stms is None:
            return None
        return Parts(outer.index, outer.trips, stms, first, trips, self.names)

    def starts(
        self, first: Atom, trips: Atom, forms: Forms, around: tuple[For, ...]
    ) -> Starts | None:
        """Rows that an array of starts gives, of which each has elements from `first` on."""
        length = self.of(trips)
        if length is None or length.op != "range_len" or length.args[0] != first:
            return None
        if length.args[2] != ilit(1):
            return None
        ends = [self.made.get(getattr(a, "name", "")) for a in length.args[:2]]
        pair = [
            e.args for e in ends if e is not None and e.op == "index" and not e.param("checked")
        ]
        if len(pair) != 2 or len(pair[0]) != 2 or pair[0][0] != pair[1][0]:
            return None
        starts = pair[0][0]
        low, high = (resolved(linear(at, forms), forms) for _, at in pair)
        count = self.count(low, around)
        if count is None or high != low.shift(1) or not isinstance(starts, Var):
            return None
        outer = around[0]
        outside = _outside(starts, outer) and _outside(count, outer)
        return Starts(starts, count) if outside else None

    def count(self, row: Linear, around: tuple[For, ...]) -> Atom | None:
        """How many rows there are, where their numbers are 0, 1 and so on, in some order."""
        *blocked, loop = around
        if not blocked:
            return loop.trips if row == Linear(0, {loop.index.name: 1}) else None
        (outer,) = blocked
        size = row.terms.get(outer.index.name, 0)
        if size < 1 or row != Linear(0, {outer.index.name: size, loop.index.name: 1}):
            return None
        return self.count_in_blocks(outer, loop, size)

    def count_in_blocks(self, outer: For, loop: For, size: int) -> Atom | None:
        """The number of rows in blocks of `size`, the last of which may be shorter."""
        short, blocks = self.args(loop.trips, "imin"), self.args(outer.trips, "floordiv")
        if not short or not blocks:
            return None
        rest, up = self.args(short[0], "sub"), self.args(blocks[0], "add")
        if not rest or not up:
            return None
        begin = self.args(rest[1], "mul")
        if (short[1], blocks[1], *begin) != (ilit(size), ilit(size), outer.index, ilit(size)):
            return None
        return rest[0] if up == (rest[0], ilit(size - 1)) else None

    def args(self, atom: Atom, op: str) -> tuple[Atom, ...]:
        """The operands of what a variable is calculated by; none of another operation."""
        made = self.of(atom)
        return made.args if made is not None and made.op == op else ()

    def of(self, atom: Atom) -> Prim | None:
        """What a variable is calculated by."""
        return self.made.get(atom.name) if isinstance(atom, Var) else None


def _outside(atom: Atom, loop: For) -> bool:
    """Whether an atom is what it is before a loop."""
    if not isinstance(atom, Var):
        return True
    own = {v.name for s in stms_deep(loop.body) for v in (*s.outs, *_bound(s))}
    return atom.name not in own | {v.name for v in (loop.index, *loop.carried)}


def _bound(stm: Stm) -> Iterator[Var]:
    if isinstance(stm.expr, For):
        yield from (stm.expr.index, *stm.expr.carried)


def _stored(loop: For, fillings: Sequence[_Filling], prims: PrimitiveSet, names: NameSupply) -> For:
    """The loop over elements, which stores sums with zero."""
    adds, indices = [f.add for f in fillings], [(f.index,) for f in fillings if f.index]
    places: dict[Var, Atom] = {}
    stms: list[Stm] = []
    for stm in loop.body.stms:
        if stm in adds:
            assert isinstance(stm.expr, Prim)
            array, value, place = stm.expr.args
            b = Builder(names, prims.result_types, stm.prov)
            total = b.prim("add", flit(0.0), value)
            params = (("checked", False), ("span", None))
            stms += [*b.stms, stm.with_expr(Prim("update", (array, total, place), params))]
        elif stm.outs in indices:
            assert isinstance(stm.expr, Prim)
            places[stm.outs[0]] = stm.expr.args[0]
        else:
            stms.append(stm)
    return replace(loop, body=substitute(Block(tuple(stms), loop.body.results), places))
