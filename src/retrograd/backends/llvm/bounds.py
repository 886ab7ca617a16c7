"""Machine code of indices: negative ones, and checks that they are within an array.

Indices are rarely negative. One that comes round and is checked in the same block is compared once,
as an unsigned word: what is less than the extent is the place itself. Only the others are looked at
more closely, apart from the instructions that are run nearly always.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.backends.llvm.effects import place_of
from retrograd.backends.llvm.gen import AnyValue, Gen, Home
from retrograd.backends.llvm.scalar import emit_scalar
from retrograd.backends.llvm.text import ArrayValue
from retrograd.ir.terms import Atom, Prim, Stm, Var
from retrograd.ir.types import DType
from retrograd.prims.rules import axis_of

__all__ = ["check_index", "within", "wrap"]


def wrap(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """A place from the end is one from the beginning."""
    k, n = (gen.scalar(a) for a in expr.args)
    place = emit_scalar(gen.f, "wrap", [k, n], [DType.I64] * 2, DType.I64)
    if place != k:
        gen.wrapped[stm.outs[0]] = k
    return [place]


def check_index(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """IndexError where a place is not in an array of such an extent."""
    index, extent = expr.args
    _checked(gen, stm, expr, index, gen.scalar(extent), axis_of(expr.params))
    return []


def within(gen: Gen, stm: Stm, expr: Prim, base: ArrayValue, index: Sequence[Atom]) -> list[str]:
    """The places of an element in an array; IndexError where there is none, if that is checked."""
    if dict(expr.params).get("checked", True):
        for axis, (atom, dim) in enumerate(zip(index, base.dims, strict=True)):
            _checked(gen, stm, expr, atom, dim, axis)
    return [gen.scalar(atom) for atom in index]


def _checked(gen: Gen, stm: Stm, expr: Prim, index: Atom, extent: str, axis: int) -> None:
    f, place = gen.f, gen.scalar(index)
    message = f"index {{index}} is out of bounds for axis {axis} with size {{1}}"

    def required() -> None:
        good = f.value(f"icmp ult i64 {place}, {extent}")
        gen.require(good, "IndexError", message, place_of(stm, expr), [place, extent])

    before = gen.wrapped.pop(index, None) if isinstance(index, Var) else None
    if before is None or not isinstance(index, Var) or isinstance(gen.env.get(index), Home):
        required()  # what a frame saves has one value, wherever the run goes on
        return
    start, rarely, end, found = (f.fresh(n) for n in ("usually", "rarely", "round", "found"))
    f.label(start)
    f.branch(f.value(f"icmp ult i64 {before}, {extent}"), found, rarely, ", !prof !20")
    f.label(rarely)
    required()
    f.label(end)
    f.label(found)
    gen.env[index] = f.value(f"phi i64 [{before}, %{start}], [{place}, %{end}]")
