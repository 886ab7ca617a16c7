"""Products of matrices by SciPy's BLAS.

Whether they are done by BLAS is a function of the extents alone, so that every variant of a program
gives the same bits. Transposed operands go to BLAS as they are; any other view is copied first.
"""

from __future__ import annotations

from retrograd.backends.llvm.elementwise import contiguous
from retrograd.backends.llvm.gen import AnyValue, Gen
from retrograd.backends.llvm.text import ArrayValue
from retrograd.ir.types import Type
from retrograd.runtime.library import library_offset

__all__ = ["GEMM_TEXT", "by_blas", "gemm_operand"]

_LONGEST = 2**31 - 1
"""Extents are 32-bit numbers in BLAS."""


def gemm_operand(gen: Gen, value: AnyValue, type_: Type) -> tuple[ArrayValue, bool]:
    """The operand as BLAS takes it (row-major, or the transpose of that); whether it is ours."""
    if isinstance(value, ArrayValue) and _transposed(value):
        return value, False
    return contiguous(gen, value, type_)


def _transposed(value: ArrayValue) -> bool:
    return len(value.dims) == 2 and value.strides == ("1", value.dims[0])


def by_blas(gen: Gen, a: ArrayValue, b: ArrayValue, target: ArrayValue) -> str:
    """Multiplies matrices into `target` where they are large; whether it did, an i1."""
    f = gen.f
    rows, (inner, columns) = a.dims[0], b.dims
    work = gen.size_of([rows, inner, columns], 1)
    fits = f.value(f"icmp sge i64 {work}, {gen.shared.planner.prims.costs.blas_products}")
    for extent in (rows, inner, columns):
        short = f.value(f"icmp sle i64 {extent}, {_LONGEST}")
        fits = f.value(f"and i1 {fits}, {short}")
    done = f.slot("i1")
    f.store("i1", "false", done)
    args = [("ptr", "%ctx"), ("ptr", target.ptr)]
    for operand in (a, b):
        args += [("ptr", operand.ptr), ("i8", str(ord("T" if _transposed(operand) else "N")))]
    args += [("i64", extent) for extent in (rows, inner, columns)]
    gen.choose(fits, lambda: f.store("i1", f.call("i1", "rg_gemm", args), done), lambda: None)
    return f.load("i1", done)


GEMM_TEXT = f"""
define internal i1 @rg_gemm(
  ptr %ctx, ptr %c, ptr %a, i8 %ta, ptr %b, i8 %tb, i64 %rows, i64 %inner, i64 %columns
) noinline {{
entry:
  %gemm = call ptr @rg_routine_enter(ptr %ctx, i64 {library_offset("dgemm")})
  %none = icmp eq ptr %gemm, null
  br i1 %none, label %without, label %have
without:
  ret i1 false
have:
  %m = alloca i32
  %n = alloca i32
  %k = alloca i32
  %lda = alloca i32
  %ldb = alloca i32
  %tap = alloca i8
  %tbp = alloca i8
  %one = alloca double
  %zero = alloca double
  %rows32 = trunc i64 %rows to i32
  %inner32 = trunc i64 %inner to i32
  %columns32 = trunc i64 %columns to i32
  store i32 %rows32, ptr %n
  store i32 %inner32, ptr %k
  store i32 %columns32, ptr %m
  %atrans = icmp eq i8 %ta, {ord("T")}
  %btrans = icmp eq i8 %tb, {ord("T")}
  %lda32 = select i1 %atrans, i32 %rows32, i32 %inner32
  %ldb32 = select i1 %btrans, i32 %inner32, i32 %columns32
  store i32 %lda32, ptr %lda
  store i32 %ldb32, ptr %ldb
  store i8 %ta, ptr %tap
  store i8 %tb, ptr %tbp
  store double 1.0, ptr %one
  store double 0.0, ptr %zero
  call void %gemm(
    ptr %tbp, ptr %tap, ptr %m, ptr %n, ptr %k, ptr %one, ptr %b, ptr %ldb, ptr %a, ptr %lda,
    ptr %zero, ptr %c, ptr %m
  )
  call void @rg_routine_leave(ptr %ctx)
  ret i1 true
}}
"""
"""`rg_gemm` writes c = a b (row-major; to BLAS, which counts columns first, that is c' = b' a').

It returns false where there is no BLAS to call.
"""
