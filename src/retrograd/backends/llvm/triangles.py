"""Lower triangles from rows to columns, where they stay, and back.

Columns of a lower triangle lie where rows of an upper one would, in the same array. Squares of four
by four go through registers, two below each other, which are whole lines of the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrograd.backends.llvm.gen import Gen
from retrograd.backends.llvm.text import ArrayValue
from retrograd.ir.types import DType

__all__ = ["from_columns", "in_columns"]

_FOUR = "<4 x double>"
_TILE = 8
_PAIRS = ("0, i32 4, i32 2, i32 6", "1, i32 5, i32 3, i32 7")
_HALVES = ("0, i32 1, i32 4, i32 5", "2, i32 3, i32 6, i32 7")


def in_columns(gen: Gen, target: ArrayValue, source: ArrayValue, n: str) -> None:
    """Column after column of the lower triangle of `source`, a matrix of n rows, in `target`.

    The rest of `target` is left as it is, but for squares on the diagonal."""
    f = gen.f
    start = "0"
    if source.strides is None:
        start = f.value(f"and i64 {n}, {-_TILE}")

        def tile(i: str, number: str) -> None:
            def squares(j: str) -> None:
                for down in _downwards(gen, i):
                    rows = _loaded(gen, source, (down, j), n)
                    _stored(gen, target, (j, down), n, _turned(gen, rows))

            _every_fourth(gen, f.value(f"add nsw i64 {number}, 1"), squares)

        _each_tile(gen, n, tile)

    def element(i: str, j: str) -> None:
        value = gen.read(DType.F64, gen.address(source, [i, j]))
        gen.write(DType.F64, value, gen.address(target, [j, i]))

    _each_below(gen, (start, n), element, 1)


def from_columns(gen: Gen, matrix: ArrayValue, n: str) -> None:
    """Rows of a lower triangle, and zeros beside it, where it lay column after column."""
    f = gen.f

    def element(i: str, j: str) -> None:
        place = gen.address(matrix, [j, i])
        gen.write(DType.F64, gen.read(DType.F64, place), gen.address(matrix, [i, j]))
        gen.write(DType.F64, "0.0", place)

    def tile(i: str, number: str) -> None:
        def squares(j: str) -> None:
            for down in _downwards(gen, i):
                rows = _loaded(gen, matrix, (j, down), n)
                _stored(gen, matrix, (down, j), n, _turned(gen, rows))
                _stored(gen, matrix, (j, down), n, ["zeroinitializer"] * 4)

        _every_fourth(gen, number, squares)

        def row(k: str) -> None:
            at = f.value(f"add nsw i64 {i}, {k}")
            gen.loop(k, lambda c: element(at, f.value(f"add nsw i64 {i}, {c}")))

        gen.loop(str(_TILE), row)

    _each_tile(gen, n, tile)
    _each_below(gen, (f.value(f"and i64 {n}, {-_TILE}"), n), element, 0)


def _downwards(gen: Gen, i: str) -> tuple[str, str]:
    return i, gen.f.value(f"add nsw i64 {i}, 4")


def _each_tile(gen: Gen, n: str, use: Callable[[str, str], None]) -> None:
    """`use(first row, number)` for as many whole tiles as there are."""
    f = gen.f
    gen.loop(
        f.value(f"lshr i64 {n}, 3"), lambda t: use(f.value(f"mul nuw nsw i64 {t}, {_TILE}"), t)
    )


def _every_fourth(gen: Gen, tiles: str, use: Callable[[str], None]) -> None:
    """Every fourth column of so many tiles."""
    f = gen.f
    count = f.value(f"mul nuw nsw i64 {tiles}, 2")
    gen.loop(count, lambda k: use(f.value(f"mul nuw nsw i64 {k}, 4")))


def _each_below(
    gen: Gen, rows: tuple[str, str], use: Callable[[str, str], None], diagonal: int
) -> None:
    """`use(row, column)` for the elements of the lower triangle in some rows."""
    f = gen.f
    start, end = rows

    def row(k: str) -> None:
        i = f.value(f"add nsw i64 {start}, {k}")
        gen.loop(f.value(f"add nsw i64 {i}, {diagonal}"), lambda j: use(i, j))

    gen.loop(f.value(f"sub nsw i64 {end}, {start}"), row)


def _places(gen: Gen, array: ArrayValue, corner: tuple[str, str], n: str) -> list[str]:
    """Where the four rows of a square begin."""
    f, (i, j) = gen.f, corner
    first = f.value(f"add nsw i64 {f.value(f'mul nsw i64 {i}, {n}')}, {j}")
    places = [gen.at(array, first)]
    for _ in range(3):
        first = f.value(f"add nsw i64 {first}, {n}")
        places.append(gen.at(array, first))
    return places


def _loaded(gen: Gen, array: ArrayValue, corner: tuple[str, str], n: str) -> list[str]:
    return [gen.f.load(_FOUR, place, ", align 8") for place in _places(gen, array, corner, n)]


def _stored(
    gen: Gen, array: ArrayValue, corner: tuple[str, str], n: str, rows: Sequence[str]
) -> None:
    for place, row in zip(_places(gen, array, corner, n), rows, strict=True):
        gen.f.store(_FOUR, row, place, ", align 8")


def _turned(gen: Gen, rows: Sequence[str]) -> list[str]:
    """The columns of a square, of its rows."""

    def mixed(a: str, b: str, which: str) -> str:
        return gen.f.value(f"shufflevector {_FOUR} {a}, {_FOUR} {b}, <4 x i32> <i32 {which}>")

    upper, lower = ([mixed(a, b, pair) for pair in _PAIRS] for a, b in (rows[:2], rows[2:]))
    return [mixed(a, b, half) for half in _HALVES for a, b in zip(upper, lower, strict=True)]
