"""Long lines of array statements in parts: each part becomes a function, which is called.

A call is an execution point, so a run can stop between any two parts, and what the parts record is
theirs. Parts that do the same are one function (`transforms.alike`): the layers of a network that a
loop over a tuple of weights has written out are derived and compiled once. Long lines of scalars
are divided by `transforms.straight`.

A part ends where that costs least, which is after an array that has to be in memory anyway. What is
evaluated where it is read, and calculated again by the reverse sweep, would have to be made and
recorded if it was read by the next part.

Extents are not handed on where the part has the array: it asks that. Or the first part, the last
one and those between would differ in what else they take and give, and be three functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from retrograd.ir.formers import unhandled
from retrograd.ir.linear import consumed_params
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Expr,
    For,
    If,
    Jvp,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
)
from retrograd.ir.traverse import blocks, free_vars_expr, with_blocks
from retrograd.ir.types import I64
from retrograd.prims.core import Effect, PrimitiveSet, Unsupported
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.analysis.shapes import Extent, Shapes
from retrograd.transforms.points.function_merging import Part, as_functions

__all__ = ["divide_lines"]

Consumed: TypeAlias = Mapping[str, frozenset[int]]
"""The parameters that each function takes over."""


def divide_lines(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program with its long lines of array statements in parts."""
    found: dict[int, list[Part]] = {}
    shapes: Mapping[str, Shapes] | None = None
    consumed: Consumed = {}
    for function in program.functions:
        lines = list(_long_lines(function.body, prims, prims.costs.line_least))
        if lines:
            if shapes is None:
                shapes, consumed = agreed_shapes(program, prims), consumed_params(program, prims)
            for block, places in lines:
                cutter = _Cutter(block, prims, shapes[function.name], consumed)
                found[id(block)] = cutter.parts(places)
    calls, made = as_functions([p for parts in found.values() for p in parts], names)

    def rebuilt(block: Block) -> Block:
        stms: list[Stm] = []
        at = 0
        for part in found.get(id(block), ()):
            stms += (*map(inside, block.stms[at : part.first]), calls[part])
            at = part.end
        return Block((*stms, *map(inside, block.stms[at:])), block.results)

    def inside(stm: Stm) -> Stm:
        inner = tuple(map(rebuilt, blocks(stm.expr)))
        return replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm

    kept = (replace(f, body=rebuilt(f.body)) for f in program.functions) if made else ()
    return Program((*kept, *made), program.entry) if made else program


def _long_lines(
    block: Block, prims: PrimitiveSet, least: int
) -> Iterator[tuple[Block, list[tuple[int, int]]]]:
    """All blocks with long lines, and where these begin and end."""
    lines = [(first, end) for first, end, weight in _lines(block, prims) if weight >= least]
    if lines:
        yield block, lines
    for stm in block.stms:
        # Iterations are points already, and what is in one body is evaluated together.
        loop = isinstance(stm.expr, For | While)
        inside = prims.costs.line_least_in_loop if loop else least
        for inner in blocks(stm.expr):
            yield from _long_lines(inner, prims, inside)


def _lines(block: Block, prims: PrimitiveSet) -> Iterator[tuple[int, int, int]]:
    """Stretches of primitives, each with the number of those on arrays.

    They take over nothing but what is made there.
    """
    first, weight, made = 0, 0, set[Var]()
    for position, stm in enumerate(block.stms):
        if _may_move(stm.expr, made, prims):
            weight += _weight(stm, prims)
            made.update(stm.outs)
        else:
            yield first, position, weight
            first, weight, made = position + 1, 0, set[Var]()
    yield first, len(block.stms), weight


def _may_move(expr: Expr, made: set[Var], prims: PrimitiveSet) -> bool:
    if not isinstance(expr, Prim) or prims[expr.op].effect is Effect.TAPE:
        return False
    return made.issuperset(_taken(expr, prims))


def _taken(expr: Prim, prims: PrimitiveSet) -> Iterator[Var]:
    """The arrays that a primitive takes over."""
    args = (expr.args[k] for k in prims[expr.op].consumes)
    return (a for a in args if isinstance(a, Var))


def _taken_over(block: Block, prims: PrimitiveSet, consumed: Consumed) -> dict[Var, int]:
    """The first statement of a block that takes each array over, or may."""
    found: dict[Var, int] = {}
    for place, stm in enumerate(block.stms):
        for var in _takes(stm, prims, consumed):
            found.setdefault(var, place)
    return found


def _takes(stm: Stm, prims: PrimitiveSet, consumed: Consumed) -> Iterator[Var]:
    """The arrays that a statement takes over; of a loop all that it is given to change."""
    expr = stm.expr
    taken: Iterable[Atom] = ()
    match expr:
        case Prim():
            yield from _taken(expr, prims)
        case Call():
            taken = (expr.args[k] for k in consumed[expr.function])
        case For() | While():
            taken = expr.inits
        case If():
            for side in blocks(expr):
                for inner in side.stms:
                    yield from _takes(inner, prims, consumed)
            taken = (*expr.then.results, *expr.orelse.results)
        case Jvp() | Vjp():
            pass
        case _:
            unhandled(expr)
    yield from (a for a in taken if isinstance(a, Var))


def _weight(stm: Stm, prims: PrimitiveSet) -> int:
    """Whether a primitive makes or reads whole arrays."""
    assert isinstance(stm.expr, Prim)
    makes = any(not v.type.is_scalar for v in stm.outs)
    return int(makes or bool(prims[stm.expr.op].facts.whole(stm.expr.args)))


class _Cutter:
    """Divides the lines of one block."""

    def __init__(
        self, block: Block, prims: PrimitiveSet, shapes: Shapes, consumed: Consumed
    ) -> None:
        self.block, self.prims, self.shapes = block, prims, shapes
        self.made = {v: k for k, stm in enumerate(block.stms) for v in stm.outs}
        self.gone = _taken_over(block, prims, consumed)
        self.last = {a: len(block.stms) for a in block.results if isinstance(a, Var)}
        for position in range(len(block.stms) - 1, -1, -1):
            stm = block.stms[position]
            end = position
            if self.is_view(stm.expr):  # others read through it
                end = max(self.last.get(v, position) for v in stm.outs)
            for var in free_vars_expr(stm.expr):
                self.last[var] = max(self.last.get(var, 0), end)

    def parts(self, lines: Iterable[tuple[int, int]]) -> list[Part]:
        """The parts of these lines, with what each reads and what is read of it."""
        stms = self.block.stms
        places = [place for first, end in lines for place in self.places(first, end)]
        bodies = [self.body(first, end) for first, end in places]
        args = [tuple(_read(body)) for body in bodies]
        read = {a for a in self.block.results if isinstance(a, Var)}.union(*args)
        at = 0
        for first, end in (*places, (len(stms), len(stms))):
            read.update(v for s in stms[at:first] for v in free_vars_expr(s.expr))
            at = end
        parts: list[Part] = []
        for (first, end), body, given in reversed(list(zip(places, bodies, args, strict=True))):
            outs = tuple(v for s in stms[first:end] for v in s.outs if v in read)
            told = frozenset(k for k, stm in enumerate(body) if self.may_raise(stm.expr))
            if outs:
                parts.append(Part(first, end, tuple(body), given, outs, told))
            else:
                # It stays where it is, and reads what its body would have asked or made itself.
                read.update(v for s in stms[first:end] for v in free_vars_expr(s.expr))
        return parts[::-1]

    def places(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """Where the parts of one line begin and end. What is left of it stays where it is."""
        taken = {
            v: k for k in range(first, end) for v in _taken(_prim(self.block.stms[k]), self.prims)
        }
        while (cut := self.cut(first, end, taken)) is not None:
            yield first, cut
            first = cut

    def cut(self, first: int, end: int, taken: Mapping[Var, int]) -> int | None:
        """Where the part ends that begins at `first`; None where there is too little left."""
        weight, live, costs = 0, set[Var](), self.prims.costs
        best: tuple[int, int] | None = None
        for position in range(first, end):
            stm = self.block.stms[position]
            weight += _weight(stm, self.prims)
            live = {v for v in (*live, *stm.outs) if self.last.get(v, -1) > position}
            if weight < costs.line_part_least or any(taken.get(v, -1) > position for v in live):
                continue
            cost = 0 if position == end - 1 else sum(map(self.is_dear, live))
            if best is None or cost <= best[0]:
                best = cost, position + 1
            if weight >= min(costs.line_part_least * (1 + cost), costs.line_part_most):
                break
        return None if best is None else best[1]

    def is_dear(self, var: Var) -> bool:
        """Whether it would not be in memory, and not recorded, if the line was not divided."""
        expr = _prim(self.block.stms[self.made[var]])
        if var.type.is_scalar:
            return False
        facts = self.prims[expr.op].facts
        return facts.cheap and not facts.view

    def body(self, first: int, end: int) -> list[Stm]:
        """The statements of a part; extents of arrays from before are asked of these."""
        stms = [*self.views(first, end), *self.block.stms[first:end]]
        known: dict[Extent, Prim] = {}
        for array in _read(stms):
            for axis, extent in enumerate(self.shapes.arrays.get(array.name, ())):
                known.setdefault(extent, Prim("dim", (array,), (("axis", axis),)))
        done: list[Stm] = []
        for stm in stms:
            args = _prim(stm).args
            length = self.extent(stm.outs[0]) if len(stm.outs) == 1 else None
            if length in known and all(a.type.is_scalar for a in args):
                done.append(replace(stm, expr=known[length]))
            else:
                done.append(stm)
        given = {v: self.extent(v) for v in _read(done)}
        asked = [Stm((v,), known[e], stms[0].prov) for v, e in given.items() if e in known]
        return [*asked, *done]

    def extent(self, var: Var) -> Extent | None:
        """What length a scalar is, where it is one."""
        return self.shapes.scalar(var) if var.type == I64 else None

    def views(self, first: int, end: int) -> list[Stm]:
        """The views from before that these statements read: they are made again.

        Not those of an array that has been taken over since: its elements are others by now.
        """
        found: set[int] = set()
        waiting = list(_read(self.block.stms[first:end]))
        while waiting:
            place = self.made.get(waiting.pop())
            if place is not None and place not in found:
                stm = self.block.stms[place]
                if self.is_view(stm.expr) and not self.is_changed(stm, end):
                    found.add(place)
                    waiting += free_vars_expr(stm.expr)
        return [self.block.stms[k] for k in sorted(found)]

    def is_changed(self, view: Stm, end: int) -> bool:
        """Whether the array that a view is of, or one that it is a view of, is taken over."""
        source = _prim(view).args[0]
        while isinstance(source, Var):
            if self.gone.get(source, end) < end:
                return True
            place = self.made.get(source)
            if place is None or not self.is_view(self.block.stms[place].expr):
                return False
            source = _prim(self.block.stms[place]).args[0]
        return False

    def is_view(self, expr: Expr) -> bool:
        return isinstance(expr, Prim) and self.prims[expr.op].facts.view

    def may_raise(self, expr: Expr) -> bool:
        """Whether the place of a statement may be told to the user."""
        assert isinstance(expr, Prim)
        primitive = self.prims[expr.op]
        rules = primitive.jvp, primitive.vjp
        if primitive.effect is not Effect.PURE or any(isinstance(r, Unsupported) for r in rules):
            return True
        arrays = [a for a in expr.args if isinstance(a, Var) and not a.type.is_scalar]
        if len(arrays) < 2:
            return False
        extents = {self.shapes.arrays.get(a.name, a) for a in arrays}
        return not primitive.elementwise or len(extents) > 1


def _prim(stm: Stm) -> Prim:
    assert isinstance(stm.expr, Prim)
    return stm.expr


def _read(stms: Iterable[Stm]) -> dict[Var, None]:
    """What statements read that they have not made, in order."""
    found: dict[Var, None] = {}
    made: set[Var] = set()
    for stm in stms:
        found.update((v, None) for v in free_vars_expr(stm.expr) if v not in made)
        made.update(stm.outs)
    return found
