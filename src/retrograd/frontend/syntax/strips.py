"""Loops of one loop's iterations: `retrograd.stripmine`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from retrograd.frontend.library.args import bind
from retrograd.frontend.library.written import strip_of
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.kinds import RangeValue, Scalar, Static, Value, describe
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Block, For, Prim, Stm, ilit
from retrograd.ir.types import I64

__all__ = ["Strips", "strips_of", "stripmine"]

_MOST = 8


def stripmine(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`retrograd.stripmine(numbers, levels)` inside a program."""
    numbers, levels = bind(t, "stripmine", args, kwargs, "numbers levels")
    if not isinstance(numbers, RangeValue):
        what = "nothing" if numbers is None else describe(numbers)
        raise t.error("RG0110", f"stripmine of {what}", "give a range")
    count = 2 if levels is None else known_int(t, levels)
    if count is None:
        raise t.error("RG0113", "levels of stripmine that are not known", "write an int")
    if not 1 <= count <= _MOST:
        raise t.error("RG0110", f"stripmine with {count} levels", f"1 to {_MOST}")
    return replace(numbers, levels=count)


@dataclass(frozen=True, slots=True)
class Strips:
    """How a loop is divided: the iterations of each loop, the innermost last."""

    levels: int
    side: Atom

    def nest(self, b: Builder, loop: For) -> For:
        """The loop as loops inside each other, all but the innermost rematerialised."""
        sizes: list[Atom] = [ilit(1)]
        for _ in range(self.levels - 1):
            sizes.append(b.prim("mul", sizes[-1], self.side))
        return self._level(b, loop, sizes, ilit(0), loop.inits)

    def _level(
        self, b: Builder, loop: For, sizes: Sequence[Atom], first: Atom, inits: tuple[Atom, ...]
    ) -> For:
        """The iterations from `first`, by strips of the last size."""
        names, size = b.names, sizes[-1]
        rest = b.prim("sub", loop.trips, first)
        if len(sizes) == 1:
            index = names.var("i", I64)
            number = Stm((loop.index,), Prim("add", (first, index)), b.prov)
            body = replace(loop.body, stms=(number, *loop.body.stms))
            trips = b.prim("imin", self.side, rest)
            return replace(loop, index=index, trips=trips, inits=inits, body=body)
        up = b.prim("sub", b.prim("add", rest, size), ilit(1))
        trips = b.prim("imin", self.side, b.prim("floordiv", up, size))
        index = names.var("strip", I64)
        carried = tuple(names.var(v.name, v.type) for v in loop.carried)
        inner = b.inner()
        start = inner.prim("add", first, inner.prim("mul", index, size))
        strip = self._level(inner, loop, sizes[:-1], start, carried)
        outs = tuple(names.var(v.name, v.type) for v in loop.carried)
        inner.stms.append(Stm(outs, strip, b.prov))
        body = Block(tuple(inner.stms), outs)
        return For(index, trips, carried, inits, body, rematerialised=True)


def strips_of(t: Tracer, trips: Atom, levels: int) -> Strips | None:
    """How a loop of so many iterations is divided into so many loops; None: not at all."""
    if levels == 1:
        return None
    found = t.call(Static(strip_of), [Scalar(trips), Scalar(ilit(levels), True)], {})
    assert isinstance(found, Scalar)
    return Strips(levels, found.atom)
