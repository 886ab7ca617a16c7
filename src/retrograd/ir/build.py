"""The builder that every transformation uses: it names, types and collects statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Expr, Param, Params, Prim, Prov, Stm, Var, flit
from retrograd.ir.types import DType, Type
from retrograd.records import quickly_made

__all__ = ["Builder", "Typer"]

Typer = Callable[[str, tuple[Type, ...], Params], tuple[Type, ...]]


@quickly_made
@dataclass(slots=True)
class Builder:
    """Collects the statements of one block.

    `typer` gives the result types of a primitive (`PrimitiveSet.result_types`). `prov` is the
    provenance of what is emitted next; a transformation sets it to that of its source statement.
    """

    names: NameSupply
    typer: Typer
    prov: Prov = Prov()
    stms: list[Stm] = field(default_factory=list[Stm])
    outer: Builder | None = None

    def inner(self) -> Builder:
        """A builder for a block inside this one: same names, same provenance, no statements."""
        return Builder(self.names, self.typer, self.prov, outer=self)

    def block(self, results: Sequence[Atom]) -> Block:
        """What was collected, as a block with these results."""
        return Block(tuple(self.stms), tuple(results))

    def bind(self, expr: Expr, types: Sequence[Type], hint: str = "t") -> tuple[Var, ...]:
        """Adds a statement for `expr` with fresh variables of these types."""
        outs = tuple(self.names.var(hint, t) for t in types)
        self.stms.append(Stm(outs, expr, self.prov))
        return outs

    def prims(self, op: str, *args: Atom, hint: str = "t", **params: Param) -> tuple[Var, ...]:
        """Applies a primitive; all its results."""
        fixed: Params = tuple(sorted(params.items()))
        types = self.typer(op, tuple(a.type for a in args), fixed)
        return self.bind(Prim(op, args, fixed), types, hint)

    def prim(self, op: str, *args: Atom, hint: str = "t", **params: Param) -> Var:
        """Applies a primitive that has exactly one result."""
        (out,) = self.prims(op, *args, hint=hint, **params)
        return out

    def effect(self, op: str, *args: Atom, **params: Param) -> None:
        """Applies a primitive that has no result."""
        self.prims(op, *args, hint="t", **params)

    # The handful of shapes that nearly every rule needs.

    def add(self, a: Atom, b: Atom) -> Atom:
        return self.prim("add", a, b)

    def sub(self, a: Atom, b: Atom) -> Atom:
        return self.prim("sub", a, b)

    def mul(self, a: Atom, b: Atom) -> Atom:
        return self.prim("mul", a, b)

    def div(self, a: Atom, b: Atom) -> Atom:
        return self.prim("div", a, b)

    def neg(self, a: Atom) -> Atom:
        return self.prim("neg", a)

    def dims(self, array: Atom) -> tuple[Atom, ...]:
        """The extents of an array, one i64 per axis."""
        return tuple(self.prim("dim", array, axis=k) for k in range(array.type.rank))

    def zeros_like(self, like: Atom) -> Atom:
        """A zero of the type and shape of `like` (a literal for scalars)."""
        if like.type.is_scalar:
            return flit(0.0)
        return self.prim("zeros", *self.dims(like), dtype=DType.F64.value)
