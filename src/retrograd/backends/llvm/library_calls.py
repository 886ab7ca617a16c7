"""Calls of SciPy's LAPACK from machine code.

LAPACK has columns first and numbers of 32 bits. Operands are copied into arrays that it takes, of
which the results are; what it needs beside is taken from the context like every array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrograd.backends.llvm.elementwise import fill_from
from retrograd.backends.llvm.gen import AnyValue, Gen
from retrograd.backends.llvm.text import ArrayValue
from retrograd.ir.types import F64
from retrograd.runtime.library import library_offset

__all__ = [
    "F1", "F2", "Passed", "call", "columns_first", "copied", "int_place", "leading", "short",
    "when",
]  # fmt: skip

_LONGEST = 2**31 - 1
F1, F2 = F64.with_rank(1), F64.with_rank(2)

Passed = tuple[str, str]
"""A type and a value that LAPACK is given: of a pointer itself, of anything else the address."""


def call(gen: Gen, routine: str, args: Sequence[Passed]) -> str:
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
    address = f.call("ptr", "rg_routine_enter", where)
    found = f.value(f"icmp ne ptr {address}, null")
    gen.require(found, "ImportError", "the LAPACK of SciPy is not found", gen.here)
    f.emit(f"call void {address}({', '.join(f'ptr {p}' for p in (*passed, info))})")
    f.call_void("rg_routine_leave", [("ptr", "%ctx")])
    return f.value(f"sext i32 {f.load('i32', info)} to i64")


def leading(gen: Gen, extent: str) -> str:
    """The distance of columns of so many elements."""
    return gen.f.call("i64", "llvm.smax.i64", [("i64", extent), ("i64", "1")])


def short(gen: Gen, extents: Sequence[str]) -> None:
    """The extents are numbers of LAPACK."""
    for extent in dict.fromkeys(extents):
        good = gen.f.value(f"icmp sle i64 {extent}, {_LONGEST}")
        message = "an extent of {0} is more than LAPACK takes"
        gen.require(good, "ValueError", message, gen.here, [extent])


def columns_first(ptr: str, rows: str, columns: str) -> ArrayValue:
    """The matrix that lies at `ptr`, column after column."""
    return ArrayValue(ptr, (rows, columns), F2, ("1", rows), ptr)


def copied(gen: Gen, value: AnyValue, rows: str, columns: str) -> ArrayValue:
    """A new array with the columns of a matrix as its rows."""
    held = gen.allocate(F2, [columns, rows])
    fill_from(gen, columns_first(held.ptr, rows, columns), value)
    return held


def when(gen: Gen, cond: str, then: Callable[[], None]) -> None:
    """A branch of which the other side does nothing."""
    gen.choose(cond, then, lambda: None)


def int_place(gen: Gen, array: str, k: str) -> str:
    """The address of a number of LAPACK's in an array of them."""
    return gen.f.value(f"getelementptr inbounds i32, ptr {array}, i64 {k}")
