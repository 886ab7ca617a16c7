"""Machine code of systems of equations with a factored or a triangular matrix.

Columns of bundles are solved for as 16 times as many columns.
"""

from __future__ import annotations

from collections.abc import Callable

from retrograd.backends.llvm.elementwise import contiguous, fill_from
from retrograd.backends.llvm.gen import AnyValue, Gen
from retrograd.backends.llvm.library_calls import (
    F2,
    call,
    columns_first,
    copied,
    int_place,
    leading,
    short,
)
from retrograd.backends.llvm.text import ArrayValue
from retrograd.ir.terms import Prim, Stm
from retrograd.ir.types import I64, WIDTH, DType

__all__ = ["lu_solve", "tri_solve"]


def _solved(
    gen: Gen, stm: Stm, right: AnyValue, solve: Callable[[str, str, str], None]
) -> list[AnyValue]:
    """The result of `solve(n, columns, ptr)`, which works in place, column after column."""
    f = gen.f
    type_ = stm.outs[0].type
    b, drop = contiguous(gen, right, type_)
    n, columns = b.dims
    wide = f.value(f"mul nsw i64 {columns}, {WIDTH}") if type_.is_bundle else columns
    short(gen, [n, wide])
    held = copied(gen, ArrayValue(b.ptr, (n, wide), F2, None, b.root), n, wide)
    solve(n, wide, held.ptr)
    out = gen.allocate(type_, [n, columns])
    flat = ArrayValue(out.ptr, (n, wide), F2, None, out.root)
    fill_from(gen, flat, columns_first(held.ptr, n, wide))
    gen.free(held)
    if drop:
        gen.free(b)
    return [out]


def _letter(yes: object, one: str, other: str) -> tuple[str, str]:
    return "i8", str(ord(one if yes else other))


def lu_solve(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The handler of `lu_solve`."""
    f = gen.f
    factors, drop = contiguous(gen, gen.any(expr.args[1]), expr.args[1].type)
    trans = dict(expr.params)["trans"]

    def solve(n: str, columns: str, held: str) -> None:
        swaps = gen.allocate(I64.with_rank(1), [n])
        last = gen.at(factors, f.value(f"mul nsw i64 {n}, {n}"))

        def narrow(k: str) -> None:
            place = f.value(f"getelementptr inbounds double, ptr {last}, i64 {k}")
            number = f.value(f"fptosi double {gen.read(DType.F64, place)} to i32")
            f.store("i32", f.value(f"add i32 {number}, 1"), int_place(gen, swaps.ptr, k))

        gen.loop(n, narrow)
        lead = leading(gen, n)
        call(
            gen, "dgetrs",
            [
                _letter(trans, "T", "N"), ("i32", n), ("i32", columns), ("ptr", factors.ptr),
                ("i32", lead), ("ptr", swaps.ptr), ("ptr", held), ("i32", lead),
            ],
        )  # fmt: skip
        gen.free(swaps)

    found = _solved(gen, stm, gen.any(expr.args[2]), solve)
    if drop:
        gen.free(factors)
    return found


def tri_solve(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The handler of `tri_solve`: rows of the matrix are columns of its transpose."""
    t, drop = contiguous(gen, gen.any(expr.args[0]), expr.args[0].type)
    params = dict(expr.params)

    def solve(n: str, columns: str, held: str) -> None:
        lead = leading(gen, n)
        call(
            gen, "dtrtrs",
            [
                _letter(params["lower"], "U", "L"), _letter(params["trans"], "N", "T"),
                _letter(params["unit"], "U", "N"), ("i32", n), ("i32", columns), ("ptr", t.ptr),
                ("i32", lead), ("ptr", held), ("i32", lead),
            ],
        )  # fmt: skip

    found = _solved(gen, stm, gen.any(expr.args[1]), solve)
    if drop:
        gen.free(t)
    return found
