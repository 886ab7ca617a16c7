"""Products of matrices by SciPy's BLAS.

Whether they are done by BLAS is a function of the extents alone, so that every variant of a program
gives the same bits. Views are copied first: of transposed operands BLAS adds in another order.
"""

from __future__ import annotations

from retrograd.backends.llvm.gen import Gen
from retrograd.runtime.library import library_offset

__all__ = ["GEMM_TEXT", "is_large"]

_LONGEST = 2**31 - 1
"""Extents are 32-bit numbers in BLAS."""


def is_large(gen: Gen, rows: str, inner: str, columns: str, least: int) -> str:
    """Whether a product has so many terms, and BLAS can do it: an i1."""
    f = gen.f
    work = gen.size_of([rows, inner, columns], 1)
    fits = f.value(f"icmp sge i64 {work}, {least}")
    for extent in (rows, inner, columns):
        short = f.value(f"icmp sle i64 {extent}, {_LONGEST}")
        fits = f.value(f"and i1 {fits}, {short}")
    return fits


GEMM_TEXT = f"""
define internal i1 @rg_gemm(
  ptr %ctx, ptr %c, ptr %a, ptr %b, i64 %rows, i64 %inner, i64 %columns
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
  %as_it_is = alloca i8
  %one = alloca double
  %zero = alloca double
  %rows32 = trunc i64 %rows to i32
  %inner32 = trunc i64 %inner to i32
  %columns32 = trunc i64 %columns to i32
  store i32 %rows32, ptr %n
  store i32 %inner32, ptr %k
  store i32 %columns32, ptr %m
  store i8 {ord("N")}, ptr %as_it_is
  store double 1.0, ptr %one
  store double 0.0, ptr %zero
  call void %gemm(
    ptr %as_it_is, ptr %as_it_is, ptr %m, ptr %n, ptr %k, ptr %one, ptr %b, ptr %m, ptr %a, ptr %k,
    ptr %zero, ptr %c, ptr %m
  )
  call void @rg_routine_leave(ptr %ctx)
  ret i1 true
}}
"""
"""`rg_gemm` writes c = a b (row-major; to BLAS, which counts columns first, that is c' = b' a').

It returns false where there is no BLAS to call.
"""
