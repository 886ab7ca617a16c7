"""Loops of products of matrices and vectors.

Where the right operand is a vector, a result is a run in the lanes of `reduce`, each term fused
into its lane. The others are serial in the inner extent, fused, and vectorised along the columns.
What shares loads runs side by side, in the order that it would have alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from retrograd.backends.llvm.bundled import in_groups
from retrograd.backends.llvm.elementwise import fill_from
from retrograd.backends.llvm.gen import Gen
from retrograd.backends.llvm.metadata import LANES_TBAA, TBAA
from retrograd.backends.llvm.reduce import (
    BLOCK,
    LANES,
    VECTOR,
    fold,
    lane_at,
    zeroed_lanes,
    zeroed_totals,
)
from retrograd.backends.llvm.text import ArrayValue
from retrograd.ir.types import DType

__all__ = ["by_rows", "dot_rows", "dots"]

_ROWS = 4
"""Rows that share the loads of the vector; their lanes fill half of the widest registers."""

_TERMS = 4
"""Terms that are added to an element of a row between loading and storing it."""

_NARROW = 4
"""Columns up to which the elements of a row stay in registers."""


def _fma(gen: Gen, kind: str, a: str, b: str, c: str) -> str:
    name = {"double": "f64", VECTOR: f"v{LANES}f64"}[kind]
    return gen.f.call(kind, f"llvm.fma.{name}", [(kind, a), (kind, b), (kind, c)])


def dot_rows(gen: Gen, a: ArrayValue, b: ArrayValue, target: ArrayValue) -> None:
    """Each row of `a` with the vector `b`."""
    f = gen.f
    length = b.dims[0]

    def rows(first: str, count: int) -> None:
        places = [f.value(f"add nsw i64 {first}, {r}") for r in range(count)]
        starts = [gen.at(a, f.value(f"mul nsw i64 {r}, {length}")) for r in places]
        for place, total in zip(places, dots(gen, starts, b.ptr, length), strict=True):
            gen.write(DType.F64, total, gen.at(target, place))

    in_groups(gen, a.dims[0], _ROWS, rows)


def dots(gen: Gen, rows: Sequence[str], vector: str, length: str, short: bool = False) -> list[str]:
    """The products of rows (by their addresses) with a vector, which may be known to be `short`."""
    f = gen.f
    totals = zeroed_totals(gen, len(rows))

    def element(array: str, k: str) -> str:
        return gen.read(DType.F64, f.value(f"getelementptr inbounds double, ptr {array}, i64 {k}"))

    def serial() -> None:
        def step(k: str) -> None:
            right = element(vector, k)
            for row, total in zip(rows, totals, strict=True):
                term = _fma(gen, "double", element(row, k), right, f.load("double", total))
                f.store("double", term, total)

        gen.loop(length, step)

    def block(b: str, lanes: Sequence[str]) -> None:
        base = f.value(f"mul nuw nsw i64 {b}, {BLOCK}")
        rest = f.value(f"sub nsw i64 {length}, {base}")
        size = f.call("i64", "llvm.smin.i64", [("i64", rest), ("i64", str(BLOCK))])
        starts = [
            f.value(f"getelementptr inbounds double, ptr {x}, i64 {base}") for x in (*rows, vector)
        ]
        done = _whole_lanes(gen, starts[:-1], starts[-1], lanes, size)

        def remainder(j: str) -> None:
            k = f.value(f"add nuw nsw i64 {done}, {j}")
            right = element(starts[-1], k)
            for start, lane in zip(starts, lanes, strict=False):
                place = lane_at(gen, lane, k)
                old = f.load("double", place, f", {LANES_TBAA}")
                new = _fma(gen, "double", element(start, k), right, old)
                f.store("double", new, place, f", {LANES_TBAA}")

        gen.loop(f.value(f"sub nsw i64 {size}, {done}"), remainder)
        fold(gen, lanes, totals)

    def long() -> None:
        lanes = zeroed_lanes(gen, len(rows))
        blocks = f.value(f"sdiv i64 {f.value(f'add i64 {length}, {BLOCK - 1}')}, {BLOCK}")
        gen.loop(blocks, lambda b: block(b, lanes))

    if short or (length.isdecimal() and int(length) < LANES):
        serial()
    else:
        gen.choose(f.value(f"icmp slt i64 {length}, {LANES}"), serial, long)
    return [f.load("double", total) for total in totals]


def _whole_lanes(
    gen: Gen, rows: Sequence[str], vector: str, lanes: Sequence[str], size: str
) -> str:
    """Sets the lanes to what whole groups of 32 terms add up to; how many terms that were."""
    f = gen.f
    held = [f.slot(VECTOR, 64) for _ in lanes]
    for slot in held:
        f.store(VECTOR, "zeroinitializer", slot)
    groups = f.value(f"sdiv i64 {size}, {LANES}")

    def load(array: str, k: str) -> str:
        place = f.value(f"getelementptr inbounds double, ptr {array}, i64 {k}")
        return f.load(VECTOR, place, f", align 8, {TBAA[DType.F64]}")

    def group(g: str) -> None:
        k = f.value(f"mul nuw nsw i64 {g}, {LANES}")
        right = load(vector, k)
        for row, slot in zip(rows, held, strict=True):
            f.store(VECTOR, _fma(gen, VECTOR, load(row, k), right, f.load(VECTOR, slot)), slot)

    gen.loop(groups, group, gen.vector_hint())
    for slot, lane in zip(held, lanes, strict=True):
        f.store(VECTOR, f.load(VECTOR, slot), lane, f", align 64, {LANES_TBAA}")
    return f.value(f"mul nuw nsw i64 {groups}, {LANES}")


def by_rows(gen: Gen, a: ArrayValue, b: ArrayValue, target: ArrayValue) -> None:
    """The rows of the result; those of few elements stay in registers."""
    columns = b.dims[1]
    if columns.isdecimal():
        few = 0 < int(columns) <= _NARROW
        _narrow(gen, a, b, target, int(columns)) if few else _wide(gen, a, b, target)
        return

    def few_columns() -> None:
        for count in range(1, _NARROW + 1):
            equal = gen.f.value(f"icmp eq i64 {columns}, {count}")
            gen.choose(equal, partial(_narrow, gen, a, b, target, count), lambda: None)

    more = gen.f.value(f"icmp sgt i64 {columns}, {_NARROW}")
    gen.choose(more, partial(_wide, gen, a, b, target), few_columns)


def _narrow(gen: Gen, a: ArrayValue, b: ArrayValue, target: ArrayValue, columns: int) -> None:
    """Some rows at a time, one term after the other."""
    f = gen.f

    def rows(first: str, count: int) -> None:
        places = [f.value(f"add nsw i64 {first}, {r}") for r in range(count)]
        totals = [[f.slot("double") for _ in range(columns)] for _ in places]
        for total in (t for row in totals for t in row):
            f.store("double", "0.0", total)

        def term(k: str) -> None:
            right = [gen.read(DType.F64, gen.address(b, [k, str(j)])) for j in range(columns)]
            for place, row in zip(places, totals, strict=True):
                factor = gen.read(DType.F64, gen.address(a, [place, k]))
                for x, total in zip(right, row, strict=True):
                    f.store(
                        "double", _fma(gen, "double", factor, x, f.load("double", total)), total
                    )

        gen.loop(b.dims[0], term)
        for place, row in zip(places, totals, strict=True):
            for j, total in enumerate(row):
                gen.write(DType.F64, f.load("double", total), gen.address(target, [place, str(j)]))

    in_groups(gen, a.dims[0], _ROWS, rows)


def _wide(gen: Gen, a: ArrayValue, b: ArrayValue, target: ArrayValue) -> None:
    """Row after row of the result, some terms at a time."""
    f = gen.f
    inner, columns = b.dims
    fill_from(gen, target, "0.0")

    def row(i: str) -> None:
        def terms(first: str, count: int) -> None:
            places = [f.value(f"add nsw i64 {first}, {t}") for t in range(count)]
            factors = [gen.read(DType.F64, gen.address(a, [i, k])) for k in places]

            def column(j: str) -> None:
                place = gen.address(target, [i, j])
                total = gen.read(DType.F64, place)
                for factor, k in zip(factors, places, strict=True):
                    right = gen.read(DType.F64, gen.address(b, [k, j]))
                    total = _fma(gen, "double", factor, right, total)
                gen.write(DType.F64, total, place)

            gen.loop(columns, column, gen.vector_hint())

        in_groups(gen, inner, _TERMS, terms)

    gen.loop(a.dims[0], row)
