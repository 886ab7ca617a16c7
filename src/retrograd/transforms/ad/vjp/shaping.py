"""Extents as scalars: the reverse sweep knows shapes without keeping arrays.

Every array's extents become atoms of the primal program: `dim` is read once where the array is
bound. Reverse code asks `ShapeTable`, so it never mentions an array for the sake of its shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Expr,
    Function,
    Param,
    Params,
    Prim,
    Stm,
    Var,
    flit,
    ilit,
)
from retrograd.ir.traverse import binders, blocks, with_blocks
from retrograd.ir.types import I64, DType
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.lengths import Along, Common, Length
from retrograd.transforms.analysis.shapes import Axis, Extent, Kept, Shapes, known_in, shapes_of

__all__ = ["ReverseBuilder", "ShapeTable", "with_explicit_shapes"]


@dataclass(slots=True)
class ShapeTable:
    """Extents of arrays as atoms; grows with the arrays that reverse code makes.

    `facts` say which extents are equal; `around` is the table of the function that an outlined loop
    body came from, whose variables have the same names.
    """

    known: dict[str, tuple[Atom, ...]] = field(default_factory=dict[str, "tuple[Atom, ...]"])
    facts: Shapes | None = None
    around: ShapeTable | None = None

    def of(self, array: Atom) -> tuple[Atom, ...] | None:
        return self.known.get(array.name) if isinstance(array, Var) else ()

    def set(self, array: Var, dims: Sequence[Atom]) -> None:
        self.known[array.name] = tuple(dims)

    def spans(self, trips: Atom, array: Var) -> bool:
        """Whether a trip count is provably the extent of a rank-1 array."""
        if self.facts is None or array.type.rank != 1:
            return False
        extents = self.facts.arrays.get(array.name)
        if extents is not None and extents[0] == self.facts.scalar(trips):
            return True
        return self.around is not None and self.around.spans(trips, array)

    def same(self, a: Atom, b: Atom) -> bool:
        """Whether two arrays provably have one shape."""
        first, second = self.of(a), self.of(b)
        return first is not None and first == second


def with_explicit_shapes(
    function: Function, names: NameSupply, prims: PrimitiveSet, around: ShapeTable | None = None,
    kept: Kept = MappingProxyType({}),
) -> tuple[Function, ShapeTable]:  # fmt: skip
    """The function with `dim` statements after arrays with extents of their own, and the table.

    `around` is the table of the function that an outlined loop body came from. `kept` says of the
    functions that it calls which parameters their results have the extents of.
    """
    facts = None if around is None else around.facts
    known = None if facts is None else known_in(function, facts)
    shapes = shapes_of(function, prims, known, checked=True, kept=kept)
    values: dict[str, Var] = {p.name: p for p in function.params}
    _collect(function.body, values)
    inserter = _Inserter(shapes, names, values)
    head: list[Stm] = []
    for param in function.params:
        head += inserter.read(param)
    body = inserter.block(function.body)
    table = ShapeTable(facts=shapes, around=around)
    for name, extents in shapes.arrays.items():
        found = tuple(inserter.atom(e) for e in extents)
        if all(a is not None for a in found):
            table.known[name] = tuple(a for a in found if a is not None)
    return replace(function, body=Block((*head, *body.stms), body.results)), table


def _collect(block: Block, values: dict[str, Var]) -> None:
    for stm in block.stms:
        for var in (*stm.outs, *binders(stm.expr)):
            values[var.name] = var
        for inner in blocks(stm.expr):
            _collect(inner, values)


@dataclass(slots=True)
class _Inserter:
    shapes: Shapes
    names: NameSupply
    values: dict[str, Var]
    made: dict[Axis, Var] = field(default_factory=dict[Axis, Var])

    def atom(self, extent: Extent) -> Atom | None:
        match extent:
            case int():
                return ilit(extent)
            case Axis():
                return self.made.get(extent)
            case _:
                return extent

    def read(self, var: Var) -> list[Stm]:
        """`dim` statements for the axes of which `var` is itself the representative."""
        if var.type.is_scalar:
            return []
        stms: list[Stm] = []
        for axis, extent in enumerate(self.shapes.arrays.get(var.name, ())):
            if isinstance(extent, Axis) and extent.array == var.name and extent not in self.made:
                found = self.of_operands(extent)
                if not found:
                    out = self.names.var("n", I64)
                    found = [Stm((out,), Prim("dim", (var,), (("axis", axis),)))]
                self.made[extent] = found[-1].outs[0]
                stms += found
        return stms

    def of_operands(self, extent: Axis) -> list[Stm]:
        """The extent of an elementwise result from those of its operands, where all are there.

        Numbers are found again in the reverse sweep; for `dim` the array has to be.
        """
        lengths = sorted(self.shapes.common.get(extent, ()), key=str)
        atoms = [a for a in map(self.atom, lengths) if a is not None]
        if len(atoms) < max(len(lengths), 2):
            return []
        stms: list[Stm] = []
        total = atoms[0]
        for other in atoms[1:]:
            out = self.names.var("n", I64)
            stms.append(Stm((out,), Prim("common_extent", (total, other))))
            total = out
        return stms

    def block(self, block: Block) -> Block:
        stms: list[Stm] = []
        for stm in block.stms:
            inner = self.inner(stm.expr)
            stms.append(replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm)
            for out in stm.outs:
                stms += [replace(s, prov=stm.prov) for s in self.read(out)]
        return Block(tuple(stms), block.results)

    def inner(self, expr: Expr) -> tuple[Block, ...]:
        """The blocks of an expression; a loop's body, the last, reads what the loop binds."""
        found = blocks(expr)
        if not found:
            return ()
        ahead = tuple(self.block(b) for b in found[:-1])
        head = [stm for var in binders(expr) for stm in self.read(var)]
        body = self.block(found[-1])
        return (*ahead, Block((*head, *body.stms), body.results))


_ARITHMETIC = ("add", "sub", "mul", "div", "strong_mul")


@dataclass(slots=True)
class ReverseBuilder(Builder):
    """A builder for reverse code: shapes come from the table, narrowing to an equal one is free.

    `spread` are scalars that were stretched to arrays; beside an array of that shape in arithmetic
    the scalar does.
    """

    table: PrimitiveSet = field(default_factory=PrimitiveSet)
    shapes: ShapeTable = field(default_factory=ShapeTable)
    spread: dict[Var, Atom] = field(default_factory=dict[Var, Atom])

    def inner(self) -> ReverseBuilder:
        shapes, spread = self.shapes, self.spread
        table = self.table
        return ReverseBuilder(
            self.names, self.typer, self.prov, table=table, shapes=shapes, spread=spread
        )

    def prims(self, op: str, *args: Atom, hint: str = "t", **params: Param) -> tuple[Var, ...]:
        if op in _ARITHMETIC:
            args = self._narrow(args)
        # Two-argument super: a slotted dataclass is a new class, which zero-argument super misses.
        outs = Builder.prims(self, op, *args, hint=hint, **params)
        if len(outs) == 1 and not outs[0].type.is_scalar:
            self._learn(op, args, tuple(sorted(params.items())), outs[0])
            if op == "broadcast" and args[0].type.is_scalar:
                self.spread[outs[0]] = args[0]
        return outs

    def _narrow(self, args: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """Stretched scalars as scalars, where another operand has the shape."""
        wide = [a for a in args if isinstance(a, Var) and a in self.spread]
        full = [a for a in args if not a.type.is_scalar and a not in wide]
        if not full or not all(self.shapes.same(a, full[0]) for a in wide):
            return args
        return tuple(self.spread.get(a, a) if isinstance(a, Var) else a for a in args)

    def _learn(self, op: str, args: tuple[Atom, ...], params: Params, out: Var) -> None:
        lengths = self.table[op].facts.shape(args, params)
        found = [self._length(args, n) for n in lengths] if lengths is not None else [None]
        dims = [n for n in found if n is not None]
        if len(dims) == len(found):
            self.shapes.set(out, dims)

    def _length(self, args: tuple[Atom, ...], length: Length) -> Atom | None:
        """A value for an extent, None where there is none yet, or several that may differ."""
        match length:
            case int():
                return ilit(length)
            case Along(operand, axis):
                known = self.shapes.of(args[operand])
                return None if known is None else known[axis]
            case Common(lengths):
                found = {self._length(args, n) for n in lengths} - {ilit(1)}
                return found.pop() if len(found) == 1 else None if found else ilit(1)
            case _:
                return length

    def prim(self, op: str, *args: Atom, hint: str = "t", **params: Param) -> Var:
        if op == "sum_like":
            given, like = args
            fits = given.type.rank == like.type.rank and (
                like.type.is_scalar or self.shapes.same(given, like)
            )
            if fits and isinstance(given, Var):
                return given
            args = (given, self._stand_in(like))
        (out,) = self.prims(op, *args, hint=hint, **params)
        return out

    def _stand_in(self, like: Atom) -> Atom:
        """Something of the shape of `like` that the primal need not keep."""
        if like.type.is_scalar:
            return flit(0.0)
        dims = self.shapes.of(like)
        return like if dims is None else self.prim("empty", *dims, dtype=DType.F64.value)

    def copied(self, atom: Atom) -> Atom:
        """A value that nobody else holds."""
        return atom if atom.type.is_scalar else self.prim("copy", atom)

    def dims(self, array: Atom) -> tuple[Atom, ...]:
        known = self.shapes.of(array)
        return known if known is not None else Builder.dims(self, array)
