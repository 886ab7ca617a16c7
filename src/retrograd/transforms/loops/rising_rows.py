"""Rows that lie one after the other: what is added to their elements is stored, once each.

    x = zeros(n)                            if starts rise from 0 at least to n at most:
    for r < rows with (x):                      x = zeros_around(n, starts[0], starts[rows])
        for i < starts[r + 1] - starts[r]:      for r < rows with (x):
            k = wrap(starts[r] + i, n)              for i < starts[r + 1] - starts[r]:
            add_at(x, v, k)                             k = starts[r] + i
                                                        update(x, 0 + v, k)
                                            else: as it was

The reverse sweep of a product with a sparse matrix adds to the cotangents of its elements, row by
row. Nothing in the program says that the starts of rows rise. Where they do, which a look at them
tells, no element is met twice, and none between the first and the last row is left out: they need
not be cleared before, and what they are is stored. No index comes round then.

The loop over rows may be in blocks, of which another loop has the numbers, as sweeps that are one
loop are. Loops are as they were where no array is filled in this way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, Function, If, Prim, Program, Stm, Var, flit, ilit
from retrograd.ir.traverse import (
    blocks,
    defined_in,
    freshen_block,
    mentions,
    stms_deep,
    substitute,
    with_blocks,
)
from retrograd.ir.types import BOOL, F64, I64, Type
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.shape import ALL_ZEROS
from retrograd.transforms.analysis.affine import Forms, forms_of, linear, resolved
from retrograd.transforms.analysis.bounds import Linear
from retrograd.transforms.passes import per_function

__all__ = ["store_rising_rows"]


def store_rising_rows(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program whose sums of zero and one term by rows are stored where the rows rise."""

    def one(function: Function) -> Function:
        if not any(_is_zeros(stm) for stm in stms_deep(function.body)):
            return function
        search = _Search(names, prims, defined_in(function.body), mentions(function.body))
        return function.with_body(search.block(function.body))

    return per_function(program, one)


def _is_zeros(stm: Stm) -> bool:
    """Whether it makes a vector of zeros."""
    one = isinstance(stm.expr, Prim) and stm.expr.op in ALL_ZEROS
    return one and stm.outs[0].type == Type(F64.dtype, 1)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Which rows a nest goes through: element `first + i` for `i < starts[r + 1] - first`, with
    `first = starts[r]`, for all `r < count`. `element` is the loop over `i`, `add` what adds in it,
    and `index` the index that comes round, where there is one."""

    starts: Var
    count: Atom
    element: For
    add: Stm
    first: Atom
    index: Var | None


@dataclass(frozen=True, slots=True)
class _Search:
    """`made` are the operations of a function, `uses` how often each variable is mentioned."""

    names: NameSupply
    prims: PrimitiveSet
    made: Mapping[str, Prim]
    uses: Mapping[Var, int]

    def block(self, block: Block) -> Block:
        """A block whose nests have two versions where they fill arrays by rows."""
        stms = list(block.stms)
        for k, stm in enumerate(stms):
            if not _is_zeros(stm) or self.uses[stm.outs[0]] != 1:
                continue
            for j in range(k + 1, len(stms)):
                loop = stms[j].expr
                if isinstance(loop, For) and stm.outs[0] in loop.inits:
                    both = self.versions(stm, stms[j], loop)
                    if both is not None:
                        new = [*stms[:k], *stms[k + 1 : j], *both, *stms[j + 1 :]]
                        return block.changed(tuple(new), block.results)
        found: list[Stm] = []
        for stm in stms:
            inner = tuple(map(self.block, blocks(stm.expr)))
            found.append(stm.with_expr(with_blocks(stm.expr, inner)) if inner else stm)
        return block.changed(tuple(found), block.results)

    def versions(self, zeros: Stm, stm: Stm, loop: For) -> list[Stm] | None:
        """What stands for an array of zeros and the nest that fills it."""
        assert isinstance(zeros.expr, Prim)
        (extent,) = zeros.expr.args
        rows = self.filled(loop, loop.inits.index(zeros.outs[0]), extent, {}, ())
        if rows is None:
            return None
        b = Builder(self.names, self.prims.result_types, stm.prov)
        rises = _rises(b, rows, extent)
        fast = b.inner()
        first, end = (
            fast.prim("index", rows.starts, at, checked=False, span=None)
            for at in (ilit(0), rows.count)
        )
        there = fast.prim("zeros_around", extent, first, end, dtype=F64.dtype.value, rank=1)
        inits = tuple(there if a == zeros.outs[0] else a for a in loop.inits)
        stored = replace(_with(loop, rows, self.prims, self.names), inits=inits)
        quick = self.alone(fast, stm, stored)
        slow = b.inner()
        slow.stms.append(zeros)
        return [*b.stms, replace(stm, expr=If(rises, quick, self.alone(slow, stm, loop)))]

    def alone(self, b: Builder, stm: Stm, loop: For) -> Block:
        """A block that ends with a loop, all of whose names are new."""
        outs = tuple(self.names.var(v.name, v.type) for v in stm.outs)
        stms = (*b.stms, replace(stm, outs=outs, expr=loop))
        return freshen_block(Block(stms, outs), self.names, {})

    # Which rows a nest goes through.

    def filled(
        self, loop: For, k: int, extent: Atom, forms: Forms, around: tuple[For, ...]
    ) -> _Rows | None:
        """The rows whose elements a nest adds to its k-th carried array, each once."""
        var, known = loop.carried[k], {**forms, **forms_of(loop.body)}
        if len(around) > 2 or not _outside(extent, loop):
            return None
        writers = [s for s in loop.body.stms if self.changes(s, var)]
        if len(writers) != 1:
            return None
        (stm,) = writers
        if isinstance(stm.expr, For) and var in stm.expr.inits:
            inner = stm.expr.inits.index(var)
            if loop.body.results[k] != stm.outs[inner]:
                return None
            return self.filled(stm.expr, inner, extent, known, (*around, loop))
        if not around or loop.body.results[k] != (stm.outs or (None,))[0]:
            return None
        return self.element(loop, stm, var, extent, known, around)

    def changes(self, stm: Stm, var: Var) -> bool:
        """Whether a statement does more with an array than to ask for its memory."""
        if isinstance(stm.expr, Prim):
            return var in stm.expr.args and stm.expr.op != "prefetch"
        inner = blocks(stm.expr)
        given = var in getattr(stm.expr, "inits", ()) or var in getattr(stm.expr, "args", ())
        results = any(var in b.results for b in inner)
        return given or results or any(self.changes(s, var) for b in inner for s in b.stms)

    def element(
        self, loop: For, stm: Stm, var: Var, extent: Atom, forms: Forms, around: tuple[For, ...]
    ) -> _Rows | None:
        """The rows of a loop over elements that adds to one in each iteration."""
        add = stm.expr
        if not isinstance(add, Prim) or add.op != "add_at" or len(add.args) != 3:
            return None
        if add.args[0] != var or add.args[1] == var or not isinstance(add.args[2], Var):
            return None
        index, place = add.args[2], self.of(add.args[2])
        comes_round = place is not None and place.op == "wrap" and place.args[1] == extent
        if comes_round and place is not None:
            place = self.of(place.args[0])
        if place is None or place.op != "add" or loop.index not in place.args:
            return None
        first = place.args[1 - place.args.index(loop.index)]
        rows = self.bounds(first, loop.trips, forms, around)
        if rows is None:
            return None
        return _Rows(*rows, loop, stm, first, index if comes_round else None)

    def bounds(
        self, first: Atom, trips: Atom, forms: Forms, around: tuple[For, ...]
    ) -> tuple[Var, Atom] | None:
        """The starts and the number of rows, of which each has elements from `first` on."""
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
        return (starts, count) if _outside(starts, outer) and _outside(count, outer) else None

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


def _rises(b: Builder, rows: _Rows, extent: Atom) -> Atom:
    """Whether there are rows, each of which begins where the one before ends, within an array."""
    inner, at, so_far = b.inner(), b.names.var("r", I64), b.names.var("rises", BOOL)
    first = inner.prim("index", rows.starts, at, checked=False, span=None)
    after = inner.prim("add", at, ilit(1))
    end = inner.prim("index", rows.starts, after, checked=False, span=None)
    good = so_far
    for test in (
        inner.prim("le", first, end),
        inner.prim("ge", first, ilit(0)),
        inner.prim("le", end, extent),
    ):
        good = inner.prim("and_", good, test)
    some = b.prim("gt", rows.count, ilit(0))
    loop = For(at, rows.count, (so_far,), (some,), inner.block((good,)))
    return b.bind(loop, (BOOL,), "rises")[0]


def _with(loop: For, rows: _Rows, prims: PrimitiveSet, names: NameSupply) -> For:
    """A nest whose elements are stored, at indices that do not come round."""
    return replace(loop, body=_in_block(loop.body, lambda e: _stored(e, rows, prims, names), rows))


def _in_block(block: Block, change: Callable[[For], For], rows: _Rows) -> Block:
    stms: list[Stm] = []
    for stm in block.stms:
        if stm.expr is rows.element:
            assert isinstance(stm.expr, For)
            stms.append(stm.with_expr(change(stm.expr)))
            continue
        inner = tuple(_in_block(b, change, rows) for b in blocks(stm.expr))
        stms.append(stm.with_expr(with_blocks(stm.expr, inner)) if inner else stm)
    return replace(block, stms=tuple(stms))


def _stored(loop: For, rows: _Rows, prims: PrimitiveSet, names: NameSupply) -> For:
    """The loop over elements, which stores sums with zero."""
    places: dict[Var, Atom] = {}
    stms: list[Stm] = []
    for stm in loop.body.stms:
        if stm is rows.add:
            assert isinstance(stm.expr, Prim)
            array, value, place = stm.expr.args
            b = Builder(names, prims.result_types, stm.prov)
            total = b.prim("add", flit(0.0), value)
            params = (("checked", False), ("span", None))
            stms += [*b.stms, stm.with_expr(Prim("update", (array, total, place), params))]
        elif rows.index is not None and stm.outs == (rows.index,):
            assert isinstance(stm.expr, Prim)
            places[rows.index] = stm.expr.args[0]
        else:
            stms.append(stm)
    return replace(loop, body=substitute(Block(tuple(stms), loop.body.results), places))
