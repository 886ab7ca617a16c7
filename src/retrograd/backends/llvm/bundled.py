"""Machine code of products in which one operand is of bundles.

Sums are serial, each term fused; the lanes of a bundle are what runs side by side.
"""

from __future__ import annotations

from collections.abc import Callable

from retrograd.backends.llvm.elementwise import fill_from
from retrograd.backends.llvm.gen import AnyValue, Gen
from retrograd.backends.llvm.scalar import emit_scalar, splat
from retrograd.backends.llvm.text import BUNDLE, ArrayValue
from retrograd.ir.types import DType, Type

__all__ = ["bundled_product", "in_groups"]

_ROWS = 4
"""Rows that are multiplied together: one sum alone would wait for each of its additions."""


def bundled_product(gen: Gen, a: ArrayValue, b: ArrayValue, out: Type) -> AnyValue:
    """`matmul` of contiguous operands; the result is a bundle, or an array of them."""
    if b.type.rank == 2:
        return _columns(gen, a, b, out)
    length = b.dims[0]
    if a.type.rank == 1:
        return _fused_runs(gen, length, 1, lambda k: [[_factor(gen, a, k), _factor(gen, b, k)]])[0]
    target = gen.allocate(out, [a.dims[0]])
    _rows(gen, a, b, target)
    return target


def in_groups(gen: Gen, count: str, size: int, some: Callable[[str, int], None]) -> None:
    """`some(first, size)` for whole groups of 0 .. count-1, `some(first, 1)` for the rest."""
    f = gen.f
    if count.isdecimal() and int(count) < size:
        if count != "0":
            some("0", int(count))
        return
    groups = f.value(f"sdiv i64 {count}, {size}")
    gen.loop(groups, lambda g: some(f.value(f"mul nsw i64 {g}, {size}"), size))
    done = f.value(f"mul nsw i64 {groups}, {size}")
    left = f.value(f"sub nsw i64 {count}, {done}")
    gen.loop(left, lambda k: some(f.value(f"add nsw i64 {done}, {k}"), 1))


def _factor(gen: Gen, source: ArrayValue, place: str) -> str:
    """An element of an operand; a float goes to all lanes."""
    value = gen.read(source.type.dtype, gen.at(source, place))
    return value if source.type.dtype is DType.BUNDLE else splat(gen.f, value)


def _fma(gen: Gen, args: list[str]) -> str:
    return emit_scalar(gen.f, "fma", args, [DType.BUNDLE] * 3, DType.BUNDLE)


def _fused_runs(
    gen: Gen, trips: str, count: int, pairs: Callable[[str], list[list[str]]]
) -> list[str]:
    """Sums of products, side by side."""
    f = gen.f
    slots = [f.slot(BUNDLE) for _ in range(count)]
    for slot in slots:
        f.store(BUNDLE, "zeroinitializer", slot)

    def step(k: str) -> None:
        for slot, pair in zip(slots, pairs(k), strict=True):
            f.store(BUNDLE, _fma(gen, [*pair, f.load(BUNDLE, slot)]), slot)

    gen.loop(trips, step, gen.vector_hint())
    return [f.load(BUNDLE, slot) for slot in slots]


def _rows(gen: Gen, a: ArrayValue, b: ArrayValue, target: ArrayValue) -> None:
    """Each row of `a` with the vector `b`."""
    f = gen.f
    length, rows = b.dims[0], a.dims[0]

    def group(first: str, count: int) -> None:
        numbers = [first, *(f.value(f"add nsw i64 {first}, {n}") for n in range(1, count))]
        starts = [f.value(f"mul nsw i64 {r}, {length}") for r in numbers]

        def pairs(k: str) -> list[list[str]]:
            right = _factor(gen, b, k)
            places = [f.value(f"add nsw i64 {start}, {k}") for start in starts]
            return [[_factor(gen, a, place), right] for place in places]

        totals = _fused_runs(gen, length, count, pairs)
        for number, total in zip(numbers, totals, strict=True):
            gen.write(DType.BUNDLE, total, gen.at(target, number))

    in_groups(gen, rows, _ROWS, group)


def _columns(gen: Gen, a: ArrayValue, b: ArrayValue, out: Type) -> ArrayValue:
    """(n, k) or (k) times (k, m), along the rows of the result."""
    f = gen.f
    columns = b.dims[1]
    rows = a.dims[0] if a.type.rank == 2 else "1"
    target = gen.allocate(out, [rows, columns] if out.rank == 2 else [columns])
    fill_from(gen, target, "zeroinitializer")

    def row(i: str) -> None:
        def inner(k: str) -> None:
            at_a = f.value(f"add nsw i64 {f.value(f'mul nsw i64 {i}, {a.dims[-1]}')}, {k}")
            left = _factor(gen, a, at_a)

            def column(j: str) -> None:
                at_b = f.value(f"add nsw i64 {f.value(f'mul nsw i64 {k}, {columns}')}, {j}")
                at_c = f.value(f"add nsw i64 {f.value(f'mul nsw i64 {i}, {columns}')}, {j}")
                place = gen.at(target, at_c)
                old = gen.read(DType.BUNDLE, place)
                gen.write(DType.BUNDLE, _fma(gen, [left, _factor(gen, b, at_b), old]), place)

            gen.loop(columns, column, gen.vector_hint())

        gen.loop(b.dims[0], inner, gen.vector_hint())

    gen.loop(rows, row, gen.vector_hint())
    return target
