"""Bounds checks move from the iterations of a loop to a guard before it.

Where range analysis cannot prove the accesses of a counted loop, but each index moves by -1, 0 or 1
per iteration, the first iteration that would fail can be computed. The guard computes it; if there
is one, it makes the checked accesses of that iteration, so that the error is the one that the loop
would have raised. Then no iteration checks anything, and the loop vectorises.

Only loops whose every effect is such an access, so that nothing else could have come first.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    For,
    Function,
    If,
    Lit,
    Prim,
    Program,
    Stm,
    Var,
    ilit,
)
from retrograd.ir.traverse import blocks, stms_deep, with_blocks
from retrograd.ir.types import I64
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.prims.facts import Held
from retrograd.transforms.analysis.effects import effectful, may_act, prim_effect
from retrograd.transforms.analysis.shapes import Shapes, shapes_of

__all__ = ["guard_loops"]

_CHECK = "check_index"


def guard_loops(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Replaces the checks inside loops by guards before them."""
    effects = effectful(program, prims)

    def one(function: Function) -> Function:
        walk = _Walk(prims, names, effects, shapes_of(function, prims))
        return function.with_body(walk.block(function.body))

    return Program(tuple(map(one, program.functions)), program.entry)


@dataclass(frozen=True, slots=True)
class _Affine:
    """`slope * index + base + offset`, modulo 2**64; `base` is bound outside the loop."""

    slope: int
    base: Atom | None
    offset: int

    def plus(self, other: _Affine, sign: int) -> _Affine | None:
        """`self + sign * other`, where that has this form."""
        if other.base is not None and (self.base is not None or sign < 0):
            return None
        base = self.base if other.base is None else other.base
        return _Affine(
            self.slope + sign * other.slope, base, _wrap(self.offset + sign * other.offset)
        )


@dataclass(frozen=True, slots=True)
class _Access:
    """A checked access of the loop, or a check alone, of so many places. `within` is an array
    before the loop that has the same extents; of a check the extent."""

    stm: Stm
    expr: Prim
    within: Atom
    places: tuple[_Affine, ...]

    @property
    def alone(self) -> bool:
        return self.expr.op == _CHECK


@dataclass(slots=True)
class _Walk:
    prims: PrimitiveSet
    names: NameSupply
    effects: Collection[str]
    shapes: Shapes

    def block(self, block: Block) -> Block:
        out: list[Stm] = []
        for stm in block.stms:
            inner = tuple(self.block(b) for b in blocks(stm.expr))
            new = stm.with_expr(with_blocks(stm.expr, inner)) if inner else stm
            if isinstance(new.expr, For):
                out.extend(self.loop(new, new.expr))
            else:
                out.append(new)
        return block.changed(tuple(out), block.results)

    def loop(self, stm: Stm, expr: For) -> list[Stm]:
        """The loop, after a guard where it can have one."""
        short = isinstance(expr.trips, Lit) and expr.trips.value < self.prims.costs.guard_trips
        accesses = None if short or expr.descending else self.accesses(expr)
        if not accesses:
            return [stm]
        builder = Builder(self.names, self.prims.result_types, stm.prov)
        _guard(builder, expr.trips, accesses)
        done = {id(access.stm): access.alone for access in accesses}
        body = tuple(
            _unchecked(s) if id(s) in done else s for s in expr.body.stms if not done.get(id(s))
        )
        new = replace(expr, body=Block(body, expr.body.results))
        return [*builder.stms, replace(stm, expr=new)]

    def accesses(self, expr: For) -> list[_Access] | None:
        """The checked accesses of the body in order, None if it has other effects."""
        local: dict[str, _Affine | None] = {v.name: None for v in expr.carried}
        local[expr.index.name] = _Affine(1, None, 0)
        found: list[_Access] = []
        for stm in expr.body.stms:
            if isinstance(stm.expr, Prim) and prim_effect(stm.expr, self.prims) is not Effect.PURE:
                access = self.access(stm, stm.expr, expr, local)
                if access is None:
                    return None
                found.append(access)
            elif self.has_effect(stm):
                return None
            for out in stm.outs:
                local[out.name] = _affine(stm, local)
        return found

    def has_effect(self, stm: Stm) -> bool:
        inside = stms_deep(Block((stm,), ()))
        return any(may_act(inner.expr, self.prims, self.effects) for inner in inside)

    def access(
        self, stm: Stm, expr: Prim, loop: For, local: dict[str, _Affine | None]
    ) -> _Access | None:
        found = self.prims[expr.op].facts.access
        if expr.op == _CHECK:
            index, within = expr.args
            indices: tuple[Atom, ...] = (index,)
            if isinstance(within, Var) and within.name in local:
                return None
        elif found is None or self.prims[expr.op].facts.held is not Held.UNCHECKED:
            return None
        else:
            array, indices = self.outside(expr.args[0], loop, local), expr.args[found.places :]
            if array is None:
                return None
            within = array
        places: list[_Affine] = []
        for atom in indices:
            place = _of(atom, local)
            if place is None or abs(place.slope) > 1:
                return None
            places.append(place)
        return _Access(stm, expr, within, tuple(places))

    def outside(self, array: Atom, loop: For, local: dict[str, _Affine | None]) -> Atom | None:
        """An array that can be named before the loop and has the extents of `array`."""
        if not isinstance(array, Var):
            return None
        if array.name not in local:
            return array
        wanted = self.shapes.arrays.get(array.name)
        for init in loop.inits:
            same = isinstance(init, Var) and self.shapes.arrays.get(init.name) == wanted
            if same and init.type == array.type:
                return init
        return None


def _wrap(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


def _of(atom: Atom, local: dict[str, _Affine | None]) -> _Affine | None:
    if isinstance(atom, Lit):
        return _Affine(0, None, int(atom.value))
    return local[atom.name] if atom.name in local else _Affine(0, atom, 0)


def _affine(stm: Stm, local: dict[str, _Affine | None]) -> _Affine | None:
    expr = stm.expr
    if not isinstance(expr, Prim) or len(stm.outs) != 1 or stm.outs[0].type != I64:
        return None
    if expr.op not in ("add", "sub", "neg"):
        return None
    operands = [_of(a, local) for a in expr.args]
    if expr.op == "neg":
        operands.insert(0, _Affine(0, None, 0))
    left, right = operands
    if left is None or right is None:
        return None
    return left.plus(right, 1 if expr.op == "add" else -1)


def _unchecked(stm: Stm) -> Stm:
    if not isinstance(stm.expr, Prim):
        return stm
    params = tuple((k, False if k == "checked" else v) for k, v in stm.expr.params)
    return replace(stm, expr=replace(stm.expr, params=params))


def _guard(b: Builder, trips: Atom, accesses: list[_Access]) -> None:
    """Raises what the loop would raise."""
    starts = [tuple(_start(b, place) for place in access.places) for access in accesses]
    first: Atom = trips
    for access, at in zip(accesses, starts, strict=True):
        for axis, (place, start) in enumerate(zip(access.places, at, strict=True)):
            extent = access.within
            if not access.alone:
                extent = b.prim("dim", access.within, axis=axis)
            first = b.prim("imin", first, _first_failure(b, place.slope, start, extent, trips))
    inner = b.inner()
    for access, at in zip(accesses, starts, strict=True):
        places: list[Atom] = []
        for place, start in zip(access.places, at, strict=True):
            op = {1: "add", -1: "sub"}.get(place.slope)
            places.append(start if op is None else inner.prim(op, start, first))
        inner.prov = access.stm.prov
        if access.alone:
            inner.bind(Prim(_CHECK, (*places, access.within), access.expr.params), ())
            continue
        read = Prim("index", (access.within, *places), access.expr.params)
        inner.bind(read, (access.within.type.element,))
    b.bind(If(b.prim("lt", first, trips), inner.block(()), Block((), ())), ())


def _start(b: Builder, place: _Affine) -> Atom:
    """The place in iteration 0."""
    if place.base is None:
        return ilit(place.offset)
    return place.base if place.offset == 0 else b.prim("add", place.base, ilit(place.offset))


def _first_failure(b: Builder, slope: int, start: Atom, extent: Atom, trips: Atom) -> Atom:
    """The first iteration in which the place is outside 0 .. extent-1; `trips` or more if none."""
    negative = b.prim("lt", start, ilit(0))
    if slope == 1:
        room = b.prim("imax", b.prim("sub", extent, start), ilit(0))
        return b.prim("select", negative, ilit(0), room)
    outside = b.prim("or_", negative, b.prim("ge", start, extent))
    last = trips if slope == 0 else b.prim("add", start, ilit(1))
    return b.prim("select", outside, ilit(0), last)
