"""The loop that does both sweeps of a map, from the last element to the first.

Each iteration may be followed by its own reverse. Or blocks of iterations are, forwards in order
and backwards in order: memory is read forwards, as processors expect it, and is still in the cache
when it is read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Block, For, Stm, Var, ilit
from retrograd.ir.traverse import substitute
from retrograd.ir.types import I64
from retrograd.transforms.ad.vjp.context import VjpContext

__all__ = ["blocked", "number_of_blocks", "one_after_the_other"]

_BLOCK = 64
"""Iterations of a block: a few pages of memory where an iteration reads a line or two."""


def one_after_the_other(ahead: For, reverse: For, head: Block, tail: Block) -> For:
    """A loop of `head` and then `tail`, in the order of `reverse`; both know `ahead.index`."""
    return replace(
        reverse,
        index=ahead.index,
        trips=ahead.trips,
        carried=(*ahead.carried, *reverse.carried),
        inits=(*ahead.inits, *reverse.inits),
        body=Block((*head.stms, *tail.stms), (*head.results, *tail.results)),
        point=ahead.point,
    )


def number_of_blocks(context: VjpContext, trips: Atom) -> list[Stm]:
    """The statements that calculate how many blocks there are, which is the last one's result."""
    b = Builder(context.names, context.prims.result_types)
    b.prim("floordiv", b.prim("add", trips, ilit(_BLOCK - 1)), ilit(_BLOCK))
    return b.stms


def blocked(
    context: VjpContext,
    number: Var,
    ahead: For,
    reverse: For,
    head: Block,
    tail: Block,
    ready: Sequence[Var],
) -> For:
    """A loop over blocks, of a loop of `head` whose results are `ready`, and a loop of `tail`."""
    names = context.names
    outer = names.var(ahead.index.name, I64)
    b = Builder(names, context.prims.result_types)
    first = b.prim("mul", outer, ilit(_BLOCK))
    count = b.prim("imin", b.prim("sub", ahead.trips, first), ilit(_BLOCK))

    def run(loop: For, body: Block, outs: Sequence[Var]) -> tuple[Var, ...]:
        """Adds a loop over the iterations of a block; what it begins with."""
        start = Builder(names, context.prims.result_types)
        own = names.var(loop.index.name, I64)
        body = substitute(body, {ahead.index: start.prim("add", first, own)})
        before = tuple(names.var(v.name, v.type) for v in loop.carried)
        whole = Block((*start.stms, *body.stms), body.results)
        inner = For(own, count, loop.carried, before, whole, descending=loop.descending)
        b.stms.append(Stm(tuple(outs), inner))
        return before

    back = tuple(names.var(v.name, v.type) for v in reverse.carried)
    before = (*run(ahead, head, ready), *run(reverse, tail, back))
    inits, body = (*ahead.inits, *reverse.inits), b.block((*ready, *back))
    return For(outer, number, before, inits, body, descending=True, point=ahead.point)
