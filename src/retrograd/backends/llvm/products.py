"""Machine code of products of matrices and vectors.

Of a few numbers that are known they are written out; the others are calls of loops that are
compiled once (`array_kernels`), or of BLAS (`gemm`).
"""

from __future__ import annotations

import math

from retrograd.backends.llvm.bundled import bundled_product
from retrograd.backends.llvm.elementwise import contiguous
from retrograd.backends.llvm.gen import AnyValue, Gen
from retrograd.backends.llvm.product_loops import by_rows, dot_rows, dots
from retrograd.backends.llvm.reduce import LANES
from retrograd.backends.llvm.text import ArrayValue
from retrograd.errors import Span
from retrograd.ir.terms import Prim, Stm, Var
from retrograd.ir.types import DType, Type

__all__ = ["matmul"]

_WRITTEN_OUT = 64
"""Terms of a product that is written out where its extents are known."""


def matmul(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The handler of `matmul`."""
    f = gen.f
    out = stm.outs[0].type
    vector = expr.args[1].type.rank == 1
    bundles = out.dtype is DType.BUNDLE
    (a, drop_a), (b, drop_b) = (contiguous(gen, gen.any(x), x.type) for x in expr.args)
    inner_a, inner_b = (gen.lengths.name(n) for n in (a.dims[-1], b.dims[0]))
    if inner_a != inner_b:
        good = f.value(f"icmp eq i64 {inner_a}, {inner_b}")
        message = "matmul: the inner extents {0} and {1} differ"
        span = dict(expr.params).get("span")
        where = span if isinstance(span, Span) else stm.prov.span
        gen.require(good, "ValueError", message, where, [inner_a, inner_b])
    if bundles:
        result: AnyValue = bundled_product(gen, a, b, out)
    else:
        result = (_with_vector if vector else _product)(gen, a, b, stm.outs[0])
    for value, drop in ((a, drop_a), (b, drop_b)):
        if drop:
            gen.free(value)
    return [result]


def _is_small(*extents: str) -> bool:
    return all(map(str.isdecimal, extents)) and math.prod(map(int, extents)) <= _WRITTEN_OUT


def _with_vector(gen: Gen, a: ArrayValue, b: ArrayValue, out: Var) -> AnyValue:
    """Each row of `a` with the vector `b`."""
    length = gen.lengths.name(b.dims[0])
    if a.type.rank == 1:
        return _dot(gen, a.ptr, b.ptr, length)
    target = gen.fresh(out, [gen.lengths.name(a.dims[0])])
    rows = gen.lengths.name(a.dims[0])
    if _is_small(rows, length):
        known = ArrayValue(b.ptr, (length,), b.type, None, b.root)
        dot_rows(gen, ArrayValue(a.ptr, (rows, length), a.type, None, a.root), known, target)
    else:
        args = [("ptr", target.ptr), ("ptr", a.ptr), ("ptr", b.ptr), ("i64", rows), ("i64", length)]
        gen.f.call_void("rg_product_rows", args)
    return target


def _dot(gen: Gen, a: str, b: str, length: str) -> str:
    f = gen.f
    if length.isdecimal() and int(length) < LANES:
        return dots(gen, [a], b, length)[0]
    total = f.slot("double")

    def short() -> None:
        f.store("double", dots(gen, [a], b, length, short=True)[0], total)

    def long() -> None:
        args = [("ptr", a), ("ptr", b), ("i64", length)]
        f.store("double", f.call("double", "rg_dot", args), total)

    gen.choose(f.value(f"icmp slt i64 {length}, {LANES}"), short, long)
    return f.load("double", total)


def _product(gen: Gen, a: ArrayValue, b: ArrayValue, out: Var) -> ArrayValue:
    """(n, k) or (k) times (k, m)."""
    matrix = a.type.rank == 2
    rows = a.dims[0] if matrix else "1"
    inner, columns = b.dims
    rows, inner, columns = map(gen.lengths.name, (rows, inner, columns))
    target = gen.fresh(out, [rows, columns] if matrix else [columns])
    two = Type(DType.F64, 2)
    if _is_small(rows, inner, columns):
        left = ArrayValue(a.ptr, (rows, inner), two, None, a.root)
        right = ArrayValue(b.ptr, (inner, columns), two, None, b.root)
        by_rows(gen, left, right, ArrayValue(target.ptr, (rows, columns), two, None, target.root))
        return target
    args = [("ptr", value.ptr) for value in (target, a, b)]
    args += [("i64", extent) for extent in (rows, inner, columns)]
    if matrix:  # by BLAS, where it is large
        gen.f.call_void("rg_product", [("ptr", "%ctx"), *args])
    else:
        gen.f.call_void("rg_product_loops", args)
    return target
