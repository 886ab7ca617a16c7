"""Machine code of factorisations and of systems of equations: calls of SciPy's LAPACK.

LAPACK has columns first and numbers of 32 bits. Operands are copied into arrays that it takes, of
which the results are; what it needs beside is taken from the context like every array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrograd.backends.llvm.elementwise import contiguous, fill_from
from retrograd.backends.llvm.gen import AnyValue, Gen
from retrograd.backends.llvm.text import ArrayValue
from retrograd.ir.terms import Prim, Stm
from retrograd.ir.types import F64, I64, WIDTH, DType
from retrograd.runtime.library import library_offset

__all__ = ["lu", "lu_solve"]

_LONGEST = 2**31 - 1
_F1, _F2 = F64.with_rank(1), F64.with_rank(2)

_Passed = tuple[str, str]
"""A type and a value that LAPACK is given: of a pointer itself, of anything else the address."""


def _call(gen: Gen, routine: str, args: Sequence[_Passed]) -> str:
    """Calls a routine; the value of its last argument, `info`, which is left out."""
    f = gen.f
    passed: list[str] = []
    for type_, value in args:
        if type_ == "ptr":
            passed.append(value)
            continue
        slot = f.slot(type_)
        f.store(type_, f.value(f"trunc i64 {value} to i32") if type_ == "i32" else value, slot)
        passed.append(slot)
    info = f.slot("i32")
    f.store("i32", "0", info)
    where = [("ptr", "%ctx"), ("i64", str(library_offset(routine)))]
    address = f.call("ptr", "rg_lapack_enter", where)
    found = f.value(f"icmp ne ptr {address}, null")
    gen.require(found, "ImportError", "the LAPACK of SciPy is not found", gen.here)
    f.emit(f"call void {address}({', '.join(f'ptr {p}' for p in (*passed, info))})")
    f.call_void("rg_lapack_leave", [("ptr", "%ctx")])
    return f.value(f"sext i32 {f.load('i32', info)} to i64")


def _leading(gen: Gen, extent: str) -> str:
    """The distance of columns of so many elements."""
    return gen.f.call("i64", "llvm.smax.i64", [("i64", extent), ("i64", "1")])


def _short(gen: Gen, extents: Sequence[str]) -> None:
    """The extents are numbers of LAPACK."""
    for extent in dict.fromkeys(extents):
        good = gen.f.value(f"icmp sle i64 {extent}, {_LONGEST}")
        message = "an extent of {0} is more than LAPACK takes"
        gen.require(good, "ValueError", message, gen.here, [extent])


def _columns_first(ptr: str, rows: str, columns: str) -> ArrayValue:
    """The matrix that lies at `ptr`, column after column."""
    return ArrayValue(ptr, (rows, columns), _F2, ("1", rows), ptr)


def _copied(gen: Gen, value: AnyValue, rows: str, columns: str) -> ArrayValue:
    """A new array with the columns of a matrix as its rows."""
    held = gen.allocate(_F2, [columns, rows])
    fill_from(gen, _columns_first(held.ptr, rows, columns), value)
    return held


def _when(gen: Gen, cond: str, then: Callable[[], None]) -> None:
    gen.choose(cond, then, lambda: None)


def _int_place(gen: Gen, array: str, k: str) -> str:
    return gen.f.value(f"getelementptr inbounds i32, ptr {array}, i64 {k}")


def lu(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The handler of `lu`."""
    f = gen.f
    a, rows = gen.any(expr.args[0]), gen.scalar(expr.args[1])
    n = _dims(a)[0]
    _short(gen, [n])
    out = gen.allocate(_F2, [rows, n])
    fill_from(gen, _columns_first(out.ptr, n, n), a)
    # The swaps are half as long as the row that they become.
    swaps = gen.at(out, f.value(f"mul nsw i64 {n}, {n}"))
    info = _call(
        gen, "dgetrf",
        [("i32", n), ("i32", n), ("ptr", out.ptr), ("i32", _leading(gen, n)), ("ptr", swaps)],
    )  # fmt: skip

    def zero_pivot() -> None:
        before = f.value(f"sub nsw i64 {info}, 1")
        place = f.value(f"mul nsw i64 {before}, {f.value(f'add nsw i64 {n}, 1')}")
        gen.write(DType.F64, "0.0", gen.at(out, place))

    _when(gen, f.value(f"icmp sgt i64 {info}, 0"), zero_pivot)

    def widen(k: str) -> None:
        place = f.value(f"sub nsw i64 {f.value(f'sub nsw i64 {n}, 1')}, {k}")
        number = f.load("i32", _int_place(gen, swaps, place))
        value = f.value(f"sitofp i32 {f.value(f'sub i32 {number}, 1')} to double")
        wide = f.value(f"getelementptr inbounds double, ptr {swaps}, i64 {place}")
        f.store("double", value, wide)

    gen.loop(n, widen, f", !llvm.loop {_NOT_VECTORISED}")
    return [out]


_NOT_VECTORISED = "!14"


def _dims(value: AnyValue) -> tuple[str, ...]:
    if isinstance(value, str):
        raise AssertionError("a matrix is no scalar")
    return value.dims


def lu_solve(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The handler of `lu_solve`."""
    f = gen.f
    out_type = stm.outs[0].type
    factors, drop = contiguous(gen, gen.any(expr.args[1]), expr.args[1].type)
    b, drop_b = contiguous(gen, gen.any(expr.args[2]), expr.args[2].type)
    n, columns = b.dims
    wide = columns
    if out_type.is_bundle:
        wide = f.value(f"mul nsw i64 {columns}, {WIDTH}")
    _short(gen, [n, wide])
    held = _copied(gen, ArrayValue(b.ptr, (n, wide), _F2, None, b.root), n, wide)
    swaps = gen.allocate(I64.with_rank(1), [n])
    last = gen.at(factors, f.value(f"mul nsw i64 {n}, {n}"))

    def narrow(k: str) -> None:
        place = f.value(f"getelementptr inbounds double, ptr {last}, i64 {k}")
        number = f.value(f"fptosi double {gen.read(DType.F64, place)} to i32")
        f.store("i32", f.value(f"add i32 {number}, 1"), _int_place(gen, swaps.ptr, k))

    gen.loop(n, narrow)
    lead = _leading(gen, n)
    trans = ord("T" if dict(expr.params)["trans"] else "N")
    _call(
        gen, "dgetrs",
        [
            ("i8", str(trans)), ("i32", n), ("i32", wide), ("ptr", factors.ptr), ("i32", lead),
            ("ptr", swaps.ptr), ("ptr", held.ptr), ("i32", lead),
        ],
    )  # fmt: skip
    out = gen.allocate(out_type, [n, columns])
    flat = ArrayValue(out.ptr, (n, wide), _F2, None, out.root)
    fill_from(gen, flat, _columns_first(held.ptr, n, wide))
    gen.free(held)
    gen.free(swaps)
    for value, dropped in ((factors, drop), (b, drop_b)):
        if dropped:
            gen.free(value)
    return [out]
