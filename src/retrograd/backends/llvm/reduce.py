"""Sums in lanes and the other reductions.

The order of a sum depends on its length only (DESIGN section 5): serial below 32; otherwise element
k goes to lane k % 32, lanes are folded by a fixed tree, and blocks of 8,192 are added serially. The
innermost loop fills a buffer of 32 terms, which LLVM vectorises; the lanes are one vector.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrograd.backends.llvm.gen import Gen
from retrograd.backends.llvm.metadata import LANES_TBAA

__all__ = [
    "BLOCK", "LANES", "VECTOR", "accumulators", "add_chunk", "add_terms", "fold", "lane_at",
    "lane_sums", "zeroed_lanes", "zeroed_totals",
]  # fmt: skip

LANES = 32
BLOCK = 8192
VECTOR = f"<{LANES} x double>"


def _zero_lanes(gen: Gen, lanes: Sequence[str]) -> None:
    for lane in lanes:
        gen.f.store(VECTOR, "zeroinitializer", lane, f", align 64, {LANES_TBAA}")


def lane_at(gen: Gen, lanes: str, k: str) -> str:
    """The address of the lane of element k."""
    position = gen.f.value(f"and i64 {k}, {LANES - 1}")
    return gen.f.value(f"getelementptr inbounds double, ptr {lanes}, i64 {position}")


def _tree(gen: Gen, lanes: str) -> str:
    f = gen.f
    vector = f.load(VECTOR, lanes, f", align 64, {LANES_TBAA}")
    width = LANES
    while width > 1:
        half = width // 2
        low = ", ".join(f"i32 {k}" for k in range(half))
        high = ", ".join(f"i32 {k}" for k in range(half, width))
        kind = f"<{width} x double>"
        a = f.value(f"shufflevector {kind} {vector}, {kind} poison, <{half} x i32> <{low}>")
        b = f.value(f"shufflevector {kind} {vector}, {kind} poison, <{half} x i32> <{high}>")
        vector = f.value(f"fadd <{half} x double> {a}, {b}")
        width = half
    return f.value(f"extractelement <1 x double> {vector}, i64 0")


def accumulators(gen: Gen, count: int) -> tuple[list[str], list[str]]:
    """Lanes and totals of so many sums, all zero."""
    lanes = zeroed_lanes(gen, count)
    return lanes, zeroed_totals(gen, count)


def zeroed_lanes(gen: Gen, count: int) -> list[str]:
    """Lanes of so many sums, all zero."""
    lanes = _lanes(gen, count)
    _zero_lanes(gen, lanes)
    return lanes


def _lanes(gen: Gen, count: int) -> list[str]:
    return [gen.f.slot(VECTOR, 64) for _ in range(count)]


def zeroed_totals(gen: Gen, count: int) -> list[str]:
    """Totals of so many sums, all zero."""
    totals = [gen.f.slot("double") for _ in range(count)]
    for total in totals:
        gen.f.store("double", "0.0", total)
    return totals


def lane_sums(
    gen: Gen, trips: str, count: int, body: Callable[[str], list[str]], innermost: bool,
    chained: bool = False, unrolled: bool = False, short: bool = False,
) -> list[str]:  # fmt: skip
    """`count` sums over k in 0 .. trips-1 of the terms that `body(k)` returns.

    Not innermost: the body is emitted once, with the lanes in memory; known to be `short` (fewer
    than 32 terms): once, and without lanes. Chained, so that there are no vectors to be had: the
    groups of 32 are left out, which are one more copy of it. Unrolled: fewer than 32 terms are
    added four in a row.
    """
    f = gen.f
    lanes: list[str] = []
    totals = zeroed_totals(gen, count)

    def serial() -> None:
        def step(k: str) -> None:
            terms = body(k)
            for total, term in zip(totals, terms, strict=True):
                f.store("double", f.value(f"fadd double {f.load('double', total)}, {term}"), total)

        gen.loop(trips, step, gen.chained_hint() if unrolled else gen.vector_hint())

    def long() -> None:
        lanes[:] = _lanes(gen, count)
        blocks = f.value(f"sdiv i64 {f.value(f'add i64 {trips}, {BLOCK - 1}')}, {BLOCK}")
        gen.loop(blocks, lambda b: _one_block(gen, trips, lanes, totals, body, b, not chained))

    if short or (trips.isdecimal() and int(trips) < LANES):
        serial()
    elif innermost:
        gen.choose(f.value(f"icmp slt i64 {trips}, {LANES}"), serial, long)
    else:
        # One copy of the body, which holds loops or calls.
        lanes[:] = zeroed_lanes(gen, count)
        gen.loop(
            trips,
            lambda k: add_terms(gen, trips, lanes, totals, k, body(k)),
            gen.vector_hint(),
        )
    return [f.load("double", total) for total in totals]


def _add_to_lane(gen: Gen, lanes: Sequence[str], k: str, terms: Sequence[str]) -> None:
    f = gen.f
    for buffer, term in zip(lanes, terms, strict=True):
        place = lane_at(gen, buffer, k)
        old = f.load("double", place, f", {LANES_TBAA}")
        f.store("double", f.value(f"fadd double {old}, {term}"), place, f", {LANES_TBAA}")


def _one_block(
    gen: Gen, trips: str, lanes: list[str], totals: list[str], body: Callable[[str], list[str]],
    block: str, grouped: bool,
) -> None:  # fmt: skip
    """Terms of one block of 8,192 into the lanes, folded and added to the totals."""
    f = gen.f
    base = f.value(f"mul nuw nsw i64 {block}, {BLOCK}")
    rest = f.value(f"sub nsw i64 {trips}, {base}")
    size = f.call("i64", "llvm.smin.i64", [("i64", rest), ("i64", str(BLOCK))])
    _zero_lanes(gen, lanes)
    _stretch(gen, lanes, body, base, size, grouped)
    fold(gen, lanes, totals)


def _stretch(
    gen: Gen, lanes: Sequence[str], body: Callable[[str], list[str]], base: str, size: str,
    grouped: bool = True,
) -> None:  # fmt: skip
    """Adds `size` terms from `base` on, a multiple of 32, to the lanes.

    `grouped`: 32 at once, but for the remainder.
    """
    f = gen.f
    groups = f.value(f"sdiv i64 {size}, {LANES}") if grouped else "0"
    buffers = [f.slot(f"[{LANES} x double]", 64) for _ in lanes] if grouped else []

    def group(g: str) -> None:
        first = f.value(f"add nuw nsw i64 {base}, {f.value(f'mul nuw nsw i64 {g}, {LANES}')}")

        def lane(k: str) -> None:
            terms = body(f.value(f"add nuw nsw i64 {first}, {k}"))
            for buffer, term in zip(buffers, terms, strict=True):
                place = f.value(f"getelementptr inbounds double, ptr {buffer}, i64 {k}")
                f.store("double", term, place, f", {LANES_TBAA}")

        gen.loop(str(LANES), lane, gen.vector_hint())
        for accumulator, buffer in zip(lanes, buffers, strict=True):
            old = f.load(VECTOR, accumulator, f", align 64, {LANES_TBAA}")
            terms = f.load(VECTOR, buffer, f", align 64, {LANES_TBAA}")
            new = f.value(f"fadd {VECTOR} {old}, {terms}")
            f.store(VECTOR, new, accumulator, f", align 64, {LANES_TBAA}")

    if grouped:
        gen.loop(groups, group, gen.vector_hint())
    done = f.value(f"mul nuw nsw i64 {groups}, {LANES}")
    left = f.value(f"sub nsw i64 {size}, {done}")

    def remainder(k: str) -> None:
        place = f.value(f"add nuw nsw i64 {done}, {k}")
        terms = body(f.value(f"add nuw nsw i64 {base}, {place}"))
        _add_to_lane(gen, lanes, place, terms)

    gen.loop(left, remainder, gen.vector_hint())


def add_chunk(
    gen: Gen, trips: str, lanes: Sequence[str], totals: Sequence[str], first: str, count: str,
    body: Callable[[str], list[str]],
) -> None:  # fmt: skip
    """Adds the terms of iterations first .. first+count-1 of `trips` to sums that stay open.

    `body(j)` gives the terms of iteration first+j. Where `first` is no multiple of 32 they are
    added one by one, so chunks had better begin at such.
    """
    f = gen.f

    def one_by_one() -> None:
        def step(j: str) -> None:
            k = f.value(f"add nuw nsw i64 {first}, {j}")
            add_terms(gen, trips, lanes, totals, k, body(j))

        gen.loop(count, step)

    def in_blocks() -> None:
        end = f.value(f"add nsw i64 {first}, {count}")
        least = f.value(f"sdiv i64 {first}, {BLOCK}")
        beyond = f.value(f"sdiv i64 {f.value(f'add i64 {end}, {BLOCK - 1}')}, {BLOCK}")
        gen.loop(f.value(f"sub i64 {beyond}, {least}"), lambda b: block(b, least, end))

    def block(b: str, least: str, end: str) -> None:
        low = f.value(f"mul nsw i64 {f.value(f'add i64 {least}, {b}')}, {BLOCK}")
        high = f.value(f"add nsw i64 {low}, {BLOCK}")
        start = f.call("i64", "llvm.smax.i64", [("i64", low), ("i64", first)])
        stop = f.call("i64", "llvm.smin.i64", [("i64", high), ("i64", end)])
        size = f.value(f"sub nsw i64 {stop}, {start}")
        offset = f.value(f"sub nsw i64 {start}, {first}")
        _stretch(gen, lanes, body, offset, size)
        full = f.value(f"icmp eq i64 {stop}, {high}")
        full = f.value(f"or i1 {full}, {f.value(f'icmp eq i64 {stop}, {trips}')}")
        gen.choose(full, lambda: _close(gen, lanes, totals), lambda: None)

    short = f.value(f"icmp slt i64 {trips}, {LANES}")
    between = f.value(f"icmp ne i64 {f.value(f'and i64 {first}, {LANES - 1}')}, 0")
    gen.choose(f.value(f"or i1 {short}, {between}"), one_by_one, in_blocks)


def _close(gen: Gen, lanes: Sequence[str], totals: Sequence[str]) -> None:
    fold(gen, lanes, totals)
    _zero_lanes(gen, lanes)


def fold(gen: Gen, lanes: Sequence[str], totals: Sequence[str]) -> None:
    """Adds the sum of each block's lanes to its total."""
    f = gen.f
    for accumulator, total in zip(lanes, totals, strict=True):
        new = f.value(f"fadd double {f.load('double', total)}, {_tree(gen, accumulator)}")
        f.store("double", new, total)


def add_terms(
    gen: Gen, trips: str, lanes: Sequence[str], totals: Sequence[str], k: str, terms: list[str]
) -> None:
    """Adds the terms of iteration k of `trips`, in the order of this module."""
    f = gen.f

    def serial() -> None:
        for total, term in zip(totals, terms, strict=True):
            f.store("double", f.value(f"fadd double {f.load('double', total)}, {term}"), total)

    def laned() -> None:
        _add_to_lane(gen, lanes, k, terms)
        next_k = f.value(f"add i64 {k}, 1")
        inside = f.value(f"and i64 {next_k}, {BLOCK - 1}")
        last = f.value(f"icmp eq i64 {next_k}, {trips}")
        full = f.value(f"or i1 {f.value(f'icmp eq i64 {inside}, 0')}, {last}")

        gen.choose(full, lambda: _close(gen, lanes, totals), lambda: None)

    gen.choose(f.value(f"icmp slt i64 {trips}, {LANES}"), serial, laned)
