"""Loops whose body exchanges the names of arrays: `u, w = w, u`.

Which array a name refers to depends on the number of the iteration, but not in as many iterations
as the order of the exchange: these become the body, and what is left follows the loop.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from retrograd.frontend.syntax.branches import branch
from retrograd.frontend.syntax.loops import Exchange, Loop, run_loop
from retrograd.frontend.syntax.unrolling import unroll
from retrograd.frontend.values.kinds import Scalar
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, Lit, ilit

__all__ = ["run_statement"]

_MOST = 6


def run_statement(t: Tracer, loop: Loop) -> Atom:
    """Translates the loop of a statement; gives whether it was left by `break`."""
    depth, pending = len(t.frame.brk), len(t.ctx.pending)
    try:
        return run_loop(t, replace(loop, exchanges=loop.counted and loop.strips is None))
    except Exchange as found:
        order = found.order
    del t.frame.brk[depth:], t.ctx.pending[pending:]
    if order > _MOST or loop.trips is None:
        return run_loop(t, loop)
    if isinstance(loop.trips, Lit):
        whole: Atom = ilit(int(loop.trips.value) // order)
        broken = run_loop(t, _several(t, loop, order, whole))
        for number in range(int(loop.trips.value) // order * order, int(loop.trips.value)):
            unroll(t, [partial(_iterate, t, loop, ilit(number))], False)
        return broken
    whole = t.prim("floordiv", loop.trips, ilit(order))
    broken = run_loop(t, _several(t, loop, order, whole))
    _rest(t, loop, order, t.prim("mul", whole, ilit(order)))
    return broken


def _several(t: Tracer, loop: Loop, order: int, trips: Atom) -> Loop:
    """The loop with so many of its iterations in one."""
    numbers: list[Atom] = []

    def bind(index: Scalar) -> None:
        numbers[:] = [t.prim("mul", index.atom, ilit(order))]

    def iteration(k: int) -> None:
        _iterate(t, loop, t.prim("add", numbers[0], ilit(k)))

    def body() -> None:
        unroll(t, [partial(iteration, k) for k in range(order)], False)

    return replace(loop, trips=trips, bind=bind, body=body)


def _rest(t: Tracer, loop: Loop, order: int, first: Atom) -> None:
    """The iterations from `first`, fewer than `order`."""
    assert loop.trips is not None

    def one_more() -> None:
        unroll(t, [partial(_iterate, t, loop, first)], False)
        if order > 2:
            _rest(t, loop, order - 1, t.prim("add", first, ilit(1)))

    branch(t, t.prim("lt", first, loop.trips), one_more, _nothing)


def _iterate(t: Tracer, loop: Loop, number: Atom) -> None:
    if loop.bind is not None:
        loop.bind(Scalar(number, True))
    loop.body()


def _nothing() -> None:
    return
