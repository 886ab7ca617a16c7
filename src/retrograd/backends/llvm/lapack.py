"""Machine code of factorisations, by SciPy's LAPACK; `prims.lapack` says how results lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrograd.backends.llvm.elementwise import fill_from
from retrograd.backends.llvm.equations import lu_solve, tri_solve
from retrograd.backends.llvm.gen import AnyValue, Gen
from retrograd.backends.llvm.library_calls import (
    F1,
    F2,
    Passed,
    call,
    columns_first,
    copied,
    int_place,
    leading,
    short,
    when,
)
from retrograd.backends.llvm.text import ArrayValue
from retrograd.backends.llvm.triangles import from_columns, in_columns
from retrograd.ir.terms import Prim, Stm
from retrograd.ir.types import DType

__all__ = ["LAPACK_OPS"]


def _dims(value: AnyValue) -> tuple[str, ...]:
    if isinstance(value, str):
        raise AssertionError("a matrix is no scalar")
    return value.dims


def lu(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The handler of `lu`."""
    f = gen.f
    a, rows = gen.any(expr.args[0]), gen.scalar(expr.args[1])
    n = _dims(a)[0]
    short(gen, [n])
    out = gen.allocate(F2, [rows, n])
    fill_from(gen, columns_first(out.ptr, n, n), a)
    # The swaps are half as long as the row that they become.
    swaps = gen.at(out, f.value(f"mul nsw i64 {n}, {n}"))
    info = call(
        gen, "dgetrf",
        [("i32", n), ("i32", n), ("ptr", out.ptr), ("i32", leading(gen, n)), ("ptr", swaps)],
    )  # fmt: skip

    def zero_pivot() -> None:
        before = f.value(f"sub nsw i64 {info}, 1")
        place = f.value(f"mul nsw i64 {before}, {f.value(f'add nsw i64 {n}, 1')}")
        gen.write(DType.F64, "0.0", gen.at(out, place))

    when(gen, f.value(f"icmp sgt i64 {info}, 0"), zero_pivot)

    def widen(k: str) -> None:
        place = f.value(f"sub nsw i64 {f.value(f'sub nsw i64 {n}, 1')}, {k}")
        number = f.load("i32", int_place(gen, swaps, place))
        value = f.value(f"sitofp i32 {f.value(f'sub i32 {number}, 1')} to double")
        wide = f.value(f"getelementptr inbounds double, ptr {swaps}, i64 {place}")
        f.store("double", value, wide)

    gen.loop(n, widen)
    return [out]


def cholesky(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The handler of `cholesky`.

    Rows of a lower triangle are columns of an upper one, for which OpenBLAS takes an eighth longer:
    the triangle is turned round where it is copied anyway, and back afterwards.
    """
    f = gen.f
    a = gen.array(expr.args[0])
    n = a.dims[0]
    short(gen, [n])
    out = gen.allocate(F2, [n, n])
    in_columns(gen, out, a, n)
    letter = ("i8", str(ord("L")))
    info = call(gen, "dpotrf", [letter, ("i32", n), ("ptr", out.ptr), ("i32", leading(gen, n))])
    from_columns(gen, out, n)

    def mark() -> None:
        order = f.value(f"sitofp i64 {info} to double")
        gen.write(DType.F64, f.value(f"fneg double {order}"), out.ptr)

    when(gen, f.value(f"icmp sgt i64 {info}, 0"), mark)
    return [out]


def _with_room(gen: Gen, routine: str, args: Sequence[Passed], ints: str | None = None) -> str:
    """Calls a routine that takes work space at the end, as much as it asks for; `info`.

    `ints` is how many numbers of 32 bits it takes too. None: none. An empty string: it is asked.
    """
    f = gen.f
    wish, count = f.slot("double"), f.slot("i32")
    f.store("double", "0.0", wish)
    f.store("i32", "1", count)
    ask: list[Passed] = [*args, ("ptr", wish), ("i32", "-1")]
    if ints is not None:
        ask += [("ptr", count), ("i32", "-1")] if ints == "" else [("ptr", count)]
    call(gen, routine, ask)
    size = f.value(f"fptosi double {f.load('double', wish)} to i64")
    work = gen.allocate(F1, [size])
    given: list[Passed] = [*args, ("ptr", work.ptr), ("i32", size)]
    numbers = work
    if ints is not None:
        asked = f.value(f"sext i32 {f.load('i32', count)} to i64")
        number = ints or asked
        numbers = gen.allocate(F1, [number])
        given += [("ptr", numbers.ptr), ("i32", number)] if ints == "" else [("ptr", numbers.ptr)]
    info = call(gen, routine, given)
    gen.free(work)
    if ints is not None:
        gen.free(numbers)
    return info


def eigh(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The handler of `eigh`."""
    f = gen.f
    a, rows = gen.any(expr.args[0]), gen.scalar(expr.args[1])
    n = _dims(a)[0]
    short(gen, [n])
    out = gen.allocate(F2, [rows, n])
    vectors = gen.at(out, n)
    fill_from(gen, columns_first(vectors, n, n), a)
    args: list[Passed] = [
        ("i8", str(ord("V"))), ("i8", str(ord("L"))), ("i32", n), ("ptr", vectors),
        ("i32", leading(gen, n)), ("ptr", out.ptr),
    ]  # fmt: skip

    def some() -> None:
        info = _with_room(gen, "dsyevd", args, "")
        failed = f.value(f"icmp ne i64 {info}, 0")
        when(gen, failed, lambda: gen.write(DType.F64, "-2.0", vectors))

    when(gen, f.value(f"icmp sgt i64 {n}, 0"), some)
    return [out]


def eigvals(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The handler of `eigvals`: without vectors, the places of which are not looked at."""
    return _general(gen, expr, False)


def eig(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The handler of `eig`: columns of LAPACK's are rows."""
    return _general(gen, expr, True)


def _general(gen: Gen, expr: Prim, vectors: bool) -> list[AnyValue]:
    f = gen.f
    a, rows, n = gen.any(expr.args[0]), gen.scalar(expr.args[1]), gen.scalar(expr.args[2])
    short(gen, [n])
    out = gen.allocate(F2, [rows, n])
    below = gen.at(out, n)

    def some() -> None:
        held, lead = copied(gen, a, n, n), ("i32", leading(gen, n))
        nothing: list[Passed] = [("ptr", held.ptr), ("i32", "1")]
        rest = f.value(f"mul nsw i64 {n}, 2")
        right: list[Passed] = [("ptr", gen.at(out, rest)), lead] if vectors else nothing
        args: list[Passed] = [
            ("i8", str(ord("N"))), ("i8", str(ord("V" if vectors else "N"))), ("i32", n),
            ("ptr", held.ptr), lead, ("ptr", out.ptr), ("ptr", below), *nothing, *right,
        ]  # fmt: skip
        failed = f.value(f"icmp ne i64 {_with_room(gen, 'dgeev', args)}, 0")
        when(gen, failed, lambda: gen.write(DType.F64, "0x7FF8000000000000", below))
        gen.free(held)

    when(gen, f.value(f"icmp sgt i64 {n}, 0"), some)
    return [out]


def svd(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The handler of `svd`: its transposed right vectors, column after column, are V."""
    f = gen.f
    a, rows, k = gen.any(expr.args[0]), gen.scalar(expr.args[1]), gen.scalar(expr.args[2])
    m, n = _dims(a)
    short(gen, [m, n])
    out = gen.allocate(F2, [rows, k])
    right = gen.at(out, k)
    left = gen.at(out, f.value(f"mul nsw i64 {f.value(f'add nsw i64 {n}, 1')}, {k}"))

    def some() -> None:
        held, u = copied(gen, a, m, n), gen.allocate(F2, [k, m])
        lead = leading(gen, m)
        args: list[Passed] = [
            ("i8", str(ord("S"))), ("i32", m), ("i32", n), ("ptr", held.ptr), ("i32", lead),
            ("ptr", out.ptr), ("ptr", u.ptr), ("i32", lead), ("ptr", right),
            ("i32", leading(gen, k)),
        ]  # fmt: skip
        # 8 k numbers of half the size of a float
        info = _with_room(gen, "dgesdd", args, f.value(f"mul nsw i64 {k}, 4"))
        fill_from(gen, ArrayValue(left, (m, k), F2, None, out.root), columns_first(u.ptr, m, k))
        failed = f.value(f"icmp ne i64 {info}, 0")
        when(gen, failed, lambda: gen.write(DType.F64, "-1.0", out.ptr))
        gen.free(held)
        gen.free(u)

    when(gen, f.value(f"icmp sgt i64 {k}, 0"), some)
    return [out]


def qr(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The handler of `qr`."""
    f = gen.f
    a, rows, k = gen.any(expr.args[0]), gen.scalar(expr.args[1]), gen.scalar(expr.args[2])
    m, n = _dims(a)
    short(gen, [m, n])
    out = gen.allocate(F2, [rows, k])
    below = gen.at(out, f.value(f"mul nsw i64 {n}, {k}"))

    def some() -> None:
        held, tau = copied(gen, a, m, n), gen.allocate(F1, [k])
        lead = ("i32", leading(gen, m))
        ends: list[Passed] = [("ptr", held.ptr), lead, ("ptr", tau.ptr)]
        _with_room(gen, "dgeqrf", [("i32", m), ("i32", n), *ends])

        def column(j: str) -> None:
            def element(i: str) -> None:
                value = gen.read(DType.F64, gen.address(held, [j, i]))
                inside = f.value(f"icmp sle i64 {i}, {j}")
                kept = f.value(f"select i1 {inside}, double {value}, double 0.0")
                gen.write(DType.F64, kept, gen.address(out, [j, i]))

            gen.loop(k, element)

        gen.loop(n, column)
        _with_room(gen, "dorgqr", [("i32", m), ("i32", k), ("i32", k), *ends])
        q = ArrayValue(below, (m, k), F2, None, out.root)
        fill_from(gen, q, columns_first(held.ptr, m, k))
        gen.free(held)
        gen.free(tau)

    when(gen, f.value(f"icmp sgt i64 {k}, 0"), some)
    return [out]


LAPACK_OPS: dict[str, Callable[[Gen, Stm, Prim], Sequence[AnyValue]]] = {
    handler.__name__: handler
    for handler in (cholesky, eig, eigh, eigvals, lu, lu_solve, qr, svd, tri_solve)
}
"""The handlers, which have the names of the primitives."""
