"""Software prefetching of rows that a loop goes through from the last to the first.

    for i < n, descending:                      for i < n, descending:
        .. = x[i]                                   prefetch(x, max(i - 2, 0), ..)
                                                    .. = x[i]

Processors foresee memory that is read upwards, or downwards line by line. A row is read upwards,
and then the one before it: each begins with a miss. So the rows of two iterations later are asked
for, where an iteration is long enough for an instruction more not to count: where it has loops or
arrays. Of a row the first, middle and last element are asked for; what is longer than three lines
of the cache is foreseen while it is read.

Source: T. C. Mowry, M. S. Lam, A. Gupta, "Design and evaluation of a compiler algorithm for
prefetching", ASPLOS 1992.
"""

from __future__ import annotations

from collections.abc import Iterator

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Call, Expr, For, Prim, Program, Stm, Var, While, ilit
from retrograd.ir.traverse import blocks, free_vars_expr, with_blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.passes import per_function

__all__ = ["prefetch_rows"]

_AHEAD = 2
"""Iterations between a request and its use."""


def prefetch_rows(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program whose loops from the last row to the first ask for rows ahead."""

    def block(old: Block) -> Block:
        return old.changed(tuple(s.with_expr(changed(s.expr)) for s in old.stms), old.results)

    def changed(expr: Expr) -> Expr:
        if inner := blocks(expr):
            expr = with_blocks(expr, tuple(map(block, inner)))
        return _asking(expr, names, prims) if _is_busy(expr) else expr

    return per_function(program, lambda f: f.with_body(block(f.body)))


def _is_busy(expr: Expr) -> bool:
    """Whether it is a loop downwards of which an iteration takes a while."""
    if not isinstance(expr, For) or not expr.descending:
        return False
    return any(
        isinstance(s.expr, For | While | Call) or any(v.type.rank for v in s.outs)
        for s in expr.body.stms
    )


def _asking(expr: Expr, names: NameSupply, prims: PrimitiveSet) -> Expr:
    """A loop with requests at the beginning of its body."""
    assert isinstance(expr, For)
    outside = free_vars_expr(expr)
    wanted = dict.fromkeys(a for a in _rows(expr.body, expr.index, prims) if a in outside)
    if not wanted:
        return expr
    b = Builder(names, prims.result_types)
    place = b.prim("imax", b.prim("sub", expr.index, ilit(_AHEAD)), ilit(0))
    for array in wanted:
        last = b.prim("sub", b.prim("dim", array, axis=1), ilit(1))
        middle = b.prim("floordiv", last, ilit(2))
        for column in (ilit(0), middle, last):
            b.bind(Prim("prefetch", (array, place, column), (("write", False),)), ())
    stms: list[Stm] = [*b.stms, *expr.body.stms]
    return with_blocks(expr, (Block(tuple(stms), expr.body.results),))


def _rows(block: Block, index: Var, prims: PrimitiveSet) -> Iterator[Var]:
    """The matrices of which a block, or a loop in it, reads a row with this number."""
    for stm in block.stms:
        if isinstance(stm.expr, For):
            yield from _rows(stm.expr.body, index, prims)
        elif isinstance(stm.expr, Prim) and (array := _row_of(stm.expr, index, prims)) is not None:
            yield array


def _row_of(expr: Prim, index: Var, prims: PrimitiveSet) -> Var | None:
    access = prims[expr.op].facts.access
    array = expr.args[0] if expr.args else None
    if access is None or access.writes or not isinstance(array, Var) or array.type.rank != 2:
        return None
    whole = access.element or str(expr.param("spec")) == "ia"
    return array if whole and expr.args[access.places] == index else None
