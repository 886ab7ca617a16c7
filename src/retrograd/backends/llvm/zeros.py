"""Machine code of arrays of zeros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from retrograd.backends.llvm.effects import place_of
from retrograd.backends.llvm.gen import AnyValue, Gen
from retrograd.backends.llvm.text import ArrayValue
from retrograd.ir.terms import Prim, Stm

__all__ = ["extents", "zeroed", "zeros", "zeros_around"]


def extents(gen: Gen, stm: Stm, expr: Prim, first: int) -> list[str]:
    """The operands from `first` on as extents; ValueError where one is negative."""
    dims = [gen.scalar(a) for a in expr.args[first:]]
    for dim in dims:
        if not dim.isdigit():
            good = gen.f.value(f"icmp sge i64 {dim}, 0")
            gen.require(
                good, "ValueError", "negative dimensions are not allowed", place_of(stm, expr)
            )
    return dims


def zeros(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """All of `zeros` and `empty`; an array that only has extents has no memory."""
    (out,), dims = stm.outs, extents(gen, stm, expr, 0)
    if out in gen.shapes:
        return [ArrayValue("null", tuple(dims), out.type, None, "null")]
    return [zeroed(gen, stm, dims)]


def zeroed(gen: Gen, stm: Stm, dims: Sequence[str]) -> ArrayValue:
    """An array of zeros for the result of a statement."""
    out = stm.outs[0].type
    target = gen.fresh(stm.outs[0], dims)
    size = gen.f.value(f"mul i64 {gen.count(target.dims)}, {out.dtype.size}")
    if all(dim.isdigit() for dim in dims):  # the compiler of machine code knows what is in it
        args = [("ptr", target.ptr), ("i8", "0"), ("i64", size), ("i1", "false")]
        gen.f.call_void("llvm.memset.p0.i64", args)
    else:
        _clear(gen, target.ptr, size)
    return target


def zeros_around(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """Rows outside of one or two spans are cleared; spans are cut off at the ends of the array."""
    f, out = gen.f, stm.outs[0].type
    given = [gen.scalar(a) for a in expr.args]
    dims, ends = given[: out.rank], given[out.rank :]
    own = replace(expr, args=expr.args[: out.rank])
    target = gen.fresh(stm.outs[0], extents(gen, stm, own, 0))
    inside = [_clamped(gen, a, "0", dims[0]) for a in ends]
    spans = [(a, _larger(gen, a, b)) for a, b in zip(inside[::2], inside[1::2], strict=True)]
    if len(spans) == 2:
        spans = _sorted(gen, *spans)
    row = f.value(f"mul i64 {gen.count(['1', *target.dims[1:]])}, {out.dtype.size}")
    done = "0"
    for first, end in (*spans, (dims[0], dims[0])):
        if first != done:
            start = f.value(f"mul i64 {done}, {row}")
            rows = f.value(f"sub i64 {_larger(gen, first, done)}, {done}")
            place = f.value(f"getelementptr inbounds i8, ptr {target.ptr}, i64 {start}")
            _clear(gen, place, f.value(f"mul i64 {rows}, {row}"))
        done = _larger(gen, done, end)
    return [target]


def _larger(gen: Gen, a: str, b: str) -> str:
    """The larger one of numbers that are not negative."""
    return b if a in ("0", b) else gen.f.call("i64", "llvm.smax.i64", [("i64", a), ("i64", b)])


def _clamped(gen: Gen, value: str, low: str, high: str) -> str:
    if value in (low, high):
        return value
    up = gen.f.call("i64", "llvm.smax.i64", [("i64", value), ("i64", low)])
    return gen.f.call("i64", "llvm.smin.i64", [("i64", up), ("i64", high)])


def _sorted(gen: Gen, a: tuple[str, str], b: tuple[str, str]) -> list[tuple[str, str]]:
    """Two spans, that first that begins first."""
    if a[0] == "0":
        return [a, b]
    after = gen.f.value(f"icmp slt i64 {b[0]}, {a[0]}")
    pairs = [*zip(a, b, strict=True), *zip(b, a, strict=True)]
    found = [gen.f.value(f"select i1 {after}, i64 {y}, i64 {x}") for x, y in pairs]
    return [(found[0], found[1]), (found[2], found[3])]


def _clear(gen: Gen, place: str, size: str) -> None:
    gen.f.call_void("rg_clear", [("ptr", place), ("i64", size)])
