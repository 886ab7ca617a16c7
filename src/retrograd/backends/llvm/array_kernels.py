"""Loops over arrays that are the same in every program: compiled once, and linked to each.

A program that multiplies matrices in thirty places has thirty calls instead of thirty copies of the
loops, which took most of the time to compile it. The order of operations is the one that the same
loops have in a program, so the bits are those.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from retrograd.backends.llvm.gemm import GEMM_TEXT, is_large
from retrograd.backends.llvm.gen import Gen, Shared
from retrograd.backends.llvm.lengths import Lengths
from retrograd.backends.llvm.library import LIBRARY_TEXT
from retrograd.backends.llvm.metadata import PROFILE_TEXT, TBAA_TEXT
from retrograd.backends.llvm.plan import Planner
from retrograd.backends.llvm.product_loops import by_rows, dot_rows, dots
from retrograd.backends.llvm.reduce import lane_sums
from retrograd.backends.llvm.scalar import INTRINSICS
from retrograd.backends.llvm.support import CALLED
from retrograd.backends.llvm.text import ArrayValue, FunctionText
from retrograd.ir.terms import Program
from retrograd.ir.types import DType, Type
from retrograd.prims import DEFAULT
from retrograd.transforms.analysis.shapes import Shapes

__all__ = ["ARRAY_KERNELS", "AXES", "DECLARED", "array_kernels"]

AXES = 4
"""Axes of arrays that `rg_add_along` adds up."""

_F1, _F2 = Type(DType.F64, 1), Type(DType.F64, 2)

_OPERANDS = (
    "ptr noalias nocapture %c, ptr nocapture readonly %a, ptr nocapture readonly %b, "
    "i64 %rows, i64 %inner, i64 %columns"
)
_EXTENTS = ", ".join(f"i64 %d{k}" for k in range(AXES))
_STRIDES = ", ".join(f"i64 %s{k}" for k in range(AXES))
_HEADS = {
    "rg_product": f"void @rg_product(ptr nocapture %ctx, {_OPERANDS})",
    "rg_product_loops": f"void @rg_product_loops({_OPERANDS})",
    "rg_product_rows": (
        "void @rg_product_rows(ptr noalias nocapture %c, ptr nocapture readonly %a, "
        "ptr nocapture readonly %b, i64 %rows, i64 %inner)"
    ),
    "rg_dot": ("double @rg_dot(ptr nocapture readonly %a, ptr nocapture readonly %b, i64 %inner)"),
    "rg_sum": "double @rg_sum(ptr nocapture readonly %a, i64 %inner)",
    "rg_add_along": (
        "void @rg_add_along(ptr noalias nocapture %c, i64 %count, "
        f"ptr noalias nocapture readonly %a, {_EXTENTS}, {_STRIDES})"
    ),
}
"""`c = a b` (by BLAS where that is large; by loops), `c = a b` and `a b` of a vector `b`, the sum
of a vector, and the sums of elements of `a` over the axes along which `c` has the stride 0."""

ARRAY_KERNELS = tuple(f"@{name}(" for name in _HEADS)
DECLARED = "".join(f"declare {head} nounwind\n" for head in _HEADS.values())


@cache
def array_kernels(blas_products: int) -> str:
    """The text of their module; products of so many terms are left to BLAS."""
    shared = Shared(Program((), ""), Planner(DEFAULT, {}), frozenset(), {})
    bodies: dict[str, Callable[[Gen], str | None]] = {
        "rg_product": lambda gen: _product(gen, blas_products),
        "rg_product_loops": _product_loops,
        "rg_product_rows": _product_rows,
        "rg_dot": lambda gen: dots(gen, ["%a"], "%b", "%inner")[0],
        "rg_sum": _sum,
        "rg_add_along": _add_along,
    }
    functions = [_function(shared, head, bodies[name]) for name, head in _HEADS.items()]
    parts = (
        INTRINSICS, CALLED, LIBRARY_TEXT, GEMM_TEXT, *functions, TBAA_TEXT, PROFILE_TEXT,
        *shared.metadata,
    )  # fmt: skip
    return "\n".join(parts)


def _function(shared: Shared, head: str, write: Callable[[Gen], str | None]) -> str:
    f = FunctionText(head)
    gen = Gen(f, shared, Lengths(Shapes({}, {}), lasting=True))
    result = write(gen)
    f.end("ret void" if result is None else f"ret double {result}")
    body = "\n".join(["entry:", *f.allocas, "  br label %begin", "begin:", *f.lines])
    return f'define {head} nounwind "prefer-vector-width"="512" {{\n{body}\n}}\n'


def _product_loops(gen: Gen) -> None:
    a = ArrayValue("%a", ("%rows", "%inner"), _F2, None, "%a")
    b = ArrayValue("%b", ("%inner", "%columns"), _F2, None, "%b")
    by_rows(gen, a, b, ArrayValue("%c", ("%rows", "%columns"), _F2, None, "%c"))


def _product(gen: Gen, blas_products: int) -> None:
    f = gen.f
    done = f.slot("i1")
    f.store("i1", "false", done)
    extents = "i64 %rows, i64 %inner, i64 %columns"

    def by_library() -> None:
        call = f"call i1 @rg_gemm(ptr %ctx, ptr %c, ptr %a, ptr %b, {extents})"
        f.store("i1", f.value(call), done)

    def by_loops() -> None:
        f.emit(f"call void @rg_product_loops(ptr %c, ptr %a, ptr %b, {extents})")

    large = is_large(gen, "%rows", "%inner", "%columns", blas_products)
    gen.choose(large, by_library, lambda: None)
    gen.choose(f.load("i1", done), lambda: None, by_loops)


def _product_rows(gen: Gen) -> None:
    a = ArrayValue("%a", ("%rows", "%inner"), _F2, None, "%a")
    b = ArrayValue("%b", ("%inner",), _F1, None, "%b")
    dot_rows(gen, a, b, ArrayValue("%c", ("%rows",), _F1, None, "%c"))


def _sum(gen: Gen) -> str:
    a = ArrayValue("%a", ("%inner",), _F1, None, "%a")
    (total,) = lane_sums(gen, "%inner", 1, lambda k: [gen.read(DType.F64, gen.at(a, k))], True)
    return total


def _add_along(gen: Gen) -> None:
    """In row-major order of `a`, each element to its place."""
    f = gen.f
    c, a = (ArrayValue(name, ("%count",), _F1, None, name) for name in ("%c", "%a"))
    gen.loop("%count", lambda k: gen.write(DType.F64, "0.0", gen.at(c, k)), gen.vector_hint())
    last = AXES - 1

    def along(start: str, place: str) -> None:
        def spread() -> None:
            def each(k: str) -> None:
                target = gen.at(c, f.value(f"add nsw i64 {place}, {k}"))
                old = gen.read(DType.F64, target)
                new = gen.read(DType.F64, gen.at(a, f.value(f"add nsw i64 {start}, {k}")))
                gen.write(DType.F64, f.value(f"fadd double {old}, {new}"), target)

            gen.loop(f"%d{last}", each, gen.vector_hint())

        def folded() -> None:
            target, total = gen.at(c, place), f.slot("double")
            f.store("double", gen.read(DType.F64, target), total)

            def each(k: str) -> None:
                new = gen.read(DType.F64, gen.at(a, f.value(f"add nsw i64 {start}, {k}")))
                f.store("double", f.value(f"fadd double {f.load('double', total)}, {new}"), total)

            gen.loop(f"%d{last}", each, gen.chained_hint())
            gen.write(DType.F64, f.load("double", total), target)

        gen.choose(f.value(f"icmp eq i64 %s{last}, 0"), folded, spread)

    def level(axis: int, start: str, place: str) -> None:
        if axis == last:
            along(f.value(f"mul nsw i64 {start}, %d{last}"), place)
            return

        def each(k: str) -> None:
            here = f.value(f"add nsw i64 {f.value(f'mul nsw i64 {start}, %d{axis}')}, {k}")
            there = f.value(f"add nsw i64 {place}, {f.value(f'mul nsw i64 {k}, %s{axis}')}")
            level(axis + 1, here, there)

        gen.loop(f"%d{axis}", each, gen.rolled_hint())

    level(0, "0", "0")
