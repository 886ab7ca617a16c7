"""Maximum and minimum of a run of floats: in lanes, with the bits of the serial loop.

Serially, each element is compared with the result so far (`scalar`, "maximum"): a NaN stays, and of
a zero and a negative zero the later one wins. Lanes merge to the same number. Where that is a zero,
its sign depends on the order, so the run is gone through again, one by one.
"""

from __future__ import annotations

from collections.abc import Callable

from retrograd.backends.llvm.gen import Gen
from retrograd.backends.llvm.metadata import LANES_TBAA
from retrograd.backends.llvm.reduce import LANES, VECTOR
from retrograd.backends.llvm.scalar import emit_scalar
from retrograd.backends.llvm.text import float_text
from retrograd.ir.types import DType

__all__ = ["lane_extreme"]


def lane_extreme(gen: Gen, op: str, trips: str, read: Callable[[str], str]) -> str:
    """The "maximum" or "minimum" of elements 0 .. trips-1, which `read` gives."""
    f = gen.f
    slot = f.slot("double")
    unit = float_text(float("-inf" if op == "maximum" else "inf"))

    def serial(first: str, count: str) -> None:
        def step(k: str) -> None:
            element = read(f.value(f"add nsw i64 {first}, {k}"))
            kinds = [DType.F64] * 2
            value = emit_scalar(f, op, [f.load("double", slot), element], kinds, DType.F64)
            f.store("double", value, slot)

        gen.loop(count, step, gen.vector_hint())

    def whole() -> None:
        f.store("double", unit, slot)
        serial("0", trips)

    def lanes() -> None:
        blocks = f.value(f"sdiv i64 {trips}, {LANES}")
        f.store("double", _lanes(gen, op, unit, blocks, read), slot)
        done = f.value(f"mul nsw i64 {blocks}, {LANES}")
        serial(done, f.value(f"sub nsw i64 {trips}, {done}"))
        zero = f.value(f"fcmp oeq double {f.load('double', slot)}, 0.0")
        gen.choose(zero, whole, lambda: None)

    least = gen.shared.planner.prims.costs.lane_trips
    gen.choose(f.value(f"icmp slt i64 {trips}, {least}"), whole, lanes)
    return f.load("double", slot)


def _lanes(gen: Gen, op: str, unit: str, blocks: str, read: Callable[[str], str]) -> str:
    """The extreme of whole blocks, up to the sign of a zero."""
    f = gen.f
    slot, buffer = f.slot(VECTOR, 64), f.slot(f"[{LANES} x double]", 64)
    f.store(VECTOR, f"splat (double {unit})", slot)

    def block(b: str) -> None:
        first = f.value(f"mul nsw i64 {b}, {LANES}")

        def lane(k: str) -> None:
            place = f.value(f"getelementptr inbounds double, ptr {buffer}, i64 {k}")
            f.store("double", read(f.value(f"add nsw i64 {first}, {k}")), place, f", {LANES_TBAA}")

        gen.loop(str(LANES), lane, gen.vector_hint())
        elements = f.load(VECTOR, buffer, f", align 64, {LANES_TBAA}")
        f.store(VECTOR, _better(gen, op, LANES, f.load(VECTOR, slot), elements), slot)

    gen.loop(blocks, block, gen.vector_hint())
    vector, width = f.load(VECTOR, slot), LANES
    while width > 1:
        width //= 2
        wide = f"<{2 * width} x double>"
        halves: list[str] = []
        for start in (0, width):
            places = ", ".join(f"i32 {start + k}" for k in range(width))
            text = f"shufflevector {wide} {vector}, {wide} poison, <{width} x i32> <{places}>"
            halves.append(f.value(text))
        vector = _better(gen, op, width, *halves)
    return f.value(f"extractelement <1 x double> {vector}, i64 0")


def _better(gen: Gen, op: str, width: int, held: str, element: str) -> str:
    f = gen.f
    kind = f"<{width} x double>"
    predicate = "ogt" if op == "maximum" else "olt"
    better = f.value(f"fcmp {predicate} {kind} {held}, {element}")
    nan = f.value(f"fcmp uno {kind} {held}, {held}")
    first = f.value(f"or <{width} x i1> {better}, {nan}")
    return f.value(f"select <{width} x i1> {first}, {kind} {held}, {kind} {element}")
