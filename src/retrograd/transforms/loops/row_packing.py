"""Rows that a nest reads side by side, in each iteration of a loop around it, are packed once.

    for p < n:                          t = transpose(c)
        for i < k:                      for p < n:
            s = 0                           for i < k:
            for j < d:                          s = 0
                s = s + x[p, j] * c[i, j]       for j < d: s = s + x[p, j] * t[j, i]
            y[i] = s                            y[i] = s

Iterations of i are jammed (`unroll_and_jam.py`): eight of them share the loop over j, so what they
read of `c` at one j is a column of eight rows, and lies side by side in the transpose. Without it a
vector is gathered from eight places, which takes about as long as eight loads. Which numbers are
added, and in which order, stays.

A copy pays where the loop around goes round often, and is small beside a cache, so both are asked
first: the nest stands twice.

Source: Goto and van de Geijn 2008, Anatomy of High-Performance Matrix Multiplication, section 4 (of
what is packed, and why).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, If, Lit, Prim, Program, Stm, Var, ilit
from retrograd.ir.traverse import blocks, free_vars_expr, freshen_block, stms_deep, with_blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.loops.facts import each_loop, loop
from retrograd.transforms.loops.nest import nest_of
from retrograd.transforms.loops.unroll_and_jam import jammed_together

__all__ = ["pack_rows"]

_TRIPS = 16
"""Fewer iterations read packed rows too seldom: to pack takes as long as a few of them."""

_ELEMENTS = 1 << 16
"""Larger arrays are not packed: half a megabyte, what a core's own cache holds."""

_STATEMENTS = 400
"""Longer loops do not stand twice."""


def pack_rows(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program in which rows that are read side by side again and again are packed."""

    def rewrite(stm: Stm, around: For) -> list[Stm] | None:
        found = [read for nest in _nests(around.body, prims) for read in _of_rows(nest)]
        outside = free_vars_expr(around)
        arrays = sorted({a for a in found if a in outside}, key=lambda array: array.name)
        few = isinstance(around.trips, Lit) and around.trips.value < _TRIPS
        if not arrays or few or sum(1 for _ in stms_deep(around.body)) > _STATEMENTS:
            return None
        b = Builder(names, prims.result_types, stm.prov)
        pays = _pays(b, around, arrays)
        outs = tuple(names.var(v.name, v.type) for v in stm.outs)
        plain = freshen_block(Block((replace(stm, outs=outs),), outs), names, {})
        packed = _packed(b, names, stm, arrays, prims)
        return [*b.stms, replace(stm, expr=If(pays, packed, plain))]

    return each_loop(program, rewrite)


def _nests(block: Block, prims: PrimitiveSet) -> Iterator[For]:
    """The loops of a block, also in branches, whose iterations will share a loop with one sum."""
    for stm in block.stms:
        if isinstance(stm.expr, For):
            if _jammed(stm.expr, prims):
                yield stm.expr
        elif isinstance(stm.expr, If):
            for part in blocks(stm.expr):
                yield from _nests(part, prims)


def _jammed(expr: For, prims: PrimitiveSet) -> bool:
    nest = nest_of(expr, prims)
    sums = nest is not None and any(v.type.is_scalar for v in nest.inner.carried)
    return sums and jammed_together(expr, prims)


def _of_rows(nest: For) -> Iterator[Var]:
    """The matrices of which the loop in a nest reads a row, another one for each iteration."""
    for stm in nest.body.stms:
        if isinstance(stm.expr, For):
            reads = (_row_read(s.expr, nest, stm.expr) for s in stm.expr.body.stms)
            yield from (array for array in reads if array is not None)


def _row_read(expr: object, nest: For, inner: For) -> Var | None:
    """The matrix of which an expression reads the element at both indices."""
    match expr:
        case Prim(op="index", args=(Var() as array, row, column)) if (row, column) == (
            nest.index,
            inner.index,
        ) and not dict(expr.params)["checked"]:
            return array
        case _:
            return None


def _pays(b: Builder, around: For, arrays: Iterable[Var]) -> Atom:
    """Whether the loop goes round often enough, and all arrays are small enough."""
    pays = b.prim("ge", around.trips, ilit(_TRIPS))
    for array in arrays:
        size = b.prim("mul", b.prim("dim", array, axis=0), b.prim("dim", array, axis=1))
        pays = b.prim("and_", pays, b.prim("le", size, ilit(_ELEMENTS)))
    return pays


def _packed(
    b: Builder, names: NameSupply, stm: Stm, arrays: Iterable[Var], prims: PrimitiveSet
) -> Block:
    """The loop of a statement with packed rows."""
    inner = b.inner()
    packed = {a: _transposed(inner, a) for a in arrays}
    expr = stm.expr
    assert isinstance(expr, For)
    expr = replace(expr, body=_reading(expr.body, packed, prims))
    outs = tuple(names.var(v.name, v.type) for v in stm.outs)
    inner.stms.append(replace(stm, outs=outs, expr=expr))
    return freshen_block(inner.block(outs), names, {})


def _transposed(b: Builder, array: Var) -> Var:
    """The columns of a matrix, each beside itself in memory: `transpose` would be a view."""
    rows, columns = b.prim("dim", array, axis=0), b.prim("dim", array, axis=1)
    empty = b.prim("zeros", columns, rows, dtype=array.type.dtype.value)

    def column(outer: Builder, k: Var, made: tuple[Var, ...]) -> Sequence[Atom]:
        def element(inner: Builder, row: Var, carried: tuple[Var, ...]) -> Sequence[Atom]:
            value = inner.prim("index", array, row, k, checked=False, span=None)
            return [inner.prim("update", carried[0], value, k, row, checked=False, span=None)]

        return loop(outer, rows, made, [array.type], element)

    return loop(b, columns, [empty], [array.type], column)[0]


def _reading(block: Block, packed: Mapping[Var, Var], prims: PrimitiveSet) -> Block:
    """A block whose nests read packed rows."""
    stms: list[Stm] = []
    for stm in block.stms:
        expr = stm.expr
        if isinstance(expr, For) and _jammed(expr, prims):
            expr = replace(expr, body=_nest_reading(expr, packed))
        elif isinstance(expr, If):
            expr = with_blocks(expr, tuple(_reading(b, packed, prims) for b in blocks(expr)))
        stms.append(replace(stm, expr=expr))
    return Block(tuple(stms), block.results)


def _nest_reading(nest: For, packed: Mapping[Var, Var]) -> Block:
    stms: list[Stm] = []
    for stm in nest.body.stms:
        if isinstance(stm.expr, For):
            inner = stm.expr
            body = tuple(_element_of_column(s, nest, inner, packed) for s in inner.body.stms)
            stm = replace(stm, expr=replace(inner, body=replace(inner.body, stms=body)))
        stms.append(stm)
    return Block(tuple(stms), nest.body.results)


def _element_of_column(stm: Stm, nest: For, inner: For, packed: Mapping[Var, Var]) -> Stm:
    array = _row_read(stm.expr, nest, inner)
    if array is None or array not in packed:
        return stm
    assert isinstance(stm.expr, Prim)
    return replace(stm, expr=replace(stm.expr, args=(packed[array], inner.index, nest.index)))
